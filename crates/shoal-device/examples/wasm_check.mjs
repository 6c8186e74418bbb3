// Runs vectors/device/*.json through the module built from wasm_check.rs, in Node: node wasm_check.mjs MODULE VECTORS
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [modulePath, folder] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(modulePath));
// The module asks the browser for randomness, which the vectors never need: their tapes hold it.
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  if (kind !== "function") throw new Error(`unexpected import ${from}.${name}`);
  (imports[from] ??= {})[name] = () => { throw new Error(`${name} was called`); };
}
const { exports: device } = new WebAssembly.Instance(module, imports);

function report(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const place = device.shoal_allocate(bytes.length);
  new Uint8Array(device.memory.buffer, place, bytes.length).set(bytes);
  device.shoal_report();
  const answer = new Uint8Array(device.memory.buffer, device.shoal_answer(), device.shoal_answer_length());
  return new TextDecoder().decode(answer);
}

let cases = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const vector = JSON.parse(readFileSync(join(folder, file), "utf8"));
  for (const { values, tape, report: expected } of vector.cases) {
    const question = { design: JSON.stringify(vector.design), values, tape: [...Buffer.from(tape, "hex")] };
    const answer = report(question);
    if (answer !== JSON.stringify(expected)) {
      throw new Error(`${file}, values ${values}:\n  ${answer}\ninstead of\n  ${JSON.stringify(expected)}`);
    }
    cases += 1;
  }
}
if (cases < 50) throw new Error(`only ${cases} cases were found`);
const refused = report({ design: "{}", values: [], tape: [] });
if (!refused.includes("not a design")) throw new Error(refused);
console.log(`${cases} reports as on other machines`);
