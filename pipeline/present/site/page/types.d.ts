// The shapes of what the scripts of the pages hand to each other; the Python of this folder writes the data.

/** Number of a model in every list of the dataset, from 0. */
type Row = number;
/** What a cell holds: number, boolean, ISO date, text, list of texts, or null. */
// biome-ignore lint/suspicious/noExplicitAny: the kind of its column says which
type Cell = any;

interface Choices {
  names: string[];
  place: Map<string, number>;
  ofWord: number[][];
}

interface Groups {
  names: (string | null)[];
  ofRow: Uint8Array;
}

/** A column of `models`; texts and lists are numbers of `words`, dates are days since 1970, booleans 0 and 1. Other
 * columns have no words. */
interface Column {
  name: string;
  unit: string;
  about: string;
  derived: string;
  kind: "number" | "boolean" | "date" | "list" | "text";
  values: Cell[];
  words: Cell[];
  like?: string;
  prefix?: string;
  first_of?: string;
  ratio_of?: string;
  divisor?: number;
  choices?: Choices;
  groups?: Groups;
  ranks?: number[];
  ends?: number[];
  numbers?: Map<string, number>;
}

interface Axis {
  column: string;
  label: string;
  low?: string;
  high?: string;
  source?: string;
  scale?: string;
}

interface Entry {
  column: string;
  label: string;
  several?: string;
  of_axis?: boolean;
  default?: string;
  most?: number;
}

interface Shown extends Entry {
  width: number;
}

interface Threshold {
  column: string;
  flop: number;
  label: string;
  source: string;
}

interface Settings {
  axes: Axis[];
  colours: Entry[];
  flags: Entry[];
  facets: Entry[];
  table: Shown[];
  words: Record<string, string>;
  thresholds: Threshold[];
  trend: TrendRules;
}

interface TrendRules {
  draws: number;
  seed: number;
  z90: number;
  bands: Record<string, number>;
  fewest_runs: number;
  min_years: number;
  since: string;
  days_per_year: number;
}

interface About {
  version: string;
  as_of: string | null;
  entered: string | null;
  newest: string | null;
  licence: string;
  citation: string | null;
  vintages?: boolean;
  tiers?: boolean;
}

interface Source {
  source_id: string;
  title: string;
  publisher: string;
  url: string | null;
  licence: string;
  attribution: string;
  snapshot: string;
}

/** Growth per year and months of doubling, with the ends of their intervals. */
interface Rates {
  n: number;
  growth_per_year: number;
  growth_low: number;
  growth_high: number;
  doubling_months: number | null;
  doubling_low: number | null;
  doubling_high: number | null;
  selection_warning?: boolean;
  valued_share_since_2024?: number | null;
}

interface PublishedTrend extends Rates {
  quantity: string;
  group: string;
  since: string | null;
}

interface Words {
  words: string[];
  values: number[];
}

/** Quantiles of the training compute of a model that has no value. */
interface Likely {
  model_id: string;
  tier: number;
  method: string | null;
  flop_05: number;
  flop_25: number;
  flop_50: number;
  flop_75: number;
  flop_95: number;
  tier_coverage_90: number;
  tier_models: number;
}

/** data/models.js, and what follows from it. */
interface Dataset {
  about: About;
  settings: Settings;
  sources: Source[];
  columns: Column[];
  column: Record<string, Column>;
  aliases: string[];
  said: Record<string, Words>;
  shards: string[];
  parents: Record<string, string>;
  trends: PublishedTrend[];
  expected: { level: number; scope: string; until: string; low: number; high: number }[];
  chips: { name: string; released: string }[];
  claimOf: Record<string, string>;
  rows: number;
  rowOf: Map<string, Row>;
  likely?: Map<Row, Likely>;
  isAbsent?: (row: Row) => boolean;
}

type Received = Omit<Dataset, "claimOf"> & { claim_of: Record<string, string> };

interface Gone {
  model_id: string[];
  [column: string]: Cell[];
}

/** The ends across, or across and upwards, as coordinates of the scales. */
type View = number[];

/** What is shown; all of it stands in the address. */
interface State {
  q: string;
  from: string;
  to: string;
  least: string;
  most: string;
  x: string;
  y: string;
  size: string;
  xscale: string;
  yscale: string;
  colour: string;
  group: string;
  sort: string;
  flags: Record<string, string>;
  facets: Record<string, string[]>;
  view: View | null;
  intervals: boolean;
  labels: boolean;
  trend: boolean;
  frontier: boolean;
  tiers: boolean;
  chips: boolean;
  embed: boolean;
  asof: string;
  model: string;
}

type TextKey = "q" | "from" | "to" | "least" | "most" | "sort" | "x" | "y" | "colour" | "group" | "size" | "xscale"
  | "yscale" | "asof" | "model";
type SwitchKey = "intervals" | "labels" | "trend" | "frontier" | "tiers" | "chips" | "embed";

/** A facet of the form. */
interface Facet {
  body: HTMLDetailsElement;
  badge: HTMLElement;
  list: HTMLElement;
  more: HTMLElement;
  narrow: HTMLInputElement | null;
  all: boolean;
  opened: Set<string>;
  owners: Record<string, string>;
  chosen: string[];
  counts: Uint32Array;
}

/** What a filter asks for: a part of the state, or one flag or facet of it. */
type Change = Partial<State> & { flag?: [string, string]; facet?: [string, string[]] };

type Counts = Record<string, Uint32Array>;

interface Scale {
  axis: Axis;
  column: Column;
  kind: "date" | "log" | "linear";
  unit: string;
  at: (value: Cell) => Cell;
  of: (row: Row) => number | null;
  value: (coordinate: number) => number;
}

interface Scales {
  x: Scale;
  y: Scale;
}

/** A model in the chart: where it is on the scales and in pixels, and how it is drawn. */
interface Point {
  row: Row;
  x: number;
  y: number;
  value: number;
  low: number | null;
  high: number | null;
  hollow: boolean;
  px: number;
  py: number;
  group: number;
  size: number;
  likely?: Likely; // of a bar in the place of a point
}

/** What is needed to draw a mark. */
type Mark = Pick<Point, "px" | "py" | "group"> & { hollow?: boolean; size?: number };

/** Across and down. */
type Pixel = [number, number];

/** Left, top, width and height in pixels. */
type Box = [number, number, number, number];

interface Ink {
  ink: string;
  muted: string;
  line: string;
  surface: string;
  accent: string;
  edge: string;
  font: string;
  small: string;
  strong: string;
}

interface Legend {
  className?: string;
  text: string | null;
  isWords?: boolean; // no colour to choose
  group?: number;
  hollow?: boolean;
}

interface Said {
  className: string;
  text: string;
}

interface Chart {
  points: Point[];
  rows: Row[];
  context: Row[];
  visible: Point[];
  bars: Point[];
  index: Map<number, Point[]>;
  view: View;
  hovered: Point | null;
  brush: number[] | null;
  state: State;
  scales: Scales;
  trends: Line[];
  left: number;
  top: number;
  right: number;
  bottom: number;
  width: number;
  height: number;
  ink: Ink;
  x: (coordinate: number) => number;
  y: (coordinate: number) => number;
  reserved: Box[];
  legend: Legend[];
  words: Said[];
}

interface Sample {
  row: Row;
  x: number;
  y: number;
  sd: number;
}

/** A line through runs, and the lines through its resamples. */
interface Line {
  n: number;
  slope: number;
  level: number;
  first: number;
  last: number;
  slopes: number[];
  levels: number[];
  since?: string;
  what?: string; // "" for all that is shown
  published?: PublishedTrend | null;
  band?: number[][];
}

/** What a shape is drawn with. */
type Shape = Pick<Path2D, "moveTo" | "lineTo" | "rect" | "arc" | "closePath">;

/** What drawing needs: a canvas, or svgContext. */
type Context = CanvasRenderingContext2D | ReturnType<typeof import("./svg.js").svgContext>;

interface Claim {
  field: string;
  status: string;
  shown: string;
  value_text: string;
  note: string | null;
  unit: string | null;
  source_id: string;
  record: string;
  locator: string | null;
  reference: string | null;
  evidence: string | null;
  since: string;
  reason: string;
  supporting_publishers: number;
  value: number | null;
  low: number | null;
  high: number | null;
  publisher: string;
}

/** Model, field, value, place and reference. */
type Input = [string | null, string, string, string, string | null];

interface Estimate {
  field: string;
  method: string;
  shown: string | null;
  low: number | null;
  high: number | null;
  unit: string;
  formula: string;
  assumptions: string[] | null;
  is_selected: boolean;
  reason: string;
  disagreement_dex: number | null;
  inputs: Input[] | null;
  value: number | null;
  is_predicted?: boolean;
}

interface Revision {
  field: string;
  kind: string;
  old: string | null;
  new: string | null;
  ratio: number | null;
  source_id: string;
  from_snapshot: string;
  to_snapshot: string;
  old_value: number | null;
  new_value: number | null;
}

interface Correction {
  field: string;
  value_text: string | null;
  action: string;
  new_value: string | null;
  reason: string;
  reference: string | null;
  entered: string;
  source_id: string;
}

/** What data/models/NN.js knows about one model. */
interface Known {
  claims: Claim[];
  estimates: Estimate[];
  revisions: Revision[];
  corrections: Correction[];
}

/** A field of a model: its value, who says so, and who says otherwise. */
interface Field {
  name: string;
  value: Cell;
  unit: string;
  about: string;
  derived: string;
  claims: Claim[];
  selected: Claim | null;
  estimate: Estimate | null;
  beside?: boolean;
}

interface FieldGroup {
  title: string;
  entries: Field[];
}

/** A table of data/records.js. */
interface Records {
  columns: [string, string | null, string | null][];
  rows: Cell[][];
  objects?: Record<string, Cell>[];
}

/** Attributes, properties and listeners of an element that is made. */
interface Attributes {
  onclick?: (event: MouseEvent & { currentTarget: HTMLElement }) => void;
  onmousedown?: (event: MouseEvent) => void;
  oninput?: (event: InputEvent & { target: HTMLInputElement }) => void;
  onchange?: (event: Event & { target: HTMLInputElement }) => void;
  [name: string]: Cell;
}

type Child = Node | string | null | undefined;
/** A term, its value (left out where there is none), and what it means. */
type Pair = [string, Child, (string | null)?];

interface Page {
  title: string;
  parts: Child[];
}

interface Named {
  kind: string;
  id: string;
  name: string;
  text: Searched;
}

interface Searched {
  low: string;
  joined: string;
}

/** A value of a training compute, or what is said in its place; `inner` are the quartiles of what is likely. */
interface Saying {
  text: string;
  low: number | null;
  value: number | null;
  high: number | null;
  inner?: number[];
  chosen?: boolean;
}

/** A line of a picture of intervals, with the words behind it. */
interface Interval extends Saying {
  tag: string;
  short?: string;
}

interface Ruler {
  isLog?: boolean;
  at: (value: number) => number;
  ticks: [number, string][];
}

interface Tick {
  at: number;
  text: string;
}

interface Schema {
  tables: SchemaTable[];
  macros: { name: string; parameters: string[]; about: string | null }[];
  questions: { section: string; title: string; query: string }[];
  seal: Record<string, string>;
  about: About;
}

/** What a file says of a CSV beside it. */
interface Described {
  query: string;
  view?: string;
  columns: { name: string; kind: string; unit?: string; about?: string }[];
  sources?: Source[];
}

/** Name, type, unit and description. */
type SchemaColumn = [string, string, string | null, string];

interface SchemaTable {
  name: string;
  view: boolean;
  rows: number;
  about: string;
  columns: SchemaColumn[];
}

interface Completion {
  text: string;
  kind: string;
  unit: string;
  about: string;
}

interface Result {
  columns: { name: string; number: boolean }[];
  rows: Cell[][];
  cut: boolean;
}

interface Answer extends Result {
  query: string;
}

interface Found {
  kind: string;
  name: string;
  address: string;
  at: number;
}

interface Section {
  address: string;
  title: string;
  heading: string;
  text: string;
  high: string;
  low: string;
  headWords: string;
  textWords: string;
}

/** A day of the vintages: of each model its name, date, compute, and whether it was notable. */
type Vintage = Map<Row, [string, number | null, number | null, boolean]>;

interface Changes {
  before: string;
  name: (row: Row) => string;
  added: Row[];
  removed: Row[];
  changed: { row: Row; from: number | null; to: number | null }[];
  notable: { row: Row; to: boolean }[];
}

/** The elements that are no plain HTMLElement, by id. */
interface ElementOf {
  "chart": HTMLDetailsElement;
  "colour": HTMLSelectElement;
  "copy-text": HTMLInputElement;
  "download-csv": HTMLButtonElement;
  "find": HTMLInputElement;
  "model": HTMLDialogElement;
  "overlay": HTMLCanvasElement;
  "points": HTMLCanvasElement;
  "query": HTMLTextAreaElement;
  "questions": HTMLDetailsElement;
  "size": HTMLSelectElement;
  "table": HTMLTableElement;
  "tables": HTMLDetailsElement;
  "time-slider": HTMLInputElement;
  "whole": HTMLAnchorElement;
  "years": HTMLDetailsElement;
  "x": HTMLSelectElement;
  "y": HTMLSelectElement;
}

interface Window {
  Arrow: unknown;
  module?: { exports: Cell };
  traincomputeTimings: Record<string, number[]> & { ready?: number };
}
