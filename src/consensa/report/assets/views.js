/* Summary, map, tables, profile, flow, recipe. */
const highlight = { cluster: null, listeners: [] };
function setHighlight(cluster) {
  highlight.cluster = highlight.cluster === cluster ? null : cluster;
  highlight.listeners.forEach((tell) => tell(highlight.cluster));
}

const nowhere = (n, why) => (n ? ` ${count(n, "object")} ${n === 1 ? "belongs" : "belong"} to no cluster, ${why}.` : "");
function overview() {
  const { summary, made } = data;
  document.title = `${data.title} – consensa`;
  byId("title").append(word(data.title), made.source ? " · " : "", made.source ? word(made.source) : "");
  byId("h-overview").textContent = `${count(summary.n_clusters, "cluster")} in ${count(summary.n_objects, "object")}`;
  const strong = (text) => el("strong", {}, text);
  byId("verdict").append(
    strong(made.method), ` combined ${count(summary.n_partitions, "base clustering")} with ${whole(summary.n_base_clusters)} clusters in all. `,
    strong(percent(1 - summary.share_uncertain)), ` of the objects have a confidence of at least ${summary.uncertain_below}; the base clusterings agree with the consensus by an NMI of `,
    strong(part(summary.agreement)), " on average.",
    nowhere(summary.n_marked, "marked as what no cluster can claim"), nowhere(summary.n_unlabelled - summary.n_marked, "without any label in the base clusterings"));
  const tiles = [
    ["Objects", whole(summary.n_objects), `${whole(summary.n_microclusters)} distinct label rows`],
    ["Clusters", whole(summary.n_clusters), `${whole(data.clusters.size[0])} objects in the largest`],
    ["Base clusterings", whole(summary.n_partitions), `${(summary.n_base_clusters / summary.n_partitions).toFixed(1)} clusters on average`],
    ["Mean confidence", part(summary.mean_confidence), `${percent(summary.share_uncertain, 1)} below ${summary.uncertain_below}`],
  ];
  if (summary.known_classes) tiles.push(["Known classes", part(summary.known_classes.nmi), `NMI; ARI ${part(summary.known_classes.ari)}`]);
  else tiles.push(["Agreement", part(summary.agreement), "mean NMI with the base"]);
  byId("tiles").append(...tiles.map(([name, big, sub]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("div", { class: "big" }, big), el("div", { class: "sub" }, sub)))));
  const sizes = data.clusters.size;
  const rest = summary.n_objects - summary.n_unlabelled - sizes.reduce((a, b) => a + b, 0);
  const shares = [...sizes.map((size, c) => [clusterName(c), size, colour(c)]), ["smaller clusters", rest, "var(--soft)"], ["no cluster", summary.n_unlabelled, "var(--none)"]].filter(([, size]) => size > 0);
  const strip = el("div", { class: "strip", role: "img", "aria-label": "Shares of the clusters: " + shares.slice(0, 12).map(([name, size]) => `${name} ${percent(size / summary.n_objects, 1)}`).join(", ") });
  for (const [name, size, paint] of shares) {
    const text = `${name}\n${count(size, "object")} (${percent(size / summary.n_objects, 1)})`;
    strip.append(el("span", { style: { flex: `${size} 1 0`, background: paint }, pointermove: (event) => showTip(text, event.clientX, event.clientY), pointerleave: hideTip }));
  }
  byId("strip").append(strip);
}

function objectMap() {
  const host = byId("map");
  const { layouts, cluster, confidence, id } = data.map;
  const state = { layout: 0, paint: "cluster" };
  const n = cluster.length;
  const controls = el("div", { class: "controls" });
  host.append(controls);
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  let points = [];
  let spots = [];
  const paint = () => points.forEach((point, i) => {
    point.style.fill = state.paint === "cluster" ? colour(cluster[i]) : certainty(confidence[i] / 100);
    point.style.opacity = highlight.cluster === null || highlight.cluster === cluster[i] ? "0.85" : "0.1";
  });
  const again = figure(host, `Map of ${count(n, "object")}`, (svg, width) => {
    const height = Math.min(width, 560), pad = 12, side = Math.min(width, height) - 2 * pad, shift = (width - side) / 2;
    const wide = (width - 2 * pad) / 1000, high = (height - 2 * pad) / 1000;
    const { x, y } = layouts[state.layout];
    const stretch = state.layout === 0 ? [wide, high, pad, pad] : [side / 1000, side / 1000, shift, (height - side) / 2];
    sized(svg, width, height);
    spots = x.map((value, i) => [stretch[2] + value * stretch[0], height - stretch[3] - y[i] * stretch[1]]);
    const radius = n > 900 ? 2.6 : n > 200 ? 3.4 : 4.6;
    points = spots.map(([px, py], i) => draw("path", { d: shape(cluster[i], radius), transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})` }));
    svg.append(...points);
    const present = [...new Set(cluster)];
    if (present.length <= 40) {
      for (const c of present) {
        const own = spots.filter((_, i) => cluster[i] === c);
        const mx = middle(own.map((s) => s[0])), my = middle(own.map((s) => s[1]));
        const far = own.map((s) => Math.hypot(s[0] - mx, s[1] - my));
        const [lx, ly] = own[far.indexOf(Math.min(...far))]; // on an object, not in the gap between two groups
        svg.append(draw("text", { class: "halo", x: lx, y: ly + 5 }, String(c)));
      }
    }
    const ring = draw("circle", { class: "cursor", r: radius + 4, cx: -20, cy: -20 });
    svg.append(ring);
    paint();
    const nearest = (px, py, ok, weigh) => {
      let best = -1, least = Infinity;
      spots.forEach(([sx, sy], i) => {
        const dx = sx - px, dy = sy - py;
        if (!ok(dx, dy)) return;
        const distance = weigh(dx, dy);
        if (distance < least) { least = distance; best = i; }
      });
      return [best, least];
    };
    const round = (dx, dy) => dx * dx + dy * dy;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    return {
      n,
      describe: (i) => `${id[i]}\n${clusterName(cluster[i])}\nconfidence ${part(confidence[i] / 100)}`,
      mark: (i) => fill(ring, { cx: spots[i][0], cy: spots[i][1] }),
      at: (px, py) => { const [best, least] = nearest(px, py, () => true, round); return least < 400 ? best : -1; },
      step: (i, key) => {
        if (i < 0) return 0;
        const [ux, uy] = directions[key];
        const [best] = nearest(spots[i][0], spots[i][1], (dx, dy) => dx * ux + dy * uy > 0.01, (dx, dy) => {
          const along = dx * ux + dy * uy, aside = Math.abs(dx * uy) + Math.abs(dy * ux);
          return along + 3 * aside;
        });
        return best < 0 ? i : best;
      },
    };
  }, "The arrow keys move to the next object in that direction.");
  const legend = el("p", { class: "legend" });
  const explain = () => {
    legend.replaceChildren();
    if (state.paint === "confidence") legend.append("uncertain", el("span", { class: "ramp", "aria-hidden": "true" }, ...[0, 1, 2, 3, 4].map((q) => el("i", { style: { background: `var(--q${q})` } }))), "certain");
    else legend.append(data.summary.n_clusters > N_COLOURS ? "Numbers name the clusters; every ten clusters the colours return with another shape." : "Numbers name the clusters.");
  };
  if (layouts.length > 1) controls.append(choices("Layout", "layout", layouts.map((layout, i) => [i, layout.name]), (value) => { state.layout = value; about.textContent = layouts[value].note; again(); }));
  controls.append(choices("Colour", "paint", [["cluster", "Cluster"], ["confidence", "Confidence"]], (value) => { state.paint = value; paint(); explain(); }));
  const shown = Math.min(data.clusters.size.length, 120);
  const picker = chooser("Show one cluster", ["All clusters", ...Array.from({ length: shown }, (_, c) => clusterName(c))], (i) => { highlight.cluster = null; setHighlight(i === 0 ? null : i - 1); });
  controls.append(picker);
  highlight.listeners.push((c) => { picker.selectedIndex = c === null ? 0 : c + 1; paint(); });
  const about = el("p", { class: "note" }, layouts[0].note);
  host.append(legend, about);
  if (n < labelled) host.append(el("p", { class: "note" }, `A sample of ${whole(n)} of ${whole(labelled)} objects, spread over all clusters.`));
  explain();
}

/* What sets every cluster apart, in words; without features there is nothing to say, and the table stands beside the map. */
function portraits() {
  const { clusters, n_objects: looked } = data.portraits;
  const host = byId("portraits");
  if (!clusters.some((each) => each.traits.length)) {
    host.replaceWith(byId("cluster-table"));
    return;
  }
  const list = el("ol", { class: clusters.length > 8 ? "portraits many" : "portraits" });
  const items = clusters.map((each, c) => {
    const head = el("button", { type: "button", class: "pick", "aria-pressed": "false", "aria-label": `${clusterName(c)}: show on the map`, click: () => setHighlight(c) }, dot(c), word(clusterName(c)));
    const best = each.traits[0];
    const text = each.text || `no feature sets it clearly apart${best ? `; the most telling one: ${best.text}` : ""}`;
    list.append(el("li", {}, el("p", { class: "who" }, head, el("span", { class: "sub" }, `${count(each.size, "object")}, ${percent(each.share, each.share < 0.1 ? 1 : 0)}`)),
      el("p", { class: "what", dir: "auto" }, `${text}.`),
      each.typical.length ? el("p", { class: "sub" }, "Typical: ", ...each.typical.flatMap((name, i) => [i ? ", " : "", word(name)])) : null));
    return head;
  });
  host.append(list);
  tableTools(host, "What makes each cluster what it is", () => [["cluster", "name", "objects", "share", "description", "typical"],
    ...clusters.map((each, c) => [c, namesGiven[c] || "", each.size, each.share, each.text, each.typical.join(" ")])]);
  highlight.listeners.push((c) => items.forEach((item, i) => item.setAttribute("aria-pressed", String(i === c))));
  const rest = data.summary.n_clusters - clusters.length;
  if (rest > 0) host.append(el("p", { class: "note" }, `${count(rest, "smaller cluster")} ${rest === 1 ? "is" : "are"} not described.`));
  host.append(el("p", { class: "note" }, `Each cluster against all other objects; told are features with an effect (Cliff's delta) of at least 0.33.${looked < labelled ? ` From a sample of ${whole(looked)} objects.` : ""}`));
}

function clusterTable() {
  const found = data.clusters;
  const host = byId("cluster-table");
  const buttons = [];
  const name = (c) => {
    const button = el("button", { type: "button", class: "pick", "aria-pressed": "false", "aria-label": `${clusterName(c)}: show on the map`, click: () => setHighlight(c) }, dot(c), namesGiven[c] ? word(clusterName(c)) : String(c));
    buttons.push(button);
    return button;
  };
  const total = data.summary.n_objects;
  table(host, "Choose a cluster to see it on the map.", [
    { title: "Cluster", cells: found.size.map((_, c) => c), show: name, text: true },
    { title: "Objects", cells: found.size, show: (v) => `${whole(v)} (${percent(v / total, v / total < 0.1 ? 1 : 0)})` },
    { title: "Consensus", cells: found.consensus, hint: "How often two objects of the cluster are together in a base clustering" },
    { title: "Confidence", cells: found.confidence, show: (v) => el("span", {}, part(v), el("span", { class: "meter", "aria-hidden": "true" }, el("i", { style: { width: `${100 * v}%` } }))) },
    { title: "Nearest", cells: found.nearest, show: (v, i) => (v < 0 ? "–" : `${v} (${part(found.nearest_value[i])})`), hint: "The cluster it is mixed with most often, and how often" },
    { title: "Typical", cells: found.typical, text: true, hint: "The object of the highest confidence" },
  ], { label: "Clusters" });
  highlight.listeners.push((c) => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === c))));
  if (found.n_left_out) host.append(el("p", { class: "note" }, `${count(found.n_left_out, "smaller cluster")} ${found.n_left_out === 1 ? "is" : "are"} not listed.`));
  host.append(el("p", { class: "note" }, "Consensus: how often two objects of the cluster are together. Nearest: the cluster it is mixed with most often, and how often. Typical: the object of the highest confidence."));
}

const KINDS = { boolean: "yes or no", ordered: "ordered category" };
function columnTable() {
  const found = data.table, usual = data.portraits.usual;
  if (!found) return;
  byId("columns").hidden = false;
  const most = found.columns.reduce((a, b) => (b.gaps > a.gaps ? b : a), found.columns[0]);
  const gaps = found.n_gaps
    ? `${whole(found.n_gaps)} of ${whole(found.n_cells)} cells (${percent(found.n_gaps / found.n_cells, 1)}) are gaps, most of them in ${most.name} (${whole(most.gaps)}). No row was dropped and nothing was filled in: rows are compared by the values they have.`
    : "There are no gaps.";
  byId("columns-note").textContent = `${gaps}${found.left_out.length ? ` Left out of the clustering: ${found.left_out.join(", ")}.` : ""}`;
  const host = byId("column-table");
  const titles = usual.length ? ["All", ...usual[0].slice(1).map((_, c) => clusterName(c))] : [];
  table(host, usual.length ? "Usual values: the median of numbers and dates, the commonest category with its share, the share of yes." : "", [
    { title: "Column", cells: found.columns.map((column) => column.name), text: true },
    { title: "Taken for", cells: found.columns.map((column) => KINDS[column.kind] || column.kind), text: true },
    { title: "Gaps", cells: found.columns.map((column) => column.gaps), show: (v, i) => (v ? `${whole(v)} (${percent(found.columns[i].share, found.columns[i].share < 0.1 ? 1 : 0)})` : "0") },
    ...titles.map((title, j) => ({ title, cells: usual.map((row) => row[j]), text: true })),
  ], { sort: false, label: "Columns" });
  const rest = found.n_columns - found.columns.length;
  if (rest > 0) host.append(el("p", { class: "note" }, `${count(rest, "further column")} not listed.`));
  if (titles.length && titles.length - 1 < data.summary.n_clusters) host.append(el("p", { class: "note" }, `The ${titles.length - 1} largest clusters are shown.`));
}

function least() {
  const { least: found } = data.confidence;
  const named = (c) => (c < 0 ? "–" : el("span", {}, dot(c), String(c)));
  table(byId("least"), `The ${found.id.length} objects of the lowest confidence.`, [
    { title: "Object", cells: found.id, text: true },
    { title: "Confidence", cells: found.confidence },
    { title: "Cluster", cells: found.cluster, show: named },
    { title: "Next best", cells: found.second, show: named, hint: "The other cluster it meets most often" },
  ], { label: "Least certain objects" });
}

function baseTable() {
  const found = data.base;
  const host = byId("base-table");
  table(host, "Press a heading to sort.", [
    { title: "Name", cells: found.name, text: true },
    { title: "k", cells: found.n_clusters, show: whole, hint: "Number of clusters" },
    { title: "NMI", cells: found.nmi }, { title: "ARI", cells: found.ari },
    { title: "ECI", cells: found.eci, hint: "How certain its clusters are: 1 if no other clustering splits them" },
    { title: "Crowd", cells: found.crowd_agreement, hint: "Agreement with the other base clusterings; the best is 1" },
    { title: "Missing", cells: found.missing, show: (v) => percent(v), hint: "Share of the objects without a label" },
  ], { label: "Base clusterings" });
  if (found.n_left_out) host.append(el("p", { class: "note" }, `Listed are the ${whole(found.name.length / 2)} most and the ${whole(found.name.length / 2)} least like the consensus; ${whole(found.n_left_out)} between them are not.`));
}

function profile() {
  const found = data.profile;
  if (!found) return;
  byId("features").hidden = false;
  const rows = found.names.length;
  byId("features-note").textContent = `Mean of every feature in every cluster; the colour is the distance from the overall mean in standard deviations. ${rows < found.n_features ? `The ${rows} of ${whole(found.n_features)} features that separate the clusters most come first.` : "The features that separate the clusters most come first."}`;
  const host = byId("profile");
  const cells = [];
  const show = (what) => cells.forEach(([cell, i, c]) => { cell.textContent = what === "means" ? short(found.means[i][c]) : found.scores[i][c].toFixed(1); });
  host.append(el("div", { class: "controls" }, choices("Numbers", "numbers", [["means", "Means"], ["scores", "Standard deviations"]], show)));
  const head = el("tr", {}, el("th", { scope: "col" }, "Feature"), el("th", { scope: "col" }, "Separates"));
  for (let c = 0; c < found.n_clusters; c++) head.append(el("th", { scope: "col" }, dot(c), String(c)));
  const body = el("tbody");
  found.names.forEach((name, i) => {
    const row = el("tr", {}, el("th", { scope: "row" }, word(name)), el("td", {}, percent(found.explained[i] || 0)));
    found.scores[i].forEach((score, c) => {
      const text = () => `${name}\n${clusterName(c)}: mean ${short(found.means[i][c])}\n${score >= 0 ? "+" : ""}${score.toFixed(2)} standard deviations\noverall ${short(found.mean[i])} ± ${short(found.deviation[i])}`;
      const cell = el("td", { class: score < 0 ? "neg" : "pos", style: { "--a": Math.min(0.62, Math.abs(score) * 0.31).toFixed(2) }, pointermove: (event) => showTip(text(), event.clientX, event.clientY), pointerleave: hideTip });
      cells.push([cell, i, c]);
      row.append(cell);
    });
    body.append(row);
  });
  show("means");
  const made = el("table", { class: "profile" }, el("caption", {}, "Separates: share of the variance of the feature that lies between the clusters."), el("thead", {}, head), body);
  host.append(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Mean features of the clusters" }, made));
  tableTools(host, "Mean features of the clusters", () => [["feature", "separates", ...found.means[0].map((_, c) => clusterName(c))], ...found.names.map((name, i) => [name, found.explained[i], ...found.means[i]])]);
  if (found.n_clusters < data.summary.n_clusters) host.append(el("p", { class: "note" }, `The ${found.n_clusters} largest clusters are shown.`));
}

function flow() {
  const { partitions, tables } = data.flow;
  const host = byId("alluvial");
  const names = partitions.map((partition) => partition.name);
  const state = { a: 0, b: Math.min(1, names.length - 1) };
  const counts = () => {
    const [low, high] = [Math.min(state.a, state.b), Math.max(state.a, state.b)];
    const at = (i, j) => {
      if (low === high) return i === j ? partitions[low].sizes[i] : 0;
      const place = (low * (2 * names.length - low - 1)) / 2 + (high - low - 1);
      const [r, c] = state.a <= state.b ? [i, j] : [j, i];
      return tables[place][r * partitions[high].groups.length + c];
    };
    return partitions[state.a].groups.map((_, i) => partitions[state.b].groups.map((__, j) => at(i, j)));
  };
  const label = (p, i) => (p === 0 && partitions[0].groups[i] !== "no label" && !/smaller$/.test(partitions[0].groups[i]) ? clusterName(Number(partitions[0].groups[i])) : partitions[p].groups[i]);
  const again = () => { redraw(); refresh(); };
  const from = chooser("From", names, (i) => { state.a = i; again(); }, state.a);
  const to = chooser("To", names, (i) => { state.b = i; again(); }, state.b);
  const swap = el("button", { type: "button", "aria-label": "Swap the two clusterings", click: () => { [state.a, state.b] = [state.b, state.a]; from.selectedIndex = state.a; to.selectedIndex = state.b; again(); } }, "⇄ Swap");
  host.append(el("div", { class: "controls" }, "From", from, swap, "to", to));
  const redraw = figure(host, "Flow of the objects between two clusterings", (svg, width) => {
    const table = counts();
    const total = table.flat().reduce((x, y) => x + y, 0);
    const gap = 6, left = Math.min(150, width * 0.26), right = left;
    const most = Math.max(table.length, table[0].length);
    const height = Math.max(240, Math.min(560, most * 34));
    const scale = (height - gap * (most - 1)) / total;
    sized(svg, width, height);
    const starts = (sizes, order) => {
      let at = (height - gap * (sizes.length - 1) - scale * total) / 2;
      const found = [];
      for (const i of order) { found[i] = at; at += sizes[i] * scale + gap; }
      return found;
    };
    const sizesA = table.map((row) => row.reduce((x, y) => x + y, 0));
    const sizesB = table[0].map((_, j) => table.reduce((x, row) => x + row[j], 0));
    const ya = starts(sizesA, [...sizesA.keys()]);
    const pull = sizesB.map((size, j) => table.reduce((sum, row, i) => sum + row[j] * (ya[i] + (sizesA[i] * scale) / 2), 0) / Math.max(1, size));
    const yb = starts(sizesB, [...sizesB.keys()].sort((i, j) => pull[i] - pull[j] || i - j)); // fewer crossings
    const usedA = ya.slice(), usedB = yb.slice();
    const bands = [], drawn = [], boxes = [];
    const x0 = left + 12, x1 = width - right - 12, mid = (x0 + x1) / 2;
    table.forEach((row, i) => row.forEach((value, j) => {
      if (!value) return;
      const h = value * scale, a = usedA[i], b = usedB[j];
      usedA[i] += h; usedB[j] += h;
      const path = draw("path", { class: "ribbon", d: `M${x0} ${a}C${mid} ${a} ${mid} ${b} ${x1} ${b}V${b + h}C${mid} ${b + h} ${mid} ${a + h} ${x0} ${a + h}z`, style: { fill: state.b === 0 ? groupColour(0, j) : groupColour(state.a, i) } });
      drawn.push(path);
      bands.push([i, j, value, a, b, h]);
    }));
    const node = (p, i, x, y, size, end) => {
      boxes.push(draw("rect", { x, y, width: 10, height: Math.max(1, size * scale), rx: 2, style: { fill: groupColour(p, i) } }));
      const space = Math.floor((left - 8) / 6.6), text = label(p, i);
      if (size * scale > 9 || most <= 20) boxes.push(draw("text", { x: end ? x + 16 : x - 6, y: y + (size * scale) / 2 + 4, "text-anchor": end ? "start" : "end", direction: "ltr" }, text.length > space ? `${[...text].slice(0, space - 1).join("")}…` : text));
    };
    sizesA.forEach((size, i) => node(state.a, i, left, ya[i], size, false));
    sizesB.forEach((size, j) => node(state.b, j, width - right - 10, yb[j], size, true));
    svg.append(...drawn, ...boxes);
    return {
      n: bands.length,
      describe: (k) => `${label(state.a, bands[k][0])} → ${label(state.b, bands[k][1])}\n${count(bands[k][2], "object")} (${percent(bands[k][2] / sizesA[bands[k][0]])} of the first, ${percent(bands[k][2] / sizesB[bands[k][1]])} of the second)`,
      mark: (k) => drawn.forEach((path, i) => path.classList.toggle("on", i === k)),
      at: (px, py) => {
        if (px < x0 || px > x1) return -1;
        const t = (px - x0) / (x1 - x0), ease = bezier(t);
        for (let k = bands.length - 1; k >= 0; k--) {
          const top = bands[k][3] + (bands[k][4] - bands[k][3]) * ease;
          if (py >= top && py <= top + bands[k][5]) return k;
        }
        return -1;
      },
    };
  });
  const holder = el("div");
  host.append(holder);
  const refresh = () => {
    holder.replaceChildren();
    const table = counts();
    figureTable(holder, `${names[state.a]} (rows) and ${names[state.b]} (columns)`, ["", ...partitions[state.b].groups.map((_, j) => label(state.b, j))], table.map((row, i) => [label(state.a, i), ...row.map(whole)]));
  };
  refresh();
}
function groupColour(partition, i) {
  const group = data.flow.partitions[partition].groups[i];
  if (group === "no label") return "var(--none)";
  if (/^\d+ smaller$/.test(group)) return "var(--soft)";
  return partition === 0 ? colour(Number(group)) : "var(--soft)";
}
/* Height of the band at x: the ribbon is x(u) = u-cubic with both handles in the middle. */
function bezier(t) {
  let u = t;
  for (let i = 0; i < 8; i++) u -= (1.5 * u * (1 - u) + u ** 3 - t) / (1.5 - 3 * u + 3 * u * u);
  return 3 * u * u * (1 - u) + u ** 3;
}

function recipe() {
  const { made, summary } = data;
  const host = byId("recipe");
  const facts = [
    ["Method", made.summary ? `${made.method}: ${made.summary}` : made.method],
    ["Reference", made.doi ? el("span", {}, `${made.reference}. `, el("a", { href: `https://doi.org/${made.doi}`, rel: "noreferrer" }, `doi:${made.doi}`)) : null],
    ["Estimator", made.model], ["Data", made.source === null ? null : word(made.source)], ["Seed", made.seed],
    ["Time to fit", made.seconds === null ? null : `${made.seconds} s`],
    ["Made on", made.created.replace("T", " ").replace("+00:00", " UTC")],
    ["Versions", Object.entries(made.versions).map(([name, version]) => `${name} ${version}`).join(", ")],
    ["Ensemble", `${whole(summary.n_objects)} objects, ${whole(summary.n_partitions)} base clusterings, ${whole(summary.n_base_clusters)} base clusters, ${whole(summary.n_microclusters)} distinct label rows`],
  ];
  host.append(el("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== null).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  const steps = el("div", { class: "steps" });
  for (const step of made.steps) {
    const box = el("div", {}, el("h3", {}, `${step.name} (${step.role})`));
    const rows = step.parameters.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, name)), el("td", {}, el("code", { dir: "auto" }, value))));
    box.append(el("table", {}, el("caption", { hidden: true }, `Parameters of ${step.name}`), el("tbody", {}, ...rows)));
    steps.append(box);
  }
  host.append(steps);
  const save = () => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 1)], { type: "application/json" }));
    el("a", { href: url, download: "report.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  host.append(el("p", { class: "no-print" }, el("button", { type: "button", id: "save", click: save }, "Save the content as JSON")));
}
