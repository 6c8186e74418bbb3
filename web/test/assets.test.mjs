// The collector has the package built in, so that the program can be built without Node. What it has must do what the sources
// do: `node build.mjs --collector` puts it there. The bytes of a module depend on the compiler and its place; what it answers
// does not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { load } from "../dist/index.js";

const assets = new URL("../../crates/shoal-collector/assets/", import.meta.url);
const dist = new URL("../dist/", import.meta.url);
const stale = "run `node build.mjs --collector` and commit crates/shoal-collector/assets";
const vectors = readFileSync(new URL("../../vectors/clients.tsv", import.meta.url), "utf8").trim().split("\n")
  .map((line) => line.split("\t"));

test("the collector has the wrapper as it is", () => {
  assert.ok(readFileSync(new URL("device.js", assets)).equals(readFileSync(new URL("index.js", dist))), stale);
});

/** A device, or the code by which the module refuses the design. */
function opened(shoal, design) {
  try {
    return shoal.open(design);
  } catch (error) {
    return error.code;
  }
}

/** Everything that a module answers for the designs of the vectors, with the same bytes instead of randomness. */
async function answers(folder) {
  const module = await WebAssembly.compile(readFileSync(new URL("shoal_device.wasm", folder)));
  const border = (entries) => entries.map(({ name, kind }) => `${kind} ${name}`).sort();
  const shoal = await load(module);
  const random = globalThis.crypto.getRandomValues;
  let state = 1n;
  globalThis.crypto.getRandomValues = (bytes) => {
    for (let i = 0; i < bytes.length; i += 1) {
      state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
      bytes[i] = Number(state >> 56n);
    }
    return bytes;
  };
  try {
    const said = vectors.map(([name, design, values, day]) => {
      const record = values.split(",").map(Number);
      const device = opened(shoal, design);
      // Some designs protect nobody: both refuse them, with the same code.
      if (typeof device === "string") return { name, refused: device };
      const { about, promise } = device;
      const report = Buffer.from(device.report(record, { day: Number(day) })).toString("hex");
      const cloud = Buffer.from(device.simulate(record, 20).buffer).toString("hex");
      const ledger = device.ledger;
      device.free();
      return { name, about, promise, report, cloud, ledger };
    });
    return { imports: border(WebAssembly.Module.imports(module)), exports: border(WebAssembly.Module.exports(module)), said };
  } finally {
    globalThis.crypto.getRandomValues = random;
  }
}

test("the module of the collector answers as the one that the sources make", async () => {
  const [built, kept] = [await answers(dist), await answers(assets)];
  const reports = built.said.filter(({ report }) => report).map(({ report }) => report);
  assert.ok(reports.length >= 40 && new Set(reports).size === reports.length, `${reports.length} reports`);
  assert.deepEqual(kept, built, stale);
});
