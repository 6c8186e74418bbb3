// The collector in a real browser: node --test test/collector.browser.mjs. An operator creates a collection, a person answers it,
// a crowd does, and clusters appear. Needs the program (SHOAL, or target/debug/shoal), dist/, Chromium (CHROMIUM, or
// /usr/bin/chromium) and `npm install --no-save playwright-core`. With SHOTS=FOLDER it leaves pictures.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { load } from "../dist/index.js";

const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url));
const program = process.env.SHOAL ?? join(target, "debug", "shoal");
const folder = mkdtempSync(join(tmpdir(), "shoal-collector-"));
const faults = [];
let server;
let addresses;
let browser;

/** Starts the server on free ports and waits until it says where. */
async function serve() {
  server = spawn(program, ["serve", "--data", folder, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    server.stderr.on("data", (text) => {
      said += text;
      const [reports, operator] = [/reports go to (http:\/\/\S+)/, /operator:\s+(http:\/\/\S+\/)/].map((words) => words.exec(said)?.[1]);
      if (reports && operator) resolve({ reports, operator });
    });
  });
}

before(async () => {
  addresses = await serve();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  if (server && server.exitCode === null) {
    const ended = new Promise((resolve) => { server.removeAllListeners("exit").once("exit", resolve); });
    server.kill("SIGTERM");
    assert.equal(await ended, 0, "the server ends well");
  }
  rmSync(folder, { recursive: true, force: true });
});

async function opened(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && !/status of 40[014]/.test(message.text()) && faults.push(message.text()));
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(address);
  return { page, context };
}

const key = () => readFileSync(join(folder, "operator.key"), "utf8").trim();

async function enter(page, text = key()) {
  await page.locator("#key").fill(text);
  await page.locator("#key-form button").click();
}

/** Reports of other people's devices: two groups. */
async function crowd(address, count) {
  const shoal = await load();
  const { design } = await (await fetch(address)).json();
  const made = [];
  for (let person = 0; person < count; person += 1) {
    const device = shoal.open(design);
    made.push(Buffer.from(device.report(person % 3 === 0 ? [70, 10] : [25, 38])));
    device.free();
  }
  const headers = { "content-type": "application/vnd.shoal.reports" };
  const answer = await fetch(`${address}/reports`, { method: "POST", headers, body: Buffer.concat(made) });
  assert.deepEqual(await answer.json(), { accepted: count, repeated: 0, rejected: [] });
}

const says = (page, id, words) => page.waitForFunction(
  ([id, words]) => document.getElementById(id)?.textContent.includes(words), [id, words], { timeout: 60_000 });

/** Pictures at two widths in both themes, and a look whether anything sticks out. */
async function shots(name, address, ready) {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, context } = await opened(address, { viewport: { width, height }, colorScheme });
      await ready(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name}: ${wide} pixels on ${width}`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      await context.close();
    }
  }
}

test("from an empty server to clusters", async () => {
  const { page: operator } = await opened(addresses.operator);
  await enter(operator, "a wrong key");
  await says(operator, "status", "not the key");
  await enter(operator);
  await says(operator, "list", "None yet");
  await shots("empty", addresses.operator, (page) => enter(page).then(() => page.locator("#new summary").click()));

  // What makes no sense is refused in words.
  await operator.locator("#new summary").click();
  await operator.locator("#new-id").fill("sport");
  await operator.locator("#new-bounds").fill("age=16:100,hours");
  await operator.locator("#new-epsilon").fill("8");
  await operator.locator("#new-k").fill("2");
  await operator.locator("#new-minimum").fill("600");
  await operator.locator("#create-form button").click();
  await says(operator, "status", "hours");
  await operator.locator("#new-bounds").fill("age=16:100,hours=0:50");
  await operator.locator("#create-form button").click();
  await says(operator, "one-title", "sport");
  await says(operator, "model-line", "None yet");
  await says(operator, "forecast", "600");
  await says(operator, "promise", "If someone is unsure");
  await says(operator, "promise-public", "hides among at least 600");

  // A person answers on the survey page.
  const survey = await operator.locator("#survey-link a").getAttribute("href");
  assert.equal(survey, `${addresses.reports}/collect/sport`);
  const { page: person } = await opened(survey);
  await person.locator("#survey").waitFor();
  await says(person, "public-text", "which of two records");
  await person.locator("#value-0").fill("24");
  await person.locator("#value-1").fill("39");
  await person.locator("#agree").check();
  await person.locator("#send").click();
  await says(person, "thanks", "has arrived");
  await says(person, "nearest", "not enough reports yet");
  await says(operator, "list", "1 reports");

  // So do others, and clusters appear by themselves.
  await crowd(`${addresses.reports}/v1/collections/sport`, 599);
  await says(operator, "model-line", "Version 1 from 600 reports");
  assert.equal(await operator.locator("#clusters tbody tr").count(), 2);
  assert.ok(await operator.locator("#picture circle").count() >= 4);
  await says(operator, "promise-conditions", "only results are seen");
  await person.reload();
  await person.locator("tr.mine").waitFor();
  await says(person, "nearest", "you are nearest to cluster");

  // Something that is refused is counted; a few more reports wait for company.
  await crowd(`${addresses.reports}/v1/collections/sport`, 30);
  await fetch(`${addresses.reports}/v1/collections/sport/reports`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  await says(operator, "refused", "body could not be read");
  await says(operator, "numbers", "30");
  await operator.getByRole("button", { name: "Cluster again" }).click();
  await says(operator, "status", "so that none stands out");
  const file = operator.waitForEvent("download");
  await operator.getByRole("button", { name: "Report page" }).click();
  assert.equal((await file).suggestedFilename(), "sport.html");

  await shots("operator", `${addresses.operator}#sport`, async (page) => { await enter(page); await page.locator("#clusters tbody tr").first().waitFor(); });
  await shots("survey", survey, (page) => page.locator("#cloud circle").first().waitFor());

  await operator.getByRole("button", { name: "Close" }).click();
  await says(operator, "one-state", "closed");
  await person.reload();
  await says(person, "status", "closed");
  assert.deepEqual(faults, []);
});
