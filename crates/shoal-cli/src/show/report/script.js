"use strict";
// Lets the reader choose the two attributes of the map. Places come from the JSON beside it; the rules for badges are
// those of the static drawing, for the real width of the frame.
(() => {
  const map = document.getElementById("map");
  if (!map) return;
  const { attributes, radii } = JSON.parse(document.getElementById("places").textContent);
  const pickX = document.getElementById("pick-x");
  const pickY = document.getElementById("pick-y");
  const pc = (share) => (share * 100).toFixed(2) + "%";
  const set = (element, values) => {
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  };

  const badgeOffsets = (points, width, height) => {
    const placed = [];
    return points.map(([x, y], i) => {
      let best = { cost: Infinity };
      for (let step = 0; step < 32; step++) {
        const ring = Math.floor(step / 8);
        const turn = step % 8;
        const angle = ((turn - 1) * Math.PI) / 4;
        const distance = Math.max(radii[i], 15) + 14 * ring;
        const dx = distance * Math.cos(angle);
        const dy = distance * Math.sin(angle);
        const near = (limit) => ([px, py]) => Math.hypot(px - x - dx, py - y - dy) < limit;
        const outside = x + dx < 6 || y + dy < 6 || x + dx > width - 6 || y + dy > height - 6;
        const cost =
          100 * placed.filter(near(19)).length + 8 * points.filter(near(13)).length + (outside ? 60 : 0) + 3 * ring + 0.1 * turn;
        if (cost < best.cost) best = { cost, dx, dy };
      }
      placed.push([x + best.dx, y + best.dy]);
      return best;
    });
  };

  const draw = () => {
    const a = pickX ? Number(pickX.value) : 0;
    const b = pickY ? Number(pickY.value) : 1;
    const [across, up] = [attributes[a], attributes[b]];
    document.getElementById("name-x").textContent = across.name;
    document.getElementById("name-y").textContent = up.name;
    map.setAttribute(
      "aria-label",
      `Map of ${radii.length} cluster centres: ${across.name} across, ${up.name} up. The table below has the values.`,
    );
    for (const axis of map.querySelectorAll("[data-axis]")) {
      axis.style.display = axis.dataset.axis === "x" + a || axis.dataset.axis === "y" + b ? "" : "none";
    }
    const { width, height } = map.getBoundingClientRect();
    const points = radii.map((_, c) => [across.spots[c][0] * width, (1 - up.spots[c][0]) * height]);
    const offsets = badgeOffsets(points, width, height);
    for (const band of map.querySelectorAll("[data-band]")) {
      const c = Number(band.dataset.band);
      const [x, rx] = across.spots[c];
      const [upwards, ry] = up.spots[c];
      const y = 1 - upwards;
      const [ellipse, level, plumb] = band.children;
      set(ellipse, { cx: pc(x), cy: pc(y), rx: pc(rx), ry: pc(ry) });
      set(level, { x1: pc(x - rx), x2: pc(x + rx), y1: pc(y), y2: pc(y) });
      set(plumb, { x1: pc(x), x2: pc(x), y1: pc(y - ry), y2: pc(y + ry) });
    }
    for (const place of map.querySelectorAll("[data-at]")) {
      const c = Number(place.dataset.at);
      set(place, { x: pc(across.spots[c][0]), y: pc(1 - up.spots[c][0]) });
      const badge = place.querySelector("g");
      if (badge) {
        const { dx, dy } = offsets[c];
        badge.setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
        const tied = Math.hypot(dx, dy) > Math.max(radii[c], 15) + 1;
        set(place.querySelector("line"), { x2: tied ? dx.toFixed(1) : 0, y2: tied ? dy.toFixed(1) : 0 });
      }
    }
  };

  if (pickX) {
    document.querySelector(".chooser").hidden = false;
    pickX.addEventListener("change", draw);
    pickY.addEventListener("change", draw);
  }
  window.addEventListener("resize", draw);
  draw();
})();
