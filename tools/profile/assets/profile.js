// What the page of a profile does: the icicle of functions by a cost that is chosen, going into one, searching.
(() => {
  const { all, one, save, csv, data } = page;
  const { costs, colours, labels, nodes, curve, chosen } = data();
  const [PARENT, LABEL, COLOUR, VALUES] = [0, 1, 2, 3];
  const ROW = 19, LEAST = 1.5;

  const size = (v) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (v >= 1024 && unit < 4) { v /= 1024; unit++; }
    return `${unit ? v.toPrecision(3) : Math.round(v)} ${units[unit]}`;
  };
  const share = (v) => `${(100 * v).toFixed(v < .1 ? 1 : 0)}\u00a0%`;

  // A tree: each node [parent, label, colour, values], and its children.
  const grown = (list) => {
    const below = list.map(() => []);
    list.forEach((node, at) => { if (at) below[node[PARENT]].push(at); });
    return { list, below };
  };
  const down = grown(nodes);
  // The same from the functions that allocate to their callers: what each node has itself goes along its callers.
  let up;
  const inverted = () => {
    if (up) return up;
    const own = nodes.map((node) => node[VALUES].map((v) => v.slice(0, 2)));
    nodes.forEach((node, at) => { if (at) node[VALUES].forEach((v, c) => { for (const i of [0, 1]) own[node[PARENT]][c][i] -= v[i]; }); });
    const list = [[0, 0, nodes[0][COLOUR], nodes[0][VALUES]]], places = new Map();
    nodes.forEach((node, at) => {
      if (!at || own[at].every(([bytes]) => bytes < 1)) return;
      let parent = 0;
      for (let from = at; from; from = nodes[from][PARENT]) {
        const key = `${parent} ${nodes[from][LABEL]}`;
        if (!places.has(key)) {
          places.set(key, list.length);
          list.push([parent, nodes[from][LABEL], nodes[from][COLOUR], costs.map(() => [0, 0, 0, 0])]);
        }
        parent = places.get(key);
        own[at].forEach((v, c) => {
          const sum = list[parent][VALUES][c];
          sum[0] += Math.max(0, v[0]);
          sum[1] += Math.max(0, v[1]);
        });
      }
    });
    return up = grown(list);
  };

  const flame = one("#flame"), said = one("#flame-said"), choice = one("#cost"), find = one("#find"), upside = one("#inverted");
  costs.forEach((name, at) => choice.add(new Option(name, at, at === chosen, at === chosen)));
  one("#flame-plain").hidden = true;

  let tree = down, into = 0;
  const bytes = (at) => tree.list[at][VALUES][choice.value][0];
  const words = (at) => {
    const [name, file, module] = labels[tree.list[at][LABEL]];
    const [sum, blocks, low, high] = tree.list[at][VALUES][choice.value];
    const all = bytes(0) || 1;
    const where = [file, module].filter(Boolean).join(", in ");
    return `${name}${where ? ` (${where})` : ""}: ${size(sum)} ${costs[choice.value]}${high > low ? `, between ${size(low)} and ${size(high)}` : ""}; ${share(sum / all)} of all, in ${Math.round(blocks).toLocaleString("en")} blocks`;
  };
  const matches = (at, text) => labels[tree.list[at][LABEL]].some((word) => word.toLowerCase().includes(text));

  const draw = () => {
    const wide = flame.clientWidth || 1000;
    const text = find.value.trim().toLowerCase();
    const bars = [];
    let deepest = 0;
    const bar = (at, x, width, row, isAbove) => {
      bars.push({ at, x, width, row, isAbove });
      deepest = Math.max(deepest, row);
    };
    const path = [];
    for (let at = into; at; at = tree.list[at][PARENT]) path.unshift(at);
    path.unshift(0);
    if (into === 0) path.length = 1;
    path.forEach((at, row) => bar(at, 0, wide, row, at !== into));
    const rest = [{ at: into, x: 0, width: wide, row: path.length - 1 }];
    while (rest.length) {
      const { at, x, width, row } = rest.pop();
      const whole = bytes(at);
      if (whole <= 0) continue;
      let left = x;
      for (const child of tree.below[at].slice().sort((a, b) => bytes(b) - bytes(a))) {
        const part = width * bytes(child) / whole;
        if (part < LEAST) break;
        bar(child, left, part, row + 1, false);
        rest.push({ at: child, x: left, width: part, row: row + 1 });
        left += part;
      }
    }
    flame.style.height = `${(deepest + 1) * ROW + 2}px`;
    flame.replaceChildren(...bars.map(({ at, x, width, row, isAbove }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.style.cssText = `left:${x}px;top:${row * ROW}px;width:${width}px;background:${colours[tree.list[at][COLOUR]]}`;
      if (width > 22) button.textContent = labels[tree.list[at][LABEL]][0];
      button.setAttribute("aria-label", words(at));
      if (isAbove) button.classList.add("above");
      if (text && !matches(at, text)) button.classList.add("faded");
      button.addEventListener("click", () => { into = at; draw(); });
      button.addEventListener("mouseenter", () => { said.textContent = words(at); });
      button.addEventListener("focus", () => { said.textContent = words(at); });
      return button;
    }));
    said.textContent = words(into);
    if (!text) { one("#found").textContent = ""; return; }
    // Of functions within functions that match, the outermost counts.
    let sum = 0;
    const look = [0];
    while (look.length) {
      const at = look.pop();
      if (at && matches(at, text)) sum += bytes(at); else look.push(...tree.below[at]);
    }
    one("#found").textContent = `${size(sum)} in what matches, ${share(sum / (bytes(0) || 1))} of all`;
  };

  choice.addEventListener("change", () => { if (bytes(into) <= 0) into = 0; draw(); });
  find.addEventListener("input", draw);
  upside.addEventListener("change", () => { tree = upside.checked ? inverted() : down; into = 0; draw(); });
  one("#whole").addEventListener("click", () => { into = 0; draw(); });
  addEventListener("resize", draw);
  all("[data-kind=curve]").forEach((button) => button.addEventListener("click", () =>
    save("curve.csv", "text/csv", csv([["seconds", "live", "resident"], ...curve]))));
  draw();
})();
