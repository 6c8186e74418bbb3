// The package as an app uses it, and the vectors that all clients share. Run by `npm test`, which builds first.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { load, ShoalError } from "../dist/index.js";

const read = (path) => readFileSync(new URL(path, import.meta.url));
const vectors = read("../../vectors/clients.tsv").toString().trim().split("\n").map((line) => line.split("\t"));
const design = vectors.find(([name]) => name === "laplace/0")[1];
const record = [30, 40, 0];
const shoal = await load();

/** A report as the wire format describes it, written a second time. */
function encoded(digest, id, day, steps) {
  const varint = (n) => {
    const bytes = [];
    for (; n >= 128n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
    return [...bytes, Number(n)];
  };
  const zigzag = (n) => (n < 0n ? -2n * n - 1n : 2n * n);
  return Buffer.from([0x53, 1, ...Buffer.from(digest.slice(0, 16), "hex"), ...varint(BigInt(steps.length)), ...varint(1n),
    ...id, ...varint(BigInt(day)), ...steps.flatMap((x) => varint(zigzag(BigInt(x))))]);
}

test("with the same tape the module makes the same report, byte for byte", async () => {
  const module = await WebAssembly.compile(read("./tape.wasm"));
  const random = () => assert.fail("randomness was asked for");
  const { exports: device } = await WebAssembly.instantiate(module, { shoal: { random } });
  const put = (bytes) => {
    const start = device.shoal_allocate(bytes.length);
    new Uint8Array(device.memory.buffer, start, bytes.length).set(bytes);
    return start;
  };
  for (const [name, text, values, day, tape, expected] of vectors) {
    const given = [Buffer.from(text), Buffer.from(Float64Array.from(values.split(","), Number).buffer), Buffer.from(tape, "hex")];
    const [a, b, c] = given.map(put);
    const status = device.shoal_tape_report(a, given[0].length, b, given[1].length / 8, Number(day), c, given[2].length);
    const answer = Buffer.from(device.memory.buffer, device.shoal_result(), device.shoal_result_length());
    assert.equal(status, 0, name);
    assert.equal(answer.toString("hex"), expected, name);
    assert.equal(device.shoal_tape_used(), given[2].length, name);
  }
  assert.ok(vectors.length >= 50);
});

test("the vectors are those of devices, in the wire format", () => {
  const folder = new URL("../../vectors/device/", import.meta.url);
  let cases = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const vector = JSON.parse(readFileSync(new URL(file, folder)));
    vector.cases.forEach(({ tape, read, report }, number) => {
      const line = vectors.find(([name]) => name === `${file.slice(0, -5)}/${number}`);
      const id = Buffer.from(tape, "hex").subarray(read, read + 16);
      assert.equal(encoded(report.design, id, 20500 + number, report.steps).toString("hex"), line[5], line[0]);
      cases += 1;
    });
  }
  assert.equal(cases, vectors.length);
});

test("the published module has no entry for tapes and asks for nothing but randomness", async () => {
  const module = await WebAssembly.compile(read("../dist/shoal_device.wasm"));
  assert.deepEqual(WebAssembly.Module.exports(module).map(({ name }) => name).filter((name) => name.includes("tape")), []);
  assert.deepEqual(WebAssembly.Module.imports(module), [{ module: "shoal", name: "random", kind: "function" }]);
});

test("a report is made once, again, or afresh, and the ledger knows", () => {
  const device = shoal.open(design);
  const { about } = device;
  assert.deepEqual(about.columns[0], { name: "age", lower: 17, upper: 90 });
  assert.equal(about.reports, 0);
  assert.match(device.promise, /^If someone is unsure/);
  const sent = device.report(record);
  assert.deepEqual([...sent.subarray(0, 2)], [0x53, 1]);
  assert.ok(sent.length < 64);
  assert.throws(() => device.report(record), { code: "already-answered" });
  const later = shoal.open(JSON.parse(design), { ledger: device.ledger });
  assert.throws(() => later.report(record), { code: "already-answered" });
  assert.deepEqual(later.report(record, { repeat: "same" }), sent);
  assert.notDeepEqual(later.report(record, { repeat: "fresh", most: 2 }), sent);
  assert.throws(() => later.report(record, { repeat: "fresh", most: 2 }), { code: "already-answered" });
  assert.equal(later.about.reports, 2);
  assert.match(later.about.of_all_reports.conditions.join(), /no further reports/);
  device.free();
  assert.throws(() => device.report(record), { code: "client-null-pointer" });
});

test("limits hold and mistakes are named", () => {
  const refused = (limits, code) => assert.throws(() => shoal.open(design, { limits }), { name: "ShoalError", code });
  refused({ anyTwoRecords: 0.001 }, "over-limit");
  refused({ unitOfDistance: "1/1000" }, "over-limit");
  refused({ digest: "00" }, "other-design");
  refused({ total: "much" }, "client-limit");
  shoal.open(design, { limits: { anyTwoRecords: 1000, total: 1000, exactNoise: true } }).free();
  assert.throws(() => shoal.open("{}"), { code: "design-unreadable" });
  assert.throws(() => shoal.open(design, { ledger: "{}" }), { code: "device-ledger-unreadable" });
  const device = shoal.open(design);
  assert.throws(() => device.report([1, 2]), { code: "wrong-length" });
  assert.throws(() => device.report([1, NaN, 2]), { code: "not-a-number" });
  assert.throws(() => device.report([1, Infinity, 2]), { code: "infinite" });
  assert.throws(() => device.report(record, { repeat: "often" }), ShoalError);
  const unsound = vectors.find(([name]) => name === "bpgm/0")[1];
  assert.throws(() => shoal.open(unsound), { code: "no-guarantee" });
});

test("randomness is the page's, and fresh for every device", async () => {
  const asked = [];
  const original = crypto.getRandomValues;
  crypto.getRandomValues = (bytes) => { asked.push(bytes.length); return original.call(crypto, bytes); };
  try {
    const own = await load(read("../dist/shoal_device.wasm"));
    own.open(design).report(record);
    own.open(design).report(record);
  } finally {
    crypto.getRandomValues = original;
  }
  assert.deepEqual(asked, [32, 32]);
  crypto.getRandomValues = () => { throw new Error("none"); };
  try {
    assert.throws(() => shoal.open(design), { code: "noise" });
  } finally {
    crypto.getRandomValues = original;
  }
});

test("what could be sent is spread around the record", () => {
  const device = shoal.open(design, { limits: {} });
  const count = 4000;
  const cloud = device.simulate(record, count);
  assert.equal(cloud.length, 3 * count);
  const ages = cloud.filter((_, i) => i % 3 === 0).sort();
  const scale = 73 * 3 / Number(device.about.epsilon);
  assert.ok(Math.abs(ages[count / 2] - 30) < scale / 5, `median ${ages[count / 2]}`);
  // Laplace: half of the reports are within scale · ln 2.
  const near = ages.filter((age) => Math.abs(age - 30) < scale * Math.LN2).length / count;
  assert.ok(Math.abs(near - 0.5) < 0.05, `${near}`);
  assert.equal(device.about.reports, 0, "nothing was counted");
});
