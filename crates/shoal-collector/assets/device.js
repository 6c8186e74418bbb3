// @shoal/device: Shoal's device in WebAssembly. Everything that decides about privacy is in the module; this file moves
// texts and numbers across its border. See index.d.ts for what each function does.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Why the device refused. `code` stays the same between versions. */
export class ShoalError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "ShoalError";
    this.code = code;
  }
}

const ways = { once: 0, same: 1, fresh: 2 };
/** crypto.getRandomValues gives at most this many bytes at a time. */
const MOST_RANDOM = 65_536;

/** Bytes of the module: given, fetched, or next to this file. */
async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof Response) return WebAssembly.compile(await source.arrayBuffer());
  const url = new URL(source ?? "./shoal_device.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new ShoalError("module-not-found", `${url.pathname} cannot be loaded (status ${answer.status})`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export async function load(source) {
  const module = await moduleOf(source);
  let memory;
  const random = (start, length) => {
    try {
      const bytes = new Uint8Array(memory.buffer, start, length);
      for (let at = 0; at < length; at += MOST_RANDOM) {
        globalThis.crypto.getRandomValues(bytes.subarray(at, Math.min(at + MOST_RANDOM, length)));
      }
      return 0;
    } catch {
      return 1;
    }
  };
  const { exports } = await WebAssembly.instantiate(module, { shoal: { random } });
  memory = exports.memory;
  return new Shoal(exports);
}

/** The loaded module. */
class Shoal {
  #exports;

  constructor(exports) {
    this.#exports = exports;
  }

  open(design, { limits = {}, ledger = "" } = {}) {
    const text = typeof design === "string" ? design : JSON.stringify(design);
    const named = {
      any_two_records: limits.anyTwoRecords, unit_of_distance: limits.unitOfDistance, total: limits.total,
      digest: limits.digest, exact_noise: limits.exactNoise,
    };
    for (const name of ["any_two_records", "unit_of_distance", "total"]) {
      if (typeof named[name] === "number") named[name] = String(named[name]);
    }
    const border = new Border(this.#exports);
    try {
      const place = border.room(4);
      border.call("shoal_device_open", ...border.text(text), ...border.text(JSON.stringify(named)), ...border.text(ledger), place);
      const handle = new DataView(this.#exports.memory.buffer).getUint32(place, true);
      return new Device(this.#exports, handle);
    } finally {
      border.close();
    }
  }
}

class Device {
  #exports;
  #handle;

  constructor(exports, handle) {
    this.#exports = exports;
    this.#handle = handle;
  }

  /** Calls a function of the device, and copies its answer. */
  #call(name, ...more) {
    const border = new Border(this.#exports);
    try {
      const args = more.flatMap((part) => (part instanceof Float64Array ? border.numbers(part) : [part]));
      return border.call(name, this.#handle, ...args);
    } finally {
      border.close();
    }
  }

  get about() {
    return JSON.parse(decoder.decode(this.#call("shoal_device_about")));
  }

  get promise() {
    return decoder.decode(this.#call("shoal_device_promise"));
  }

  get ledger() {
    return decoder.decode(this.#call("shoal_device_ledger"));
  }

  report(values, { repeat = "once", most = 1, day = Math.floor(Date.now() / 86_400_000) } = {}) {
    if (!Object.hasOwn(ways, repeat)) {
      throw new ShoalError("client-repeat", `"${repeat}" is no way to repeat reports; give "once", "same" or "fresh"`);
    }
    return this.#call("shoal_device_report", Float64Array.from(values), day, ways[repeat], most);
  }

  simulate(values, count) {
    const bytes = this.#call("shoal_device_simulate", Float64Array.from(values), count);
    return new Float64Array(bytes.buffer);
  }

  free() {
    this.#exports.shoal_device_free(this.#handle);
    this.#handle = 0;
  }
}

/** Memory of the module that one call needs. */
class Border {
  #exports;
  #rooms = [];

  constructor(exports) {
    this.#exports = exports;
  }

  room(length) {
    const start = this.#exports.shoal_allocate(length);
    if (start === 0) throw new ShoalError("out-of-memory", "the page has no memory left for the device");
    this.#rooms.push([start, length]);
    return start;
  }

  text(text) {
    const bytes = encoder.encode(text);
    const start = this.room(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, start, bytes.length).set(bytes);
    return [start, bytes.length];
  }

  numbers(values) {
    const start = this.room(8 * values.length);
    new Float64Array(this.#exports.memory.buffer, start, values.length).set(values);
    return [start, values.length];
  }

  call(name, ...args) {
    const status = this.#exports[name](...args);
    const start = this.#exports.shoal_result();
    const answer = new Uint8Array(this.#exports.memory.buffer, start, this.#exports.shoal_result_length()).slice();
    if (status === 0) return answer;
    const { code, message } = JSON.parse(decoder.decode(answer));
    throw new ShoalError(code, message);
  }

  close() {
    for (const [start, length] of this.#rooms) this.#exports.shoal_release(start, length);
    this.#rooms = [];
  }
}
