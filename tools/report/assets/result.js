// What the page of a result does with its numbers: files of them, and reading them off where the pointer is.
(() => {
  const { all, one, save, csv, data: result } = page;
  const ratio = (r) => r ? [r.estimate, r.low, r.high] : ["", "", ""];
  const names = () => [...result().allocators.map((a) => a.name), "recorded"];
  const lines = (kind, work, name) => {
    const measured = result().workloads[work];
    const all = (measured?.cells ?? []).map((cell) => {
      if (kind === "rss") return cell.rss;
      if (kind === "tail") return cell.tails.find((t) => t.call === name)?.curve ?? [];
      return cell.series.find((s) => s.name === name)?.points ?? [];
    });
    // What the recorded program had stands behind its replays.
    if (measured?.replayed && name === "resident") all.push(measured.replayed.recorded_points);
    return all;
  };
  // The curves of one allocator that are called `prefix=…`: their ends, points, and whose they are.
  const family = (work, name) => {
    const [who, prefix] = name.split(/ (.*)/);
    return result().workloads[work].cells[who].series.filter((s) => s.name.startsWith(`${prefix}=`))
      .map((s) => [s.name.slice(prefix.length + 1), s.points, who]);
  };
  const named = (kind, work, name) => kind === "family" ? family(work, name)
    : lines(kind, work, name).map((points, a) => [names()[a], points, a]);
  const rowsOf = (kind, work, name) => {
    const head = ["allocator"];
    if (kind === "overall") {
      head.push("workloads", "time", "time_low", "time_high", "peak", "peak_low", "peak_high");
      return [head, ...result().overall.map((o, a) => [names()[a], o.workloads, ...ratio(o.time), ...ratio(o.peak_rss)])];
    }
    if (kind === "time") {
      head.push("runs", "flagged", "refused", "seconds", "ratio", "low", "high");
      return [head, ...result().workloads[work].cells.map((c, a) =>
        [names()[a], c.runs, c.flagged, c.refused, c.time?.median, ...ratio(c.time?.ratio)])];
    }
    head.push("x", "y");
    if (kind === "family") head[0] = name.split(/ (.*)/)[1];
    return [head, ...named(kind, work, name).flatMap(([who, points]) => points.map((p) => [who, ...p]))];
  };
  all("button[data-kind]").forEach((b) => b.addEventListener("click", () =>
    save(`${b.dataset.file}.csv`, "text/csv", csv(rowsOf(b.dataset.kind, b.dataset.which, b.dataset.name)))));
  // Reading off: the line of each allocator where the pointer is.
  const UNITS = {
    bytes: [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]],
    nanoseconds: [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]],
  };
  const words = (v, unit) => {
    if (unit === "share") return v >= 1e-4 ? `${Number((v * 100).toPrecision(3))} %` : `1 in ${Math.round(1 / v)}`;
    if (unit === "seconds") return words(v * 1e9, "nanoseconds");
    const units = UNITS[unit];
    if (!units) return String(Number(v.toPrecision(3)));
    const [by, name] = units.findLast(([by]) => Math.abs(v) >= by) ?? units[0];
    return `${Number((v / by).toPrecision(3))} ${name}`;
  };
  const axis = (text) => {
    const [from, to, low, high, kind, unit] = text.split(",");
    const [f, t, l, h] = [from, to, low, high].map(Number);
    const log = kind !== "even";
    const of = (pixel) => {
      const place = (pixel - f) / (t - f);
      return log ? l * (h / l) ** place : l + place * (h - l);
    };
    return { f, t, of, log, unit };
  };
  const at = (points, x) => {
    // The last point that is not right of x: what was there then.
    let low = 0, high = points.length - 1;
    if (high < 0 || x < points[0][0] || x > points[high][0]) return undefined;
    while (low < high) { const middle = (low + high + 1) >> 1; if (points[middle][0] <= x) low = middle; else high = middle - 1; }
    return points[low][1];
  };
  const tip = one("#tip");
  all("svg[data-x]").forEach((svg) => {
    const [x, y] = [axis(svg.dataset.x), axis(svg.dataset.y)];
    const cross = document.createElementNS("http://www.w3.org/2000/svg", "path");
    cross.setAttribute("class", "cross");
    svg.append(cross);
    const away = () => { tip.hidden = true; cross.removeAttribute("d"); };
    svg.addEventListener("pointerleave", away);
    svg.addEventListener("pointermove", (e) => {
      const box = svg.getBoundingClientRect();
      const pixel = (e.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      if (pixel < x.f || pixel > x.t) return away();
      const v = x.of(pixel);
      const found = named(svg.dataset.k, svg.dataset.w, svg.dataset.n)
        .map(([who, points, a]) => [who, at(points, v), a])
        .filter(([, value, a]) => value !== undefined && svg.querySelector(`[data-a="${a}"]`))
        .sort((a, b) => b[1] - a[1]);
      cross.setAttribute("d", `M${pixel} ${y.f}L${pixel} ${y.t}`);
      const head = document.createElement("b");
      head.textContent = words(v, x.unit);
      tip.replaceChildren(head, ...found.map(([name, value]) => {
        const row = document.createElement("div");
        row.append(...[name, words(value, y.unit)].map((text) => Object.assign(document.createElement("span"), { textContent: text })));
        return row;
      }));
      tip.hidden = false;
      const size = tip.getBoundingClientRect();
      const beyond = e.clientX + 16 + size.width > innerWidth;
      tip.style.left = `${Math.max(4, beyond ? e.clientX - 16 - size.width : e.clientX + 16)}px`;
      tip.style.top = `${Math.max(4, Math.min(e.clientY + 12, innerHeight - size.height - 4))}px`;
    });
  });
})();
