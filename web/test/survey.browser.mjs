// The survey page in a real browser: node --test test/survey.browser.mjs. Needs Chromium (CHROMIUM, or /usr/bin/chromium) and
// `npm install --no-save playwright-core`. With SHOTS=FOLDER it leaves pictures in both themes and two widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { start } from "./server.mjs";

let server;
let browser;
before(async () => {
  server = await start();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && !message.text().includes("404") && faults.push(message.text()));
  await page.goto(`${server.address}/collect/sport-2026`);
  await page.locator("#survey").waitFor();
  return { page, context, faults };
}

const text = (page, id) => page.locator(`#${id}`).textContent();

test("a person sees what would be sent, agrees, sends once, and learns their cluster", async () => {
  const { page, faults } = await opened();
  assert.match(await text(page, "promise"), /If someone is unsure/);
  assert.match(await text(page, "formal"), /ε = 8 per unit of/);
  assert.match(await text(page, "public"), /Whoever sees the clusters/);
  assert.equal(await page.locator("#sliders .slider").count(), 3);
  const cloud = await page.locator("#cloud circle.noisy").count();
  assert.ok(cloud > 400 && cloud <= 500, `${cloud} points`);
  // The point follows the slider.
  const before = await page.locator("#cloud circle.true").getAttribute("cx");
  await page.locator("#value-0").fill("23");
  await page.locator("#value-1").fill("31");
  await page.waitForFunction((x) => document.querySelector("#cloud circle.true").getAttribute("cx") !== x, before);
  // Nothing is sent without consent.
  assert.ok(await page.locator("#send").isDisabled());
  assert.equal(server.state.bodies.length, 0);
  server.state.enough = false;
  await page.locator("#agree").check();
  await page.locator("#send").click();
  await page.locator("#thanks").waitFor();
  assert.match(await text(page, "thanks"), /has arrived/);
  assert.equal(server.state.bodies.length, 1);
  assert.equal(server.state.media, "application/vnd.shoal.reports");
  assert.ok(server.state.bodies[0].length < 64);
  assert.match(await text(page, "nearest"), /not enough reports yet/);
  // After a reload the browser remembers.
  server.state.enough = true;
  await page.reload();
  await page.locator("#thanks").waitFor();
  assert.match(await text(page, "thanks"), /already/);
  assert.ok(await page.locator("#ask").isHidden());
  await page.locator("tr.mine").waitFor();
  await page.locator("#value-0").fill("70");
  await page.locator("#value-1").fill("20");
  await page.waitForFunction(() => document.querySelector("#nearest").textContent.includes("cluster 3 of 3"));
  assert.equal(server.state.bodies.length, 1);
  assert.deepEqual(faults, []);
});

test("a report that may not have arrived is sent again as it was, and counts once", async () => {
  const { page } = await opened();
  const count = server.state.bodies.length;
  server.state.fails = 1;
  await page.locator("#agree").check();
  await page.locator("#send").click();
  await page.locator("#again").waitFor();
  assert.match(await text(page, "problem"), /not left this page/);
  assert.equal(server.state.bodies.length, count);
  await page.locator("#again").click();
  await page.locator("#thanks").waitFor();
  assert.equal(server.state.bodies.length, count + 1);
});

test("a survey that is not there is named", async () => {
  const page = await browser.newPage();
  await page.goto(`${server.address}/collect/other`);
  await page.locator("#problem").waitFor();
  assert.match(await text(page, "problem"), /no survey called “other”/);
  assert.ok(await page.locator("#survey").isHidden());
});

test("it fits on a phone, in both themes", async () => {
  server.state.enough = true;
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, context } = await opened({ viewport: { width, height }, colorScheme });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels on ${width}`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/before-${width}-${colorScheme}.png`, fullPage: true });
      await page.locator("#agree").check();
      await page.locator("#send").click();
      await page.locator("tr.mine").waitFor();
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/after-${width}-${colorScheme}.png`, fullPage: true });
      await context.close();
    }
  }
});
