// A tiny server for the tests of the survey page: the page, the package, and one collection in memory.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";

const root = new URL("..", import.meta.url);
/** The page is the collector's; here it meets a collector that can be told to fail. */
const page = new URL("../crates/shoal-collector/assets/", root);

export const design = {
  version: 1, identifier: "sport-2026", mechanism: { name: "bpm", radius_steps: 65534 }, epsilon: "8", sampler: "exact",
  columns: ["age", "sport hours a month", "sleep hours"], bounds: [[16, 100], [0, 50], [4, 12]], steps: 65534,
};
const model = {
  collection: "sport-2026", version: 1, columns: design.columns, bounds: design.bounds, reports: 20000,
  clusters: [
    { number: 1, center: [24.1, 30.2, 8.1], share: 0.49 },
    { number: 2, center: [47, 9.1, 6.9], share: 0.305 },
    { number: 3, center: [72.2, 20.1, 7.4], share: 0.205 },
  ],
};
const promise = { public: { text: "Whoever sees the clusters learns next to nothing.", amplified: true, conditions: ["only results are seen"] } };
const types = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", wasm: "application/wasm" };
/** What the collector's pages are served with. */
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/** Starts on a free port. `bodies` are the reports that came, `fails` lets the next ones fail. */
export async function start() {
  const state = { bodies: [], fails: 0, enough: false };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const json = (status, value) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    try {
      if (pathname === "/v1/collections/sport-2026") return json(200, { design, opens: null, closes: "2027-01-31T00:00:00Z", minimum: 100, state: "open", enrolment: "open", promise });
      if (pathname === "/v1/collections/sport-2026/model") return state.enough ? json(200, model) : json(404, { error: { code: "no-model-yet" } });
      if (pathname === "/v1/collections/sport-2026/reports" && request.method === "POST") {
        const parts = [];
        for await (const part of request) parts.push(part);
        if (state.fails-- > 0) return request.socket.destroy();
        const body = Buffer.concat(parts);
        const known = state.bodies.some((other) => other.equals(body));
        if (!known) state.bodies.push(body);
        state.media = request.headers["content-type"];
        return json(200, { accepted: known ? 0 : 1, repeated: known ? 1 : 0, rejected: [] });
      }
      const name = pathname.startsWith("/collect/") ? "survey.html" : pathname.replace("/assets/", "");
      const place = { "survey.html": page, "survey.js": page, "survey.css": page }[name] ?? new URL("dist/", root);
      const file = name === "device.js" ? "index.js" : name;
      if (!/^[a-z_]+\.[a-z]+$/.test(file)) return json(404, { error: { code: "not-found" } });
      const body = await readFile(new URL(file, place));
      response.writeHead(200, { "content-type": types[file.split(".").pop()], "content-security-policy": policy });
      response.end(body);
    } catch {
      json(404, { error: { code: "not-found" } });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { state, address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
