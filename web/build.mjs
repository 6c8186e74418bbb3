// Builds the package with cargo and Node and nothing else: dist/ is what is published.
// With --tape, test/tape.wasm is made as well: the module with the entry for tests, which is never published.
// With --collector, the module and its wrapper are put where the collector builds them in.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const target = "wasm32-unknown-unknown";
// Of its own, because its flags would make other builds start again.
const folder = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "web");
/** Bytes that the module, the wrapper and the types should have together when compressed, and must not exceed. */
const GOAL_BYTES = 100_000;
const MOST_BYTES = 250_000;

/** Flags by which the module does not depend on the machine that built it, so that anybody can build the same one. */
function portable() {
  const cargo = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const sources = join(cargo, "registry", "src");
  const registries = existsSync(sources) ? readdirSync(sources).sort() : [];
  return [...registries.map((name) => [join(sources, name), "crates"]), [join(here, ".."), "shoal"]]
    .map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

function build(features, to) {
  const args = ["rustc", "--locked", "-p", "shoal-device-c", "--lib", "--target", target, "--profile", "small",
    "--crate-type", "cdylib", "--target-dir", folder, ...features];
  // The page gives the randomness: see crates/shoal-device-c/src/wasm.rs.
  const flags = ["--cfg", 'getrandom_backend="custom"', ...portable()];
  const env = { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f") };
  execFileSync("cargo", args, { cwd: root, env, stdio: "inherit" });
  copyFileSync(join(folder, target, "small", "shoal_device_c.wasm"), to);
}

const dist = join(here, "dist");
mkdirSync(dist, { recursive: true });
if (process.argv.includes("--tape")) {
  build(["--features", "tape"], join(here, "test", "tape.wasm"));
}
build([], join(dist, "shoal_device.wasm"));
for (const file of ["index.js", "index.d.ts", "tokens.js", "tokens.d.ts"]) copyFileSync(join(here, "src", file), join(dist, file));

const files = ["shoal_device.wasm", "index.js", "index.d.ts", "tokens.js", "tokens.d.ts"].map((name) => join(dist, name));
const sizes = files.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
const all = sizes.reduce((a, b) => a + b, 0);
console.log(`dist/: ${sizes[0]} bytes of WebAssembly, ${all} in all (compressed)`);
if (all > GOAL_BYTES) console.log(`that is more than the goal of ${GOAL_BYTES}`);
if (all > MOST_BYTES) throw new Error(`the package has ${all} bytes compressed, more than ${MOST_BYTES}`);

if (process.argv.includes("--collector")) {
  const assets = join(root, "crates", "shoal-collector", "assets");
  copyFileSync(join(dist, "shoal_device.wasm"), join(assets, "shoal_device.wasm"));
  copyFileSync(join(dist, "index.js"), join(assets, "device.js"));
}
