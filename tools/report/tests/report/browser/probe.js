const wrong = [];
addEventListener("error", (e) => wrong.push(`${e.message} ${e.lineno}`));
addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
for (const level of ["error", "warn"]) console[level] = (...what) => wrong.push(what.join(" "));
addEventListener("securitypolicyviolation", (e) => wrong.push(e.blockedURI));
addEventListener("load", () => {
  const theme = document.querySelector("#theme");
  if (theme.hidden) wrong.push("the script did not run");
  document.querySelectorAll("#key button")[1].click();
  document.querySelectorAll("#t-time thead th")[2]?.click();
  const plot = document.querySelector("svg[data-x]");
  const box = plot.getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width * 0.4, clientY: box.top + 99 }));
  const tip = document.querySelector("#tip");
  if (tip.hidden || tip.childElementCount < 3) wrong.push("nothing can be read off");
  const wide = document.scrollingElement.scrollWidth;
  if (wide > innerWidth) {
    const out = [...document.querySelectorAll("main *, header *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest(".scroll, #key, svg"));
    wrong.push(`${wide} pixels wide in ${innerWidth}: ${out?.outerHTML.slice(0, 200)}`);
  }
  for (const text of document.querySelectorAll("svg.plot text")) {
    // What is cut off at the edge of a picture cannot be read.
    const [own, frame] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
    if (own.left < frame.left - 1 || own.right > frame.right + 1 || own.bottom > frame.bottom + 1)
      wrong.push(`clipped: ${text.textContent} in ${text.closest("svg").id}`);
  }
  const [page, ink] = ["backgroundColor", "color"].map((name) => getComputedStyle(document.body)[name]);
  const seen = `${innerWidth} ${page} ${ink} ${document.querySelectorAll("svg.plot").length > 20}`;
  parent.postMessage(wrong.length ? `WRONG ${wrong.slice(0, 8).join(" | ")}` : `FINE ${seen}`, "*");
});
