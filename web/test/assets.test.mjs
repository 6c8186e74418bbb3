// The collector has the package built in, so that the program can be built without Node. What it has must be what the sources
// make: `node build.mjs --collector` puts it there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const assets = new URL("../../crates/shoal-collector/assets/", import.meta.url);
const dist = new URL("../dist/", import.meta.url);
const stale = "run `node build.mjs --collector` and commit crates/shoal-collector/assets";

test("the collector has the wrapper as it is", () => {
  assert.ok(readFileSync(new URL("device.js", assets)).equals(readFileSync(new URL("index.js", dist))), stale);
});

test("the collector has the module that the sources make", (t) => {
  const compiler = readFileSync(new URL("compiler.txt", assets), "utf8");
  const module = readFileSync(new URL("shoal_device.wasm", assets));
  assert.ok(WebAssembly.validate(module));
  const here = execFileSync("rustc", ["--version"], { encoding: "utf8" });
  if (here !== compiler) return t.skip(`made with ${compiler.trim()}, and this is ${here.trim()}`);
  assert.ok(module.equals(readFileSync(new URL("shoal_device.wasm", dist))), stale);
});
