// Lays out the scripts of the pages; with --check it only names those that are laid out otherwise, and fails.
import { createContext } from "@dprint/formatter";
import typescript from "@dprint/typescript";
import fs from "node:fs";

const context = createContext({ lineWidth: 120, indentWidth: 2 });
context.addPlugin(fs.readFileSync(typescript.getPath()), {
  preferHanging: true, // else every child of an element that is made would have lines of its own
  "memberExpression.linePerExpression": false,
  "binaryExpression.linePerExpression": false,
});

for (const name of fs.readdirSync("page").filter((file) => /\.(js|ts)$/.test(file))) {
  const filePath = `page/${name}`;
  const fileText = fs.readFileSync(filePath, "utf8");
  const formatted = context.formatText({ filePath, fileText });
  if (formatted === fileText) continue;
  if (process.argv.includes("--check")) {
    console.error(`${filePath} is not laid out as \`npm run format\` does it`);
    process.exitCode = 1;
  } else {
    fs.writeFileSync(filePath, formatted);
  }
}
