-- A dataset of five models, all made up, for the pages of the site: every column that they read, filled and empty.
create table columns as from (values
    ('models', 'name', 2, null, 'What it is called', null, null), ('models', 'training_compute_flop', 5, 'FLOP', 'All of the run', 'a × b', null),
    ('models', 'countries', 4, null, 'Where', null, 'country'), ('hardware', 'tdp_w', 6, 'W', 'Power', null, null),
    ('hardware', 'peak_tensor_fp16_flops', 5, 'FLOP/s', 'Speed', null, null), ('hardware', 'a100_equivalents', 7, '1', 'As A100', null, null),
    ('hardware', 'release_date', 4, null, 'Day', null, null), ('hardware', 'name', 2, null, 'Name', null, null),
    ('claims', 'value', 5, 'unit', 'Its number', null, null), ('thresholds', 'runs', 4, '1', 'How many', null, null)
) t(table_name, column_name, position, unit, description, derived, claim);

create table models (
    model_id text, name text, organization text, organizations text[], countries text[], domains text[], publication_date date,
    publication_date_precision text, is_notable boolean, parameters double, parameters_active double, training_tokens double,
    dataset_size double, dataset_unit text, hardware_quantity double, training_hours double, training_cost_usd double,
    training_energy_kwh double, training_compute_flop double, training_compute_source text, training_compute_pfs_days double,
    base_model_id text, training_run_id text, reference_url text, arxiv_id text, frontier_rank bigint, epochs double);
comment on column models.name is 'What it is called';
insert into models by name select 'gpt' as model_id, 'GPT <3>' as name, 'OpenAI' as organization, ['OpenAI', 'MS'] as organizations,
    ['US', 'UK'] as countries, ['Language', 'Vision'] as domains, date '2020-05-28' as publication_date, 'month' as publication_date_precision,
    true as is_notable, 1.75e11 as parameters, 3e11 as training_tokens, 2.38e11 as dataset_size, 'word' as dataset_unit,
    1024 as hardware_quantity, 3.14e23 as training_compute_flop, 'third_party' as training_compute_source,
    3634.25925926e0 as training_compute_pfs_days, 'gpt' as training_run_id, 'https://arxiv.org/abs/2005.14165 a.book' as reference_url,
    '2005.14165 a.book' as arxiv_id, 1 as frontier_rank;
insert into models by name select 'gpt-chat' as model_id, 'Chat' as name, 'OpenAI' as organization, ['OpenAI'] as organizations,
    ['US'] as countries, ['Language'] as domains, date '2023-01-02' as publication_date, 'day' as publication_date_precision,
    false as is_notable, 1e9 as parameters_active, 24.5e0 as training_hours, 1e6 as training_cost_usd, 2.5e3 as training_energy_kwh,
    'imputed' as training_compute_source, 4.5e24 as training_compute_flop, 52083.3333333e0 as training_compute_pfs_days,
    'gpt' as base_model_id, 'gpt' as training_run_id, 'https://arxiv.org/abs/2301.00001' as reference_url, '2301.00001' as arxiv_id;
insert into models by name select 'llama' as model_id, 'Llama' as name, 'Meta' as organization, ['Meta'] as organizations,
    ['Language'] as domains, date '2020-07-01' as publication_date, 'year' as publication_date_precision, true as is_notable,
    'llama' as training_run_id, 'https://www.example.org/llama?a&b' as reference_url;
insert into models by name select 'palm' as model_id, 'palm' as name, 'Google' as organization, ['Google'] as organizations,
    ['Language'] as domains, date '2020-06-01' as publication_date, true as is_notable, 2.5e24 as training_compute_flop,
    'reported' as training_compute_source, 28935.1851852e0 as training_compute_pfs_days, 'palm' as training_run_id;
insert into models by name select 'zero' as model_id, 'Zéro' as name, 'zero' as training_run_id;

create table predictions as from (values
    ('gpt', 0::bigint, 'published', 'e1', 2e23, 2.5e23, 3.14e23, 4e23, 5e23, null, null),
    ('gpt-chat', 2, 'capability_index', 'e2', 1e24, 3e24, 4.5e24, 2e25, 1.2345e26, 1e20, 1e27),
    ('llama', 3, 'regression_all', null, null, 1e24, 2e24, null, 3e24, null, null),
    ('palm', 0, 'published', null, 2e24, 2.4e24, 2.5e24, 2.6e24, 3e24, null, null)
) t(model_id, tier, method, estimate_id, flop_05, flop_25, flop_50, flop_75, flop_95, least_flop, most_flop);
create view models_completed as select m.model_id, tier, m.name, training_compute_flop, flop_05, flop_25, flop_50 / 3 as flop_50, flop_75, flop_95,
    method, 0.9e0 as tier_coverage_90, 12::bigint as tier_models from models m join predictions using (model_id);
comment on column models_completed.name is 'What it is called';
create view threshold_probabilities as from (values
    ('gpt', true, 1e23, 0.99995e0), ('gpt', true, 1e24, 0.5e0), ('gpt-chat', false, 1e23, 1.0e0), ('gpt-chat', false, 1e25, 0.25123e0),
    ('gpt-chat', false, 1e26, 0.004e0), ('palm', true, 1e25, 0.0e0)) t(model_id, is_notable, threshold_flop, probability);
comment on column threshold_probabilities.is_notable is 'Whether it is cited';

create table claims (
    claim_id text, model_id text, field text, value_text text, value double, low double, high double, unit text, code text, note text,
    source_id text, publisher text, record text, locator text, reference text, evidence text, since date, status text, reason text,
    correction text, supporting_publishers bigint);
insert into claims by name from (values
    ('00000000000000a1', 'gpt', 'training_compute_flop', '3.14e23', 3.14e23, null, null, 'FLOP', null, 'sic', 'curated', 'us', 'GPT-3',
     'table D.1', 'arXiv:2005.14165', '"Total" 3.14E+23', date '2026-01-02', 'selected', 'the only primary one', 'c1', 2),
    ('00000000000000a2', 'gpt', 'training_compute_flop', '3.14e23', 3.14e23, null, null, 'FLOP', null, null, 'epoch', 'Epoch AI', 'GPT <3>',
     null, null, null, date '2026-03-30', 'superseded', 'lower priority than 00000000000000a1', null, 1),
    ('00000000000000a3', 'gpt', 'training_compute_flop', '≥ 1e22', null, 1e22, null, 'FLOP', null, null, 'epoch', 'Epoch AI', 'GPT <3>',
     'row 3', 'https://www.example.org/x?a&b', null, date '2026-03-30', 'superseded', 'older than 00000000000000ff', null, null),
    ('00000000000000a4', 'gpt', 'hardware', 'NVIDIA V100', null, null, null, null, 'NVIDIA V100', null, 'curated', 'us', 'GPT-3',
     'p. <8>', 'a book', null, date '2026-01-02', 'conflicting', 'apart', null, 1),
    ('00000000000000a5', 'gpt-chat', 'training_tokens', '3e11', 3e11, null, null, 'token', null, null, 'epoch', 'Epoch AI', 'Chat',
     null, 'doi:10.1/2', null, date '2026-03-30', 'quarantined', 'no number', null, null)
) t(claim_id, model_id, field, value_text, value, low, high, unit, code, note, source_id, publisher, record, locator, reference, evidence,
    since, status, reason, correction, supporting_publishers);
create table quarantine as select '00000000000000a5' as claim_id, 'enter it' as remedy;
create table estimates as from (values
    ('e1', 'gpt', 'training_compute_flop', 'operation_counting', 3.15e23, 2e23, 4e23, 'FLOP', '6 × 1.75e11 × 3e11',
     ['00000000000000a5', 'e2', 'x:y'], ['one epoch', '<dense>'], false, 'a claim is there', 0.25e0),
    ('e2', 'gpt-chat', 'training_compute_flop', 'hardware', 4.5e24, 1e24, 2e25, 'FLOP', '2 × 3', null, ['40 % used'], true, 'first', null),
    ('e3', 'gpt-chat', 'training_compute_flop', 'more_chips', null, 1e20, null, 'FLOP', null, null, null, false,
     'no physical method: it stands in models_completed', null),
    ('e4', 'llama', 'parameters', 'by name', null, null, null, 'parameter', null, null, null, false, 'needs a name', null)
) t(estimate_id, model_id, field, method, value, low, high, unit, formula, inputs, assumptions, is_selected, reason, disagreement_dex);
create table revisions as from (values
    ('r1', 'epoch', 'gpt', 'GPT <3>', 'training_compute_flop', 'value_changed', '3e23', '3.14e23', 3e23, 3.14e23, 1.0467e0, 'FLOP', date '2025-05-06', date '2026-03-30'),
    ('r2', 'epoch', 'gpt', 'GPT <3>', 'training_compute_flop', 'value_changed', '3e23', '3.14e23', 3e23, 3.14e23, 1.0467e0, 'FLOP', date '2025-05-06', date '2026-03-30'),
    ('r3', 'epoch', 'gpt', 'GPT <3>', null, 'record_added', null, null, null, null, null, null, date '2025-05-06', date '2026-03-30'),
    ('r4', 'epoch', 'gone', 'Gone & away', null, 'record_removed', null, null, null, null, null, null, date '2024-07-16', date '2025-05-06'),
    ('r5', 'epoch', 'gpt-chat', 'Chat', 'training_compute_flop', 'filled', null, '4.5e24', null, 4.5e24, null, 'FLOP', date '2024-07-16', date '2025-05-06'),
    ('r6', 'epoch', 'lost', null, 'training_compute_flop', 'blanked', '1e20', null, 1e20, null, null, 'FLOP', date '2022-09-01', date '2024-07-16'),
    ('r7', 'epoch', 'gpt-chat', 'Chat', null, 'renamed', 'much', 'more', null, null, null, 'FLOP', date '2022-09-01', date '2024-07-16'),
    ('r8', 'epoch', 'gpt', 'GPT <3>', 'epochs', 'filled', null, '1', null, 1, null, null, date '2022-09-01', date '2024-07-16')
) t(revision_id, source_id, model_id, record, field, kind, old_text, new_text, old_value, new_value, ratio, unit, from_snapshot, to_snapshot);
create table corrections as select 'k1' as correction_id, 'gpt' as model_id, 'epochs' as field, '0' as value_text, 'replace' as action,
    '1' as new_value, 'a slip' as reason, 'a book' as reference, date '2026-01-02' as entered, 'epoch' as source_id;

create table sources as from (values
    ('curated', 'Read by us', 'us', null, 'CC0 1.0', null, null::date), ('epoch', 'All models', 'Epoch AI', 'https://epoch.ai/data', 'CC BY 4.0',
    'Epoch AI, <all>', date '2026-03-30')) t(source_id, title, publisher, url, licence, attribution, snapshot);
create table snapshots as from (values
    ('epoch', date '2025-05-06', null, 12::bigint, null), ('epoch', date '2026-03-30', 1234, 5678, '0123456789abcdef0123')
) t(source_id, snapshot, records, facts, sha256);
create table organizations as from (values
    ('MS', null, null, null, null), ('Nobody', null, null, 'US', null), ('OpenAI', 'MS', 'industry_lab', 'US', ['Open AI', 'OAI'])
) t(organization, parent, category, country, aliases);
create table hardware as from (values
    ('a100', 'NVIDIA <A100>', 'NVIDIA', date '2020-05-14', 3.12e14, 400.0e0, 1.0e0, 'https://nvidia.com/a100', 'epoch', 'GPU'),
    ('tpu', 'TPU', 'Google', null, null, 175.0e0, 0.5e0, null, 'curated', null), ('wse', 'Wafer', null, null, null, null, null, null, 'curated', null)
) t(hardware_id, name, manufacturer, release_date, peak_tensor_fp16_flops, tdp_w, a100_equivalents, reference_url, source_id, type);
create table model_hardware as from (values
    ('gpt', 2, 'tpu'), ('gpt', 1, 'a100'), ('gpt', 3, 'a100'), ('gpt', 4, null), ('palm', 1, 'tpu')) t(model_id, ordinal, hardware_id);
create table trends as select 'training_compute' as quantity, 'all' as "group", date '2010-01-01' as since, 12::bigint as n, 4.5e0 as growth_per_year,
    4.0e0 as growth_low, 5.0e0 as growth_high, 5.5e0 as doubling_months, 5.0e0 as doubling_low, 6.0e0 as doubling_high, true as selection_warning, 't1' as trend_id;
create table thresholds as select 1e25 as threshold_flop, 'all' as scope, date '2026-03-30' as published_until, 2::bigint as runs, 3::bigint as models,
    1::bigint as published_values, 1.5e0 as expected_runs, 1::bigint as low_90, 4::bigint as high_90;
create table aliases as from (values
    ('gpt', 'davinci', 'hub'), ('gpt', 'ada', 'hub'), ('gpt', 'GPT-4', 'distinct'), ('palm', 'palm', 'hub')) t(model_id, alias, kind);
create macro pfs_days(flop) as flop / 8.64e19;
