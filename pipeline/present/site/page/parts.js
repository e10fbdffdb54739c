// The files of data/ that are read when they are asked for: scripts that call receivePart(name, content).
import { make } from "./dom.js";

const contents = new Map(); // name → promise of the content
const takers = new Map();

export const receivePart = (/** @type {string} */ name, /** @type {unknown} */ content) => takers.get(name)?.(content);

/** What a file of data/ holds, read once: "models/1f", "vintages", "tiers"; again where it could not be read.
 * @param {string} name */
export function loadPart(name) {
  if (!contents.has(name)) {
    const content = new Promise((resolve, reject) => {
      takers.set(name, resolve);
      loadScript(`data/${name}.js`).catch((error) => {
        contents.delete(name);
        reject(error);
      });
    });
    contents.set(name, content);
  }
  return contents.get(name);
}

/** @param {string} path */
export function loadScript(path) {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error(`${path} cannot be read; is the folder complete?`));
    document.head.append(make("script", { src: path, onload: resolve, onerror: failed }));
  });
}
