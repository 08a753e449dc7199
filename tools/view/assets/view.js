// What the page of a recorded heap does: the slider over time, the colours of cells, reading them off, files of figures.
(() => {
  const { all, one, save, csv, data } = page;
  const { heaps, moments, asked, classes, curves, sizes, lifetimes, pairs } = data();
  const BY = ["size", "age", "thread", "site"].slice(0, classes.length);
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const NEVER = 0xffff, FREE = 0xfffe;

  // Each cell of a moment in 15 bits: site, fill, size, age, thread; without sites the first are 0.
  const decoded = (heap) => {
    let before = new Uint16Array(heap.columns * heap.addresses.length).fill(NEVER);
    return heap.moments.map((text) => before = after(before, text, heap.letters));
  };
  const after = (before, text, letters) => {
    const now = before.slice();
    for (let at = 0, i = 0; at < text.length;) {
      const sign = text[at];
      if (sign === "=" || sign === "-" || sign === "~") {
        const end = text.indexOf(".", at);
        const n = Number(text.slice(at + 1, end));
        if (sign !== "=") now.fill(sign === "-" ? FREE : NEVER, i, i + n);
        i += n;
        at = end + 1;
      } else {
        const site = letters > 2 ? LETTERS.indexOf(text[at + 2]) : 0;
        now[i++] = site << 12 | LETTERS.indexOf(sign) << 6 | LETTERS.indexOf(text[at + 1]);
        at += letters;
      }
    }
    return now;
  };
  const part = [(c) => c >> 6 & 7, (c) => c >> 3 & 7, (c) => c & 7, (c) => c >> 12 & 7];
  const fill = (c) => (c >> 9 & 7) + 1;

  const slider = one("#moment");
  const sides = heaps.map((heap, i) => {
    const grid = one(`[data-cells="${i}"]`);
    return { heap, grid, cells: decoded(heap), bars: all("path[data-class]", grid), said: one(`#side${i}`) };
  });
  const by = () => BY.indexOf(one("input[name=by]:checked").value);
  const drawSide = ({ heap, cells, bars }) => {
    const now = cells[slider.value], classOf = part[by()];
    const drawn = bars.map(() => []);
    const high = heap.row - 2, wide = heap.cell - 1;
    for (let i = 0; i < now.length; i++) {
      if (now[i] >= FREE) continue;
      const x = heap.left + i % heap.columns * heap.cell;
      const y = heap.tops[i / heap.columns | 0] + high;
      drawn[classOf(now[i])].push(`M${x} ${y}h${wide}v-${fill(now[i]) * high / 8}h-${wide}Z`);
    }
    bars.forEach((bar) => bar.setAttribute("d", drawn[bar.dataset.class].join("")));
  };
  const draw = () => {
    sides.forEach(drawSide);
    sides.forEach(({ said }, i) => { if (said) said.textContent = moments[slider.value].sides[i]; });
    one("#said").textContent = moments[slider.value].words;
    one("#by-site")?.replaceChildren(...moments[slider.value].sites.map((row) => {
      const tr = document.createElement("tr");
      tr.append(...row.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return tr;
    }));
    point();
  };
  const name = () => all("#classes li").forEach((li, i) => {
    li.style.display = classes[by()][i] ? "" : "none";
    li.lastChild.textContent = classes[by()][i];
  });

  // The moment in the curve; a click there chooses one.
  const NS = "http://www.w3.org/2000/svg";
  const svg = one("svg[data-curve]");
  const line = svg?.appendChild(document.createElementNS(NS, "path"));
  line?.setAttribute("class", "cross");
  line?.setAttribute("stroke-width", "2");
  const x = svg?.dataset.x.split(",").slice(0, 4).map(Number);
  const y = svg?.dataset.y.split(",").slice(0, 2).map(Number);
  const point = () => {
    if (!svg) return;
    const at = x[0] + (moments[slider.value].seconds - x[2]) / (x[3] - x[2]) * (x[1] - x[0]);
    line.setAttribute("d", `M${at} ${y[0]}L${at} ${y[1]}`);
  };
  svg?.addEventListener("click", (e) => {
    const box = svg.getBoundingClientRect();
    const pixel = (e.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
    const seconds = x[2] + (pixel - x[0]) / (x[1] - x[0]) * (x[3] - x[2]);
    to(moments.findLastIndex((m) => m.seconds <= seconds));
  });

  let playing;
  const stop = () => { clearInterval(playing); playing = undefined; one("[data-to=play]").textContent = "play"; };
  const to = (at) => { slider.value = Math.max(0, at); draw(); };
  const play = () => {
    if (playing) return stop();
    if (Number(slider.value) === moments.length - 1) to(0);
    one("[data-to=play]").textContent = "stop";
    playing = setInterval(() => {
      if (Number(slider.value) === moments.length - 1) return stop();
      to(Number(slider.value) + 1);
    }, 60);
  };
  slider.addEventListener("input", () => { stop(); draw(); });
  all("button[data-to]").forEach((b) => b.addEventListener("click", () =>
    b.dataset.to === "play" ? play() : (stop(), to(Number(b.dataset.to)))));
  all("input[name=by]").forEach((r) => r.addEventListener("change", () => { name(); draw(); }));

  // Reading off a cell.
  const tip = one("#tip");
  const readOff = ({ heap, grid, cells }) => (e) => {
    const box = grid.getBoundingClientRect(), scale = grid.viewBox.baseVal.width / box.width;
    const column = Math.floor(((e.clientX - box.left) * scale - heap.left) / heap.cell);
    const row = heap.tops.findLastIndex((top) => top <= (e.clientY - box.top) * scale);
    if (row < 0 || column < 0 || column >= heap.columns) { tip.hidden = true; return; }
    const cell = cells[slider.value][row * heap.columns + column];
    const address = BigInt(`0x${heap.addresses[row]}`) + (BigInt(column) << BigInt(heap.shift));
    const facts = cell === NEVER ? [["not used until now", ""]] : cell === FREE ? [["free, was used", ""]] : [
      ["full", `${["under 13", "13–25", "25–38", "38–50", "50–63", "63–75", "75–88", "over 87"][fill(cell) - 1]} %`],
      ...BY.map((what, i) => [what, classes[i][part[i](cell)]])];
    tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: `0x${address.toString(16)}` }),
      ...facts.map((fact) => {
        const div = document.createElement("div");
        div.append(...fact.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
        return div;
      }));
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(e.clientX + 16, innerWidth - size.width - 4))}px`;
    tip.style.top = `${Math.max(4, Math.min(e.clientY + 12, innerHeight - size.height - 4))}px`;
  };
  sides.forEach((side) => {
    side.grid.addEventListener("pointerleave", () => { tip.hidden = true; });
    side.grid.addEventListener("pointermove", readOff(side));
  });

  // Files of figures.
  const table = ({ rows, columns, blocks, bytes }, row, column) => [[row, column, "blocks", "bytes"],
    ...rows.flatMap((r, i) => columns.map((c, j) => [r, c, blocks[i][j], bytes[i][j]]))];
  const files = {
    curve: () => [["heap", "seconds", "live", "resident", "above_start"],
      ...curves.flatMap(({ name, points }) => points.map((point) => [name, ...point]))],
    sizes: () => [["size", "allocated", "freed"], ...sizes],
    lifetimes: () => table(lifetimes, "size", "lived_for"),
    threads: () => table(pairs, "allocated_by", "freed_by"),
  };
  all("button[data-kind]").forEach((b) => b.addEventListener("click", () =>
    save(`${b.dataset.file}.csv`, "text/csv", csv(files[b.dataset.kind]()))));
  slider.value = asked;
  draw();
})();
