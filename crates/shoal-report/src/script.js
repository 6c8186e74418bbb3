"use strict";
// Lets the reader choose the two columns of the map, its extent, and whether doubtful clusters are drawn. Places come
// from the JSON next to it; the rules for badges are those of the static drawing, for the real width of the frame.
(() => {
  const map = document.getElementById("map");
  if (!map) return;
  const { columns, clusters } = JSON.parse(document.getElementById("places").textContent);
  const pick = (id) => document.getElementById(id);
  const [pickX, pickY, full, doubtful] = ["pick-x", "pick-y", "full", "doubtful"].map(pick);
  const pc = (share) => (share * 100).toFixed(2) + "%";
  const set = (element, values) => {
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  };

  const badgeOffsets = (points, width, height) => {
    const placed = [];
    return points.map(([x, y]) => {
      let best = { cost: Infinity };
      for (let step = 0; step < 32; step++) {
        const ring = Math.floor(step / 8);
        const turn = step % 8;
        const angle = ((turn - 1) * Math.PI) / 4;
        const distance = 16 + 14 * ring;
        const dx = distance * Math.cos(angle);
        const dy = distance * Math.sin(angle);
        const near = (limit) => ([px, py]) => Math.hypot(px - x - dx, py - y - dy) < limit;
        const outside = x + dx < 10 || y + dy < 10 || x + dx > width - 10 || y + dy > height - 10;
        const cost =
          100 * placed.filter(near(21)).length + 8 * points.filter(near(14)).length + (outside ? 60 : 0) + 3 * ring + 0.1 * turn;
        if (cost < best.cost) best = { cost, dx, dy };
      }
      placed.push([x + best.dx, y + best.dy]);
      return best;
    });
  };

  const draw = () => {
    const a = pickX ? Number(pickX.value) : 0;
    const b = pickY ? Number(pickY.value) : 1;
    const view = full.checked ? "full" : "zoomed";
    const letter = full.checked ? "f" : "z";
    const [across, up] = [columns[a], columns[b]];
    document.getElementById("name-x").textContent = across.name;
    document.getElementById("name-y").textContent = up.name;
    map.classList.toggle("all", Boolean(doubtful && doubtful.checked));
    map.setAttribute(
      "aria-label",
      `Map of cluster centres: ${across.name} horizontal, ${up.name} vertical. The table has the values.`,
    );
    for (const axis of map.querySelectorAll("[data-axis]")) {
      axis.style.display = axis.dataset.axis === "x" + a + letter || axis.dataset.axis === "y" + b + letter ? "" : "none";
    }
    const { width, height } = map.getBoundingClientRect();
    const points = Array.from({ length: clusters }, (_, c) => [across[view][c][0] * width, (1 - up[view][c][0]) * height]);
    const offsets = badgeOffsets(points, width, height);
    for (const body of map.querySelectorAll("[data-body]")) {
      const c = Number(body.dataset.body);
      const [x, left, right, west, east] = across[view][c];
      const [y, low, high, south, north] = up[view][c];
      const [ellipse, box, dot] = body.children;
      set(ellipse, { cx: pc((west + east) / 2), cy: pc(1 - (south + north) / 2), rx: pc((east - west) / 2), ry: pc((north - south) / 2) });
      set(box, { x: pc(left), y: pc(1 - high), width: pc(right - left), height: pc(high - low) });
      set(dot, { cx: pc(x), cy: pc(1 - y) });
    }
    for (const place of map.querySelectorAll("[data-at]")) {
      const c = Number(place.dataset.at);
      set(place, { x: pc(across[view][c][0]), y: pc(1 - up[view][c][0]) });
      const { dx, dy } = offsets[c];
      place.querySelector("g").setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
      set(place.querySelector("line"), { x2: dx.toFixed(1), y2: dy.toFixed(1) });
    }
  };

  document.querySelector(".chooser").hidden = false;
  for (const control of [pickX, pickY, full, doubtful]) {
    if (control) control.addEventListener("change", draw);
  }
  window.addEventListener("resize", draw);
  draw();
})();
