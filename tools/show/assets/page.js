"use strict";
// Works without: everything is in the page. With it: the theme, those chosen stand out, sorting, saving.
const page = (() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector) => document.querySelector(selector);
  const root = document.documentElement;
  let parsed;
  const data = () => (parsed ??= JSON.parse(one("#data-json").textContent));
  all("[hidden]").forEach((e) => { if (e.id !== "tip") e.hidden = false; });

  // The theme; a browser may refuse to remember it.
  const THEMES = { "": "auto", light: "light", dark: "dark" };
  const setTheme = (theme) => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    one("#theme").textContent = `Theme: ${THEMES[theme]}`;
    try { localStorage.setItem("heapwright-theme", theme); } catch { /* not remembered */ }
  };
  let remembered = root.dataset.theme || "";
  try { remembered = localStorage.getItem("heapwright-theme") || remembered; } catch { /* none */ }
  setTheme(remembered in THEMES ? remembered : "");
  one("#theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    setTheme(names[(names.indexOf(root.dataset.theme || "") + 1) % names.length]);
  });

  // Those chosen in the key stand out in every picture and table.
  const chosen = new Set();
  const rule = document.head.appendChild(document.createElement("style"));
  all("#key button").forEach((button) => button.addEventListener("click", () => {
    const who = button.dataset.who;
    if (!chosen.delete(who)) chosen.add(who);
    button.setAttribute("aria-pressed", chosen.has(who));
    const not = Array.from(chosen, (w) => `:not([data-a="${w}"])`).join("");
    rule.textContent = chosen.size ? `svg.plot [data-a]${not}{opacity:.13}` : "";
    all("table[id]").forEach((table) => all("thead th[data-who]", table).forEach((th) => {
      const faded = chosen.size && !chosen.has(th.dataset.who) ? ".35" : "";
      for (const row of table.rows) if (row.cells[th.cellIndex]) row.cells[th.cellIndex].style.opacity = faded;
    }));
  }));

  // Sorting: rows within their groups; what has no figure comes last.
  all("table.sortable thead th").forEach((th) => {
    th.tabIndex = 0;
    const sort = () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      all("th", th.parentNode).forEach((other) => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const at = th.cellIndex;
      const order = (a, b) => {
        const [x, y] = [a, b].map((row) => row.cells[at].dataset.sort ?? "");
        if (x === "" || y === "") return (x === "") - (y === "");
        const by = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
        return down ? -by : by;
      };
      all("tbody", th.closest("table")).forEach((body) =>
        body.append(...all("tr:not(.group)", body).sort(order)));
    };
    th.addEventListener("click", sort);
    th.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(); });
  });

  // Saving.
  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const csv = (rows) => rows.map((row) => row.map((v) => {
    const text = String(v ?? "");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\n") + "\n";
  all("button[data-svg]").forEach((b) => b.addEventListener("click", () => {
    // The colours are the page's rules; a file has them itself.
    const svg = b.closest("figure").querySelector("svg");
    const copy = svg.cloneNode(true);
    const copies = all("[class]", copy);
    all("[class]", svg).forEach((e, i) => ["fill", "stroke"].forEach((name) =>
      copies[i].setAttribute(name, getComputedStyle(e)[name])));
    save(`${b.dataset.svg}.svg`, "image/svg+xml", copy.outerHTML);
  }));
  all("button[data-table]").forEach((b) => b.addEventListener("click", () => {
    const table = one(`#t-${b.dataset.table}`);
    let last = "";
    const rows = all("tr:not(.group)", table).map((tr) => Array.from(tr.cells, (cell, i) => {
      const text = Array.from(cell.childNodes, (n) => n.textContent).join(" | ").trim();
      if (i === 0 && cell.classList.contains("again")) return last;
      if (i === 0) last = text;
      return text;
    }));
    save(`${b.dataset.table}.csv`, "text/csv", csv(rows));
  }));
  one("#json").addEventListener("click", () => save("result.json", "application/json", one("#data-json").textContent));
  return { all, one, save, csv, data };
})();
