/* What all parts of the page use: nodes, numbers, colours, tips, tables, figures that can be walked with the keyboard.
   Words from the data only ever become text nodes or attributes, never markup. */
const SPACE = "http://www.w3.org/2000/svg";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function fill(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, ...children);
const draw = (name, attributes, ...children) => fill(document.createElementNS(SPACE, name), attributes, ...children);
const word = (text) => el("bdi", { dir: "auto", class: String(text).length <= 18 ? "short" : null }, String(text));

const whole = (value) => Math.round(value).toLocaleString("en");
const count = (value, what) => `${whole(value)} ${what}${value === 1 ? "" : "s"}`;
const part = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const percent = (value, digits = 0) => `${(100 * value).toFixed(digits)} %`;
const short = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
};

const N_COLOURS = 10;
const namesGiven = data.clusters.names;
const clusterName = (cluster) => (cluster < 0 ? "no cluster" : namesGiven[cluster] ? `${namesGiven[cluster]} (${cluster})` : `cluster ${cluster}`);
const colour = (cluster) => (cluster < 0 ? "var(--none)" : `var(--c${cluster % N_COLOURS})`);
const certainty = (value) => `var(--q${Math.min(4, Math.floor(value * 5))})`;
const dot = (cluster) => el("span", { class: "dot", "aria-hidden": "true", style: { background: colour(cluster) } });

/* Every ten clusters the colours come back with another shape. */
const SHAPES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `M${-r * 0.9} ${-r * 0.9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
  (r) => `M0 ${-r * 1.25}L${r * 1.15} ${r * 0.8}H${-r * 1.15}z`,
  (r) => `M0 ${-r * 1.3}L${r * 1.3} 0L0 ${r * 1.3}L${-r * 1.3} 0z`,
];
const shape = (cluster, radius) => SHAPES[Math.max(0, Math.floor(cluster / N_COLOURS)) % SHAPES.length](radius);

const tip = byId("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(6, Math.min(x + 14, window.innerWidth - box.width - 6))}px`;
  tip.style.top = `${y + 18 + box.height > window.innerHeight ? y - box.height - 10 : y + 18}px`;
}
const hideTip = () => { tip.hidden = true; };

/* A drawing of its real width, drawn again when that changes. plot(svg, width) returns what can be walked:
   { n, describe(i), mark(i), at(x, y), step(i, key) }, or nothing. */
function figure(host, label, plot, hint = "Use the arrow keys to move.") {
  const svg = draw("svg", { tabindex: 0, role: "application", "aria-label": `${label}. ${hint}` });
  const readout = el("p", { class: "readout", role: "status" });
  host.append(svg, readout);
  figureTools(host, svg, label);
  let parts = null;
  let current = -1;
  let width = 0;
  const select = (index) => {
    current = index;
    readout.textContent = parts.describe(index).replace(/\n/g, ", ");
    parts.mark(index);
  };
  const redraw = () => {
    const now = Math.max(220, Math.floor(svg.parentNode.clientWidth - 38));
    if (Math.abs(now - width) < 4 && parts) return;
    again(now);
  };
  const again = (now = width) => {
    width = now;
    svg.replaceChildren();
    parts = plot(svg, width);
    current = -1;
    readout.textContent = "";
  };
  svg.addEventListener("focus", () => {
    if (svg.matches(":focus-visible") && parts.n) select(Math.max(0, current));
  });
  svg.addEventListener("keydown", (event) => {
    if (!/^(Arrow|Home|End)/.test(event.key) || !parts.n) return;
    event.preventDefault();
    const last = parts.n - 1;
    const line = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    let next = event.key === "Home" ? 0 : event.key === "End" ? last : null;
    if (next === null) next = parts.step ? parts.step(current, event.key) : current + line[event.key];
    select(Math.max(0, Math.min(last, next)));
  });
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = width / box.width;
    const index = parts.n ? parts.at((event.clientX - box.left) * scale, (event.clientY - box.top) * scale) : -1;
    if (index < 0) return hideTip();
    if (index !== current) select(index);
    showTip(parts.describe(index), event.clientX, event.clientY);
    return undefined;
  });
  svg.addEventListener("pointerleave", hideTip);
  svg.addEventListener("blur", hideTip);
  new ResizeObserver(redraw).observe(host);
  redraw();
  return again;
}
const sized = (svg, width, height) => svg.setAttribute("viewBox", `0 0 ${width} ${height}`);

function figureTable(host, caption, header, rows, words = "Show the numbers as a table") {
  const details = el("details", {}, el("summary", {}, words));
  details.addEventListener("toggle", () => { // built when it is first opened
    if (details.open && details.childElementCount === 1) {
      const columns = header.map((title, j) => ({ title, cells: rows.map((row) => row[j]), text: j === 0 }));
      table(details, caption, columns, { sort: false, label: caption });
    }
  });
  host.append(details);
}

/* columns: { title, cells, text, show(value, row), hint }. The first column names the row. */
function table(host, caption, columns, { sort = true, label = caption } = {}) {
  const n = columns[0].cells.length;
  const body = el("tbody");
  const order = [...Array(n).keys()];
  const rows = order.map((i) =>
    el("tr", {}, ...columns.map((column, j) => {
      const value = column.cells[i];
      const shown = column.show ? column.show(value, i) : column.text || typeof value === "string" ? word(value) : part(value);
      return el(j === 0 ? "th" : "td", { scope: j === 0 ? "row" : null, class: column.show ? (column.text ? null : "num") : column.text ? "text" : "num" }, shown);
    })));
  const heads = columns.map((column, j) => {
    const press = () => {
      const up = heads[j].getAttribute("aria-sort") === (column.text ? null : "descending")
        || heads[j].getAttribute("aria-sort") === "descending";
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      heads[j].setAttribute("aria-sort", up ? "ascending" : "descending");
      order.sort((a, b) => compare(column.cells[a], column.cells[b]) * (up ? 1 : -1) || a - b);
      body.append(...order.map((i) => rows[i]));
    };
    const title = sort ? el("button", { type: "button", click: press, title: column.hint || null }, column.title) : column.title;
    return el("th", { scope: "col", class: column.text ? null : "num" }, title);
  });
  body.append(...rows);
  const made = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body);
  const region = { class: "scroll", tabindex: 0, role: "region", "aria-label": label };
  host.append(el("div", region, made));
  tableTools(host, label, () => [columns.map((column) => column.title), ...order.map((i) => columns.map((column) => column.cells[i]))]);
  return rows;
}
function compare(a, b) {
  if (a === null || b === null) return (a !== null) - (b !== null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function choices(legend, name, options, change) {
  const box = el("fieldset", {}, el("legend", { hidden: true }, legend));
  options.forEach(([value, text], i) => {
    const input = el("input", { type: "radio", name, value, change: () => change(value) });
    input.checked = i === 0;
    box.append(el("label", {}, input, el("span", {}, text)));
  });
  box.setAttribute("aria-label", legend);
  return box;
}
function chooser(label, options, change, chosen = 0) {
  const select = el("select", { "aria-label": label, change: () => change(select.selectedIndex) },
    ...options.map((text) => el("option", {}, text)));
  select.selectedIndex = chosen;
  return select;
}
