/* Pictures as SVG or PNG and tables as CSV, made in the page and handed to the browser: nothing is sent anywhere. */
const fileName = (label, ending) => `${label.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure"}.${ending}`;
function hand(content, kind, name) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 2000);
}
/* A copy that needs no style sheet: what the browser made of the styles becomes attributes. */
const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "visibility"];
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const before = [...svg.querySelectorAll("*")], after = [...copy.querySelectorAll("*")];
  before.forEach((node, i) => {
    const style = getComputedStyle(node);
    after[i].removeAttribute("style");
    after[i].removeAttribute("class");
    for (const name of PAINT) {
      const value = style.getPropertyValue(name);
      if (value && value !== "normal") after[i].setAttribute(name, value.replace(/"/g, "'"));
    }
  });
  for (const name of ["tabindex", "role", "class", "style"]) copy.removeAttribute(name);
  fill(copy, { xmlns: SPACE, width, height });
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  copy.prepend(draw("rect", { width, height, fill: paper }));
  return [new XMLSerializer().serializeToString(copy), width, height];
}
function savePng(svg, name) {
  const [text, width, height] = standalone(svg);
  const image = new Image();
  image.onload = () => {
    const canvas = fill(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
    canvas.toBlob((blob) => hand(blob, "image/png", name));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
/* A text that a spreadsheet would take for a formula gets a quote before it. */
const csvCell = (value) => {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value === "string" && /^[=+@\t\r-]/.test(text) && !/^-?[\d.]+$/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
const csvText = (rows) => `${rows.map((row) => row.map(csvCell).join(",")).join("\r\n")}\r\n`;
const button = (text, label, click) => el("button", { type: "button", class: "save", "aria-label": label, title: label, click }, text);
function figureTools(host, svg, label) {
  host.append(el("div", { class: "tools no-print" },
    button("SVG", `Save as SVG: ${label}`, () => hand(standalone(svg)[0], "image/svg+xml", fileName(label, "svg"))),
    button("PNG", `Save as PNG: ${label}`, () => savePng(svg, fileName(label, "png")))));
}
function tableTools(host, label, rows) {
  const place = host.classList.contains("card") && !host.querySelector(":scope > .tools") ? "tools no-print" : "no-print";
  host.append(el("div", { class: place }, button("CSV", `Save as CSV: ${label}`, () => hand(csvText(rows()), "text/csv;charset=utf-8", fileName(label, "csv")))));
}
