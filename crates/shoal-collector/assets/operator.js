// The operator's page. It asks the server it came from, with the key in a header, and draws what it gets.
// Everything from the server is set as text, never as markup.
const $ = (id) => document.getElementById(id);
const NS = "http://www.w3.org/2000/svg";
const EVERY = 2000;
let key = sessionStorage.getItem("shoal-key") ?? "";
let chosen = decodeURIComponent(location.hash.slice(1));
let shownVersion = null;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
const whole = (number) => Math.round(number).toLocaleString("en");
const about = (number) => whole(Number(Number(number).toPrecision(2)));
function short(number) {
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return number.toExponential(2);
  return number.toLocaleString("en", { maximumFractionDigits: size >= 100 ? 1 : size >= 1 ? 2 : 4 });
}

class Refused extends Error {
  constructor(status, code, message) { super(message); this.status = status; this.code = code; }
}
async function ask(path, options = {}) {
  const headers = { authorization: `Bearer ${key}`, ...options.headers };
  const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (answer.ok) return answer;
  let error = {};
  try { error = (await answer.json()).error ?? {}; } catch { /* no JSON: the status has to do */ }
  throw new Refused(answer.status, error.code ?? "", error.message ?? `the server answered ${answer.status}`);
}
function say(text) { $("status").textContent = text; }

function enter(needed) {
  $("entry").hidden = !needed;
  $("all").hidden = needed;
  $("leave").hidden = needed;
  if (needed) $("key").focus();
}
$("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  key = $("key").value.trim();
  $("key").value = "";
  sessionStorage.setItem("shoal-key", key);
  refresh();
});
$("leave").addEventListener("click", () => {
  sessionStorage.removeItem("shoal-key");
  key = "";
  say("");
  enter(true);
});

$("create-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const wanted = {
    id: form.get("id").trim(), bounds: form.get("bounds").trim(), epsilon: form.get("epsilon").trim(),
    k: form.get("k").trim(), minimum: Number(form.get("minimum")),
  };
  if (form.get("closes")) wanted.closes = `${form.get("closes")}:00Z`;
  try {
    const made = await (await ask("/v1/collections", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wanted),
    })).json();
    event.target.reset();
    $("new").open = false;
    choose(made.id);
    say(`${made.id} is there`);
  } catch (error) { say(error.message); }
});

function choose(id) {
  chosen = id;
  shownVersion = null;
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  refresh();
}

function showList(all) {
  const list = $("list");
  const focused = document.activeElement?.dataset?.id;
  list.replaceChildren(...all.map((one) => {
    const button = element("button", { type: "button", "aria-pressed": String(one.id === chosen), "data-id": one.id },
      element("strong", {}, one.id), element("span", {}, `${one.state}, ${whole(one.reports)} reports`));
    button.addEventListener("click", () => choose(one.id));
    return element("li", {}, button);
  }));
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  if (all.length === 0) list.append(element("li", { class: "notice" }, "None yet."));
}

function number(name, value) { return [element("dt", {}, name), element("dd", {}, value)]; }

function day(text) {
  const time = new Date(text), now = new Date();
  const near = time - now < 36e5 * 20;
  return near
    ? time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : time.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}
function expected(one) {
  const { waiting_for: waitingFor, needed, missing, at, target } = one.forecast;
  const percent = `±${Math.round(100 * target)} %`;
  if (waitingFor === "first-clusters") {
    const clusters = `Clusters appear from ${whole(needed)} reports on`;
    if (missing === 0) return "Enough reports: the first clusters are being computed.";
    if (one.state !== "open") return `${clusters}; ${whole(missing)} are missing and the collection is ${one.state}.`;
    return at ? `${clusters}: at this rate, ${when(at)}.` : `${clusters}; ${whole(missing)} are missing, and none arrive at the moment.`;
  }
  if (needed === null) return "Some clusters come and go when the noise is drawn again. More reports are needed; how many cannot be foreseen.";
  if (missing === 0) return `Centres are within ${percent} of each column’s range, or will be in the next model.`;
  const more = `Centres within ${percent} of each column’s range need about ${about(needed)} reports`;
  if (one.state !== "open") return `${more}; the collection is ${one.state}.`;
  return at ? `${more}: at this rate, ${when(at)}.` : `${more}; none arrive at the moment.`;
}
function when(at) {
  if (new Date(at) - new Date() > 36e5 * 24 * 3650) return "in more than ten years";
  return (new Date(at) - new Date() < 36e5 * 20 ? "at about " : "on ") + day(at);
}

function showArrivals(one) {
  // Six slices of ten seconds make a minute.
  const minutes = [];
  for (let i = 0; i < one.arrivals.counts.length; i += 6) {
    minutes.push(one.arrivals.counts.slice(i, i + 6).reduce((a, b) => a + b, 0));
  }
  const most = Math.max(1, ...minutes), width = 600, height = 90, step = width / minutes.length;
  const bars = minutes.map((count, i) => {
    const tall = count / most * (height - 4);
    return shape("rect", { class: "bar", x: i * step + 1, y: height - tall, width: Math.max(1, step - 2), height: tall });
  });
  const label = `Reports in each of the last 60 minutes; the most in one minute: ${whole(most)}`;
  const some = minutes.some((count) => count > 0);
  $("arrivals").replaceChildren(
    shape("svg", { class: "bars", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      shape("line", { class: "axis", x1: 0, x2: width, y1: height, y2: height }), ...bars),
    element("div", { class: "ends", "aria-hidden": "true" }, element("span", {}, "an hour ago"),
      element("span", {}, some ? `most in a minute: ${whole(most)}` : "none arrived"), element("span", {}, "now")));
}

const REASONS = {
  "other-design-of-report": "made under another design", "other-columns-of-report": "not one value for each column",
  "impossible-report": "cannot have come from the mechanism", "too-old": "made too long ago", "too-early": "made in the future",
  "not-open-yet": "sent before the opening", closed: "sent after the end", malformed: "body could not be read",
  "media-type": "body of another kind", "too-large": "body too large", "too-slow": "body came too slowly",
  "cut-off": "body was cut off", busy: "no room at that moment", storage: "store did not take it",
};
function showRefused(one) {
  const rows = Object.entries(one.refused).sort((a, b) => b[1] - a[1]);
  if (one.repeated > 0) rows.push(["repeated", one.repeated]);
  if (rows.length === 0) return $("refused").replaceChildren(element("p", { class: "notice" }, "Nothing was refused."));
  $("refused").replaceChildren(element("table", { class: "words" }, element("tbody", {}, ...rows.map(([code, count]) => element("tr", {},
    element("td", {}, code === "repeated" ? "sent again, counted once" : REASONS[code] ?? code), element("td", {}, whole(count)))))));
}

const colour = (number) => `var(--c${(number - 1) % 8})`;

// One line for each column: its range, the centres on it, and their intervals.
function strips(model) {
  const width = 360, left = 4, right = width - 4, high = 32;
  const rows = model.columns.map((name, i) => {
    const [lo, hi] = model.bounds[i], top = 34 + i * (high + 26);
    const x = (value) => left + (Math.min(hi, Math.max(lo, value)) - lo) / (hi - lo) * (right - left);
    const marks = model.clusters.map((cluster, j) => {
      const y = top + 5 + (j + .5) * (high - 10) / model.clusters.length, interval = cluster.intervals[i];
      const group = shape("g", { stroke: colour(cluster.number), fill: colour(cluster.number) });
      if (interval) group.append(shape("line", { x1: x(interval[0]), x2: x(interval[1]), y1: y, y2: y, "stroke-width": 3, "stroke-linecap": "round", opacity: .55 }));
      const dot = { cx: x(cluster.center[i]), cy: y, r: 4.5 };
      group.append(shape("circle", interval ? dot : { ...dot, fill: "none", "stroke-width": 1.5, "stroke-dasharray": "2 2" }));
      return group;
    });
    return [shape("text", { x: left, y: top - 4 }, `${name}`),
      shape("text", { x: right, y: top - 4, "text-anchor": "end" }, `${short(lo)} to ${short(hi)}`),
      shape("rect", { x: left, y: top, width: right - left, height: high, rx: 4, fill: "none", class: "axis" }), ...marks];
  });
  const height = 34 + model.columns.length * (high + 26) - 16;
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Centres and their intervals, column by column; the table below has the numbers" }, ...rows.flat());
}
function scatter(model) {
  const size = 340, edge = 26, [[xlo, xhi], [ylo, yhi]] = model.bounds;
  const at = (value, lo, hi) => Math.min(1, Math.max(0, (value - lo) / (hi - lo)));
  const x = (value) => edge + at(value, xlo, xhi) * (size - 2 * edge), y = (value) => size - edge - at(value, ylo, yhi) * (size - 2 * edge);
  const marks = model.clusters.map((cluster) => {
    const group = shape("g", { stroke: colour(cluster.number), fill: colour(cluster.number) }), [cx, cy] = cluster.center, [ix, iy] = cluster.intervals;
    if (ix && iy) {
      group.append(shape("rect", { x: x(ix[0]), y: y(iy[1]), width: Math.max(1, x(ix[1]) - x(ix[0])), height: Math.max(1, y(iy[0]) - y(iy[1])), "fill-opacity": .15, rx: 3 }));
    }
    group.append(shape("circle", { cx: x(cx), cy: y(cy), r: 7 + 7 * Math.sqrt(cluster.share ?? 0), "fill-opacity": ix && iy ? .75 : 0, "stroke-dasharray": ix && iy ? "none" : "3 3" }));
    group.append(shape("text", { x: x(cx), y: y(cy) + 4, "text-anchor": "middle", stroke: "none", class: "mark" }, String(cluster.number)));
    return group;
  });
  return shape("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `Centres by ${model.columns[0]} and ${model.columns[1]}; the table below has the numbers` },
    shape("rect", { x: edge, y: edge, width: size - 2 * edge, height: size - 2 * edge, fill: "none", class: "axis" }), ...marks,
    shape("text", { x: size / 2, y: size - 6, "text-anchor": "middle" }, `${model.columns[0]} (${short(xlo)} to ${short(xhi)})`),
    shape("text", { x: 12, y: size / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${size / 2})` }, `${model.columns[1]} (${short(ylo)} to ${short(yhi)})`));
}
function showModel(model, plusMinus) {
  const made = new Date(model.made).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const widest = plusMinus === null ? "" : `; centres within ±${(100 * plusMinus).toFixed(plusMinus < .01 ? 2 : 1)} % of each range at 95 % confidence`;
  $("model-line").textContent = `Version ${model.version} from ${whole(model.reports)} reports, ${made}${widest}.`;
  const pictures = element("div", { class: "pictures" });
  if (model.columns.length > 1) pictures.append(scatter(model));
  pictures.append(strips(model));
  $("picture").replaceChildren(pictures);
  const head = element("tr", {}, ...["cluster", "share", ...model.columns].map((name) => element("th", { scope: "col" }, name)));
  const rows = model.clusters.map((cluster) => element("tr", {},
    element("td", {}, dot(cluster.number), `${cluster.number}`, ...(cluster.reliance && cluster.reliance !== "stable" ? [element("br"), element("small", {}, cluster.reliance)] : [])),
    element("td", {}, cluster.share === null ? "–" : `${Math.round(100 * cluster.share)} %`),
    ...cluster.center.map((value, i) => {
      const interval = cluster.intervals[i];
      const range = interval ? `${short(interval[0])} to ${short(interval[1])}` : "not reproducible";
      return element("td", {}, short(value), element("br"), element("small", {}, range));
    })));
  $("clusters").replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
  $("notes").replaceChildren(...model.notes.map((note) => element("p", { class: "notice" }, element("strong", {}, `${note.title}: `), note.text)));
}
function dot(number) {
  const made = shape("svg", { class: "dot", viewBox: "0 0 10 10", "aria-hidden": "true" }, shape("circle", { cx: 5, cy: 5, r: 5, fill: colour(number) }));
  return made;
}

async function download(path, name) {
  try {
    const content = await (await ask(path)).blob();
    const address = URL.createObjectURL(content);
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  } catch (error) { say(error.message); }
}
async function act(path, method, done) {
  try { await ask(path, { method }); say(done); refresh(); } catch (error) { say(error.message); }
}
function again(one) {
  const { fresh, minimum } = one;
  if (fresh === 0 || fresh >= minimum) return "a new model is being computed";
  return `${whole(fresh)} reports came since the last model; the next one is made when there are ${whole(minimum)}, so that none stands out`;
}
function showButtons(one) {
  const base = `/v1/collections/${one.id}`, place = $("buttons");
  const state = `${one.id} ${one.state} ${one.model !== null} ${one.reports > 0} ${one.fresh}`;
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  const button = (words, kind, work, off = false) => {
    const made = element("button", { type: "button", class: kind }, words);
    made.disabled = off;
    made.addEventListener("click", work);
    return made;
  };
  const none = one.model === null;
  place.replaceChildren(
    button("Report page", "quiet", () => download(`${base}/models/newest/report`, `${one.id}.html`), none),
    button("model.json", "quiet", () => download(`${base}/models/newest`, `${one.id}-model.json`), none),
    button("Reports (Parquet)", "quiet", () => download(`${base}/reports.parquet`, `${one.id}-reports.parquet`), one.reports === 0),
    button("Cluster again", "quiet", () => act(`${base}/refit`, "POST", again(one)), none),
    button("Close", "danger", () => confirm(`Close ${one.id} for good? It takes no more reports.`) && act(`${base}/close`, "POST", `${one.id} is closed`), one.state === "closed"),
    button("Delete", "danger", () => {
      if (prompt(`Delete ${one.id} with all reports and models? Type its name.`) !== one.id) return;
      act(base, "DELETE", `${one.id} is deleted`);
      chosen = "";
    }),
  );
}

async function showOne(one) {
  $("one").hidden = false;
  $("one-title").textContent = one.id;
  $("one-state").textContent = one.state;
  $("one-state").className = `state ${one.state}`;
  $("numbers").replaceChildren(
    ...[["reports", whole(one.reports)], ["per second", short(one.rate)], ["in no model yet", whole(one.fresh)], ["needed for a model", whole(one.minimum)], ["ε per report", one.design.epsilon], ...(one.robust ? [["left out", whole(one.left_out)]] : []), ["closes", one.closes ? day(one.closes) : "by hand"]]
      .map(([name, value]) => element("div", {}, ...number(name, value))));
  $("forecast").textContent = expected(one);
  $("promise").textContent = one.promise.text;
  showPublicPromise(one);
  if ($("survey-link").dataset.to !== one.survey) {
    $("survey-link").dataset.to = one.survey;
    $("survey-link").replaceChildren("People answer at ", element("a", { href: one.survey, target: "_blank", rel: "noopener" }, one.survey), ", or at the address that your proxy has for it.");
  }
  showArrivals(one);
  showRefused(one);
  showButtons(one);
  if (one.model === null) {
    shownVersion = null;
    $("model-line").textContent = "None yet.";
    for (const id of ["picture", "clusters", "notes"]) $(id).replaceChildren();
  } else if (shownVersion !== `${one.id} ${one.model.version}`) {
    const model = await (await ask(`/v1/collections/${one.id}/model`)).json();
    showModel(model, one.model.plus_minus);
    shownVersion = `${one.id} ${one.model.version}`;
  }
}

// What the newest model promises, or before there is one, what the first will: in the library's words.
function showPublicPromise(one) {
  const { public: told } = one.model?.promise ?? one.promise;
  const among = told && `Each report hides among at least ${whole(told.hidden_among)}, over all versions of the model together${told.amplified ? "" : "; at this ε, so few add nothing to what one report promises between any two records"}. `;
  $("promise-public").textContent = told ? among + told.text : "At least what is promised towards you. More is known with the first model: reports are deleted by the day, and each day counts by itself.";
  $("promise-if").hidden = !told;
  $("promise-conditions").replaceChildren(...(told?.conditions ?? []).map((text) => element("li", {}, text)));
}

let timer = 0;
async function refresh() {
  clearTimeout(timer);
  if (key === "") return enter(true);
  try {
    const { collections } = await (await ask("/v1/collections")).json();
    enter(false);
    if (!collections.some((one) => one.id === chosen)) chosen = collections[0]?.id ?? "";
    showList(collections);
    const one = collections.find((one) => one.id === chosen);
    if (one) await showOne(one); else $("one").hidden = true;
    if ($("status").textContent.startsWith("The server")) say("");
  } catch (error) {
    if (error.status === 401) {
      sessionStorage.removeItem("shoal-key");
      key = "";
      enter(true);
      say("That is not the key of this server.");
      return;
    }
    say(error instanceof Refused ? error.message : "The server does not answer; trying again.");
  }
  timer = setTimeout(refresh, document.hidden ? 5 * EVERY : EVERY);
}
refresh();
