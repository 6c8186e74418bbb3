// A survey on which people see what their report would reveal before they send it. All that concerns privacy is done by
// the device in WebAssembly (device.js); the person's values never leave this page.
import { load } from "/assets/device.js";

const $ = (id) => document.getElementById(id);
const collection = decodeURIComponent(location.pathname.split("/").filter(Boolean).pop() ?? "");
const address = `/v1/collections/${encodeURIComponent(collection)}`;
/** Where this browser keeps what it has sent, for all surveys of this site. */
const LEDGER = "shoal.ledger";
const POINTS = 500;
const SVG = "http://www.w3.org/2000/svg";

let device;
let columns = [];
let values = [];
let cloud = new Float64Array();
let model = null;

function show(element, text) {
  element.textContent = text;
  element.hidden = text === "";
}

/** A number with the digits that a range of this width deserves. */
function pretty(value, width) {
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(width))));
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

function fail(message) {
  show($("problem"), message);
  if ($("survey").hidden) $("status").textContent = "The survey cannot be shown";
}

/** What the collector answered, or an error in words. */
async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const said = body.error?.message ?? "";
  throw new Error(`The collector refused (status ${response.status}). ${said}`);
}

function readLedger() {
  return localStorage.getItem(LEDGER) ?? "";
}

async function start() {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  if (response.status === 404) throw new Error(`There is no survey called “${collection}” here. Check the link.`);
  const { design, state, closes, minimum, enrolment, promise: told } = await answerOf(response);
  const shoal = await load("/assets/shoal_device.wasm");
  device = shoal.open(design, { ledger: readLedger() });
  const about = device.about;
  columns = about.columns;
  values = columns.map(({ lower, upper }) => (lower + upper) / 2);
  $("title").textContent = about.identifier ?? collection;
  document.title = `${about.identifier ?? collection} – survey`;
  const open = state === "open" && enrolment === "open";
  const through = enrolment === "tokens" ? "takes reports with a token only, which its app fetches" : "takes reports through another server only";
  const why = state === "open" ? through : `is ${state}: reports are not accepted`;
  $("status").textContent = open ? `Open survey${until(closes)}` : `This survey ${why}`;
  const mechanism = `mechanism ${about.mechanism}, ε = ${about.epsilon}`;
  $("design").textContent = `Design: ${mechanism}, digest ${about.digest}. ` +
    (minimum ? `Nothing is computed from fewer than ${Number(minimum).toLocaleString()} reports.` : "");
  sliders();
  axes();
  promise(about.guarantees, told?.public);
  $("survey").hidden = false;
  redraw();
  if (!open) {
    $("agree").disabled = true;
    fail(`This survey ${why}.`);
  }
  if (about.reports > 0) answered("You have answered this survey already, from this browser.");
}

function until(closes) {
  const date = typeof closes === "number" ? new Date(closes * 1000) : new Date(closes ?? "");
  return Number.isNaN(date.getTime()) ? "" : ` until ${date.toLocaleDateString()}`;
}

function sliders() {
  columns.forEach(({ name, lower, upper }, i) => {
    const width = upper - lower;
    const step = 10 ** Math.floor(Math.log10(width / 100));
    const row = document.createElement("div");
    row.className = "slider";
    const [top, ends, label] = ["div", "div", "label"].map((tag) => document.createElement(tag));
    const [number, range] = ["number", "range"].map((type) => Object.assign(document.createElement("input"),
      { type, min: lower, max: upper, step: type === "range" ? step : "any", value: values[i] }));
    top.className = "top";
    ends.className = "ends";
    number.id = `value-${i}`;
    label.htmlFor = number.id;
    label.textContent = name;
    range.setAttribute("aria-label", name);
    number.value = String(Number(values[i].toPrecision(6)));
    ends.append(...[lower, upper].map((end) => Object.assign(document.createElement("span"), { textContent: pretty(end, width) })));
    range.addEventListener("input", () => { number.value = range.value; changed(i, range.valueAsNumber); });
    number.addEventListener("input", () => {
      if (Number.isFinite(number.valueAsNumber)) { range.value = number.value; changed(i, number.valueAsNumber); }
    });
    top.append(label, number);
    row.append(top, range, ends);
    $("sliders").append(row);
  });
}

let waiting = 0;
function changed(i, value) {
  values[i] = Math.min(Math.max(value, columns[i].lower), columns[i].upper);
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(redraw);
}

function axes() {
  for (const [id, chosen] of [["across", 0], ["up", 1]]) {
    columns.forEach(({ name }, i) => $(id).append(new Option(name, i, i === chosen, i === chosen)));
    $(id).addEventListener("change", draw);
  }
  $("axes").hidden = columns.length < 3;
}

function redraw() {
  cloud = device.simulate(values, POINTS);
  draw();
  nearest();
}

/** The middle 98 % of what could be sent, and the bounds: most of the cloud, without its farthest points. */
function extent(i) {
  const all = Array.from(cloud).filter((_, at) => at % columns.length === i).sort((a, b) => a - b);
  const { lower, upper } = columns[i];
  const low = Math.min(lower, all[Math.floor(0.01 * all.length)]);
  const high = Math.max(upper, all[Math.floor(0.99 * all.length)]);
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function draw() {
  const across = Number($("across").value);
  const up = columns.length > 1 ? Number($("up").value) : -1;
  const [left, right, top, bottom] = [12, 388, 24, 272];
  const [fromX, toX] = extent(across);
  const [fromY, toY] = up < 0 ? [0, 1] : extent(up);
  const x = (value) => left + ((value - fromX) / (toX - fromX)) * (right - left);
  const y = (value) => bottom - ((value - fromY) / (toY - fromY)) * (bottom - top);
  const parts = [element("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top, rx: 6 })];
  const box = columns[across];
  const [low, high] = up < 0 ? [0.02, 0.98] : [columns[up].lower, columns[up].upper];
  parts.push(element("rect", { class: "allowed", x: x(box.lower), y: y(high), width: x(box.upper) - x(box.lower), height: y(low) - y(high) }));
  // With one column the height says nothing: points are spread so that they can be seen.
  const height = (values, at) => (up < 0 ? 0.1 + 0.8 * ((at * 0.618) % 1) : values[up]);
  let beyond = 0;
  for (let at = 0; at < cloud.length / columns.length; at += 1) {
    const point = cloud.subarray(at * columns.length, (at + 1) * columns.length);
    const [px, py] = [x(point[across]), y(height(point, at))];
    if (px < left || px > right || py < top || py > bottom) beyond += 1;
    else parts.push(element("circle", { class: "noisy", cx: px.toFixed(1), cy: py.toFixed(1), r: 2.6 }));
  }
  for (const { number, center } of model?.clusters ?? []) {
    const [px, py] = [x(center[across]), y(up < 0 ? 0.5 : center[up])];
    parts.push(element("circle", { class: "centre", cx: px, cy: py, r: 9 }));
    parts.push(element("text", { class: "number", x: px, y: py + 4, "text-anchor": "middle" }, String(number)));
  }
  parts.push(element("circle", { class: "true", cx: x(values[across]), cy: y(up < 0 ? 0.5 : values[up]), r: 7 }));
  parts.push(element("text", { x: right - 2, y: 292, "text-anchor": "end" }, `${box.name} →`));
  if (up >= 0) parts.push(element("text", { x: left + 2, y: top - 8 }, `↑ ${columns[up].name}`));
  $("cloud").replaceChildren(...parts);
  $("cloud-hint").textContent = `${POINTS} reports that your device might send for these values, drawn by the device itself; one ` +
    `like them is sent. The dashed frame is the range of the survey` + (beyond > 0 ? `; ${beyond} points are farther out.` : ".");
}

/** What a report can reveal to the collector, in the device's own words, and what clusters can reveal, in the collector's. */
function promise(guarantees, towardsPublic) {
  $("promise").replaceChildren(...guarantees.map(({ plain, loss }) => {
    const words = document.createElement("p");
    const about = loss.includes("per unit") ? "Records that are close to each other" : "Any two records, however far apart";
    words.append(Object.assign(document.createElement("strong"), { textContent: about }), plain);
    return words;
  }));
  $("public").hidden = !towardsPublic;
  if (towardsPublic) {
    const few = towardsPublic.amplified ? "" : "Reports of others add nothing to this at so large an ε and so few reports: it is what one report promises. ";
    $("public-text").textContent = few + towardsPublic.text;
    $("public-conditions").replaceChildren(...towardsPublic.conditions.map((text) =>
      Object.assign(document.createElement("li"), { textContent: text })));
  }
  const weakest = guarantees.some(({ strength }) => strength === "very-weak") ? "almost no" : "little";
  show($("weak"), guarantees.every(({ strength }) => strength === "usual") ? "" :
    `This design leaves ${weakest} doubt about people whose values are far apart. Think twice before you answer.`);
  $("formal").replaceChildren(...guarantees.map(({ formal, conditions }) => {
    const part = document.createElement("div");
    const [words, list] = ["p", "ul"].map((tag) => document.createElement(tag));
    words.textContent = `${formal} This holds if:`;
    list.append(...conditions.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    part.append(words, list);
    return part;
  }));
}

async function send(repeat) {
  $("send").disabled = true;
  $("again").disabled = true;
  show($("problem"), "");
  try {
    const body = device.report(values, { repeat });
    // Stored before anything leaves: what may have been sent is never forgotten.
    localStorage.setItem(LEDGER, device.ledger);
    const response = await fetch(`${address}/reports`, {
      method: "POST", headers: { "content-type": "application/vnd.shoal.reports" }, body, credentials: "omit",
    });
    const { accepted = 0, repeated = 0, rejected = [] } = await answerOf(response);
    if (accepted + repeated === 0) {
      const codes = rejected.map(({ code }) => code).join(", ");
      throw new Error(`The collector did not take the report (${codes}). It is not counted.`);
    }
    answered(accepted > 0 ? "Thank you. Your noisy report has arrived." : "Your report had arrived before, and counts once.", body.length);
  } catch (error) {
    fail(`${error.message} Your values have not left this page.`);
    if (device.about.reports > 0) answered("");
    else $("send").disabled = !$("agree").checked;
  }
}

function answered(words, bytes) {
  $("ask").hidden = true;
  $("after").hidden = false;
  show($("thanks"), words);
  const about = device.about;
  const all = about.of_all_reports;
  $("sent").textContent = (bytes ? `${bytes} bytes were sent. ` : "") +
    (all ? `What all reports from this browser, together, can reveal: ${all.loss} between any two records.` : "");
  $("again").hidden = words !== "";
  $("again").disabled = false;
  fetchModel();
}

let looking = false;
async function fetchModel() {
  if (looking) return;
  looking = true;
  try {
    $("result").hidden = false;
    const response = await fetch(`${address}/model`, { headers: { accept: "application/json" } });
    if (response.status === 404) {
      $("nearest").textContent = "There are not enough reports yet to find clusters. This page looks again every ten seconds.";
      return;
    }
    model = await answerOf(response);
    $("centre-key").hidden = false;
    draw();
    nearest();
  } catch (error) {
    $("nearest").textContent = error.message;
  } finally {
    looking = false;
    if (!model) setTimeout(() => document.hidden || fetchModel(), 10_000);
  }
}

/** The cluster whose centre is nearest to the true values, where the range of every column counts as one. */
function nearest() {
  if (!model || model.clusters.length === 0) return;
  const { clusters } = model;
  const distance = ({ center }) => Math.hypot(...columns.map(({ lower, upper }, i) => (center[i] - values[i]) / (upper - lower)));
  const mine = clusters.map(distance).reduce((best, d, i, all) => (d < all[best] ? i : best), 0);
  $("nearest").textContent = `With your true values you are nearest to cluster ${clusters[mine].number} of ${clusters.length}. ` +
    "This was computed here, in your browser; nobody else knows.";
  const shared = clusters.every(({ share }) => typeof share === "number");
  const head = ["Cluster", ...(shared ? ["share"] : []), ...columns.map(({ name }) => name)];
  const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const rows = clusters.map(({ number, center, share }, i) => {
    const row = document.createElement("tr");
    row.className = i === mine ? "mine" : "";
    const texts = center.map((value, j) => pretty(value, columns[j].upper - columns[j].lower));
    const shown = shared ? [`${Math.round(100 * share)} %`] : [];
    row.append(...[i === mine ? `${number} (you)` : `${number}`, ...shown, ...texts].map((text) => cell("td", text)));
    return row;
  });
  const top = document.createElement("tr");
  top.append(...head.map((text) => cell("th", text)));
  $("clusters").replaceChildren(top, ...rows);
  $("result-hint").textContent = `Found in ${model.reports.toLocaleString()} noisy reports. Sliders show where other values would lead.`;
}

$("form").addEventListener("submit", (event) => event.preventDefault());
$("agree").addEventListener("change", () => { $("send").disabled = !$("agree").checked; });
$("send").addEventListener("click", () => send("once"));
$("again").addEventListener("click", () => send("same"));
start().catch((error) => fail(error.message));
