// The files of data/ that are read when they are asked for: scripts that call receiveJson or receivePacked with gzip in
// base64, which takes a quarter of the room.
import { make } from "./dom.js";

const contents = new Map(); // name → promise of the content
const takers = new Map();

const receivePart = (/** @type {string} */ name, /** @type {unknown} */ content) => takers.get(name)?.(content);

/** Called by a part that is not text. @param {string} name @param {string} base64 */
export const receivePacked = (name, base64) => receivePart(name, bytesOf(base64));

/** @param {string} base64 */
function bytesOf(base64) {
  if ("fromBase64" in Uint8Array) return /** @type {Cell} */ (Uint8Array).fromBase64(base64); // which is faster
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
export const inflated = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));

/** What is JSON, gzip in base64 as well. @param {string} base64 */
export const unpacked = async (base64) => inflated(bytesOf(base64)).json();

/** Called by a part that is such JSON. @param {string} name @param {string} base64 */
export const receiveJson = (name, base64) => receivePart(name, unpacked(base64));

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
