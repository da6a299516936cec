// node validate.mjs FILE...: the verdict of Khronos' validator, one JSON object a line; exit 1 on errors or warnings.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import validator from 'gltf-validator';

let found = 0;
for (const path of process.argv.slice(2)) {
  const beside = async uri => new Uint8Array(await readFile(resolve(dirname(path), decodeURIComponent(uri))));
  const report = await validator.validateBytes(new Uint8Array(await readFile(path)), {
    uri: path, externalResourceFunction: beside, maxIssues: 20,
  });
  const { numErrors: errors, numWarnings: warnings, messages } = report.issues;
  const worst = messages.filter(it => it.severity < 2).map(it => `${it.code} ${it.pointer ?? ''} ${it.message}`);
  found += errors + warnings;
  console.log(JSON.stringify({ path, errors, warnings, worst, triangles: report.info?.totalTriangleCount ?? 0 }));
}
process.exit(found ? 1 : 0);
