// Compiles the .ksy files of a folder to Python: node formats.mjs FROM TO. Prints each that it refuses.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Compiler from "kaitai-struct-compiler";
import { load } from "js-yaml";

const [from, to] = process.argv.slice(2);
mkdirSync(to, { recursive: true });
for (const name of readdirSync(from).filter((it) => it.endsWith(".ksy")).sort()) {
  try {
    const made = await Compiler.compile("python", load(readFileSync(join(from, name), "utf8")), null, false);
    for (const [file, text] of Object.entries(made)) writeFileSync(join(to, file), text);
  } catch (error) {
    console.log(`${name}: ${error.message ?? error}`);
  }
}
