const labelled = data.summary.n_objects - data.summary.n_unlabelled;
/* Histogram, ranks, curves, consensus matrix, dendrogram. */
function bars(host, { label, values, top, ticks, yTicks, describe, fillOf, height = 220, note = null }) {
  figure(host, label, (svg, width) => {
    const left = 14 + 7 * Math.max(...yTicks.map(([, text]) => text.length)), bottom = 24, high = height - bottom - 8;
    const step = (width - left) / values.length;
    const y = (value) => 8 + high * (1 - value / top);
    sized(svg, width, height);
    for (const [value, text] of yTicks) {
      svg.append(draw("path", { class: "axis", d: `M${left} ${y(value)}H${width}` }),
        draw("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, text));
    }
    const gap = step > 5 ? Math.min(3, step * 0.2) : 0;
    const drawn = values.map((value, i) => {
      const bar = draw("rect", { class: "bar", x: left + i * step + gap / 2, y: y(value), width: Math.max(0.6, step - gap), height: 8 + high - y(value), rx: step > 10 ? 2 : 0 });
      if (fillOf) bar.style.fill = fillOf(i);
      return bar;
    });
    svg.append(...drawn);
    for (const [place, text] of ticks) {
      const anchor = place === 0 ? "start" : place === 1 ? "end" : "middle";
      svg.append(draw("text", { x: left + place * (width - left), y: height - 6, "text-anchor": anchor }, text));
    }
    return {
      n: values.length,
      describe,
      mark: (i) => drawn.forEach((bar, j) => bar.classList.toggle("on", i === j)),
      at: (x) => (x < left ? -1 : Math.min(values.length - 1, Math.floor((x - left) / step))),
    };
  });
  if (note) host.append(el("p", { class: "note" }, note));
}
const niceTop = (value) => {
  const scale = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 2.5, 4, 5, 8, 10].map((m) => m * scale).find((top) => top >= value);
};

function histogram() {
  const host = byId("histogram");
  const { counts } = data.confidence;
  const top = niceTop(Math.max(...counts));
  const between = (i) => `${part(i / 20)} to ${part((i + 1) / 20)}`;
  const total = counts.reduce((a, b) => a + b, 0);
  bars(host, {
    label: "Histogram of the confidence of the objects", values: counts, top,
    yTicks: [0, top / 2, top].map((value) => [value, whole(value)]),
    ticks: [[0, "0"], [0.25, "0.25"], [0.5, "0.5"], [0.75, "0.75"], [1, "1"]],
    describe: (i) => `confidence ${between(i)}\n${count(counts[i], "object")} (${percent(counts[i] / total, 1)})`,
    fillOf: (i) => certainty((i + 0.5) / 20), height: 320,
  });
  figureTable(host, "Objects by confidence", ["confidence", "objects"], counts.map((value, i) => [between(i), whole(value)]));
}

function ranks() {
  const host = byId("ranks");
  const values = data.base.ranks;
  const thinned = data.summary.n_partitions > values.length;
  bars(host, {
    label: "Agreement of the base clusterings with the consensus, best first", values, top: 1,
    yTicks: [[0, "0"], [0.5, "0.5"], [1, "1"]], ticks: [[0, "best"], [1, "worst"]],
    describe: (i) => (thinned ? `NMI ${part(values[i], 3)}` : `base clustering ${data.base.name[i]}\nNMI ${part(values[i], 3)}, ${count(data.base.n_clusters[i], "cluster")}`),
    height: 320,
    note: `Normalised mutual information, best first; mean ${part(data.base.mean_nmi)}.` + (thinned ? ` ${values.length} of ${whole(data.summary.n_partitions)} are drawn.` : ""),
  });
}

function curves() {
  const { k, curves: found, chosen, note } = data.choice;
  byId("choice-note").textContent = note;
  byId("choice-sentence").textContent = data.choice.sentence ?? "";
  byId("choice-sentence").hidden = !data.choice.sentence;
  for (const curve of found) {
    const card = el("figure", { class: "card" }, el("figcaption", {}, el("h3", {}, curve.title)));
    byId("curves").append(card);
    const defined = curve.values.filter((value) => value !== null);
    const least = Math.min(...defined), most = Math.max(...defined);
    const low = least > 0 && least < 0.3 * most ? 0 : least, high = Math.max(most, low + 1e-9);
    figure(card, `${curve.title} over the number of clusters`, (svg, width) => {
      const left = 40, height = 170, bottom = 24;
      const x = (i) => left + 8 + (i * (width - left - 18)) / Math.max(1, k.length - 1);
      const y = (value) => 10 + (height - bottom - 16) * (1 - (value - low) / (high - low));
      sized(svg, width, height);
      for (const value of [low, high]) {
        svg.append(draw("path", { class: "axis", d: `M${left} ${y(value)}H${width}` }), draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
      }
      const at = k.indexOf(chosen);
      if (at >= 0) svg.append(draw("path", { class: "mark", d: `M${x(at)} 4V${height - bottom}` }), draw("text", { class: "strong", x: x(at), y: height - 6, "text-anchor": "middle" }, `k = ${chosen}`));
      for (const i of [0, k.length - 1]) {
        if (at < 0 || Math.abs(x(i) - x(at)) > 44) svg.append(draw("text", { x: x(i), y: height - 6, "text-anchor": "middle" }, String(k[i])));
      }
      let path = "", pen = false;
      curve.values.forEach((value, i) => {
        if (value !== null) path += `${pen ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = value !== null;
      });
      svg.append(draw("path", { class: "line", d: path }));
      curve.values.forEach((value, i) => {
        if (value !== null && k.length <= 40) svg.append(draw("circle", { class: "point", cx: x(i), cy: y(value), r: 2.6 }));
      });
      const ring = draw("circle", { class: "cursor", r: 5.5, cx: -20, cy: -20 });
      svg.append(ring);
      return {
        n: k.length,
        describe: (i) => `k = ${k[i]}: ${curve.values[i] === null ? "not defined" : part(curve.values[i], 3)}${k[i] === chosen ? " (chosen)" : ""}`,
        mark: (i) => fill(ring, { cx: x(i), cy: curve.values[i] === null ? -20 : y(curve.values[i]) }),
        at: (px) => Math.max(0, Math.min(k.length - 1, Math.round(((px - left - 8) * Math.max(1, k.length - 1)) / (width - left - 18)))),
      };
    });
    const vote = curve.vote === null ? "" : ` By itself it would choose ${curve.vote}.`;
    card.append(el("p", { class: "note" }, `${curve.small_is_good ? "Small" : "Large"} values speak for a number.${vote}`));
  }
  if (data.choice.cdf) distributions(data.choice.cdf, chosen);
  if (found.length) {
    const rows = k.map((value, i) => [value === chosen ? `${value} (chosen)` : String(value), ...found.map((curve) => part(curve.values[i], 3))]);
    figureTable(byId("choice"), "Curves over the number of clusters", ["k", ...found.map((curve) => curve.title)], rows);
  }
}

/* The tree of tested splits, from all objects down; those that stand are marked. */
function testedSplits() {
  const found = data.significance;
  if (!found) return;
  const host = byId("tested");
  host.hidden = false;
  const list = el("ul", { class: "tested" });
  for (const line of found.lines) {
    const text = line.significant ? el("strong", {}, `✓ ${line.text}`) : line.text;
    list.append(el("li", { style: { "padding-left": `${1.4 * line.depth}em` } }, text));
  }
  host.append(
    el("p", {}, found.sentence), list,
    el("p", { class: "note" }, `Marked splits are those that data without clusters (one ellipsoid) hardly ever show; the probability that such data get any is ${found.alpha}. Clusters are numbered as the test found them.`));
}

/* Share of the pairs of objects whose consensus index is at most x, a line for every k. */
function distributions(cdfs, chosen) {
  const card = el("figure", { class: "card" }, el("figcaption", {}, el("h3", {}, "Distribution of the consensus index (CDF)")));
  byId("curves").append(card);
  const numbers = Object.keys(cdfs).map(Number);
  figure(card, "Distribution of the consensus index for every number of clusters", (svg, width) => {
    const left = 34, height = 190, bottom = 24;
    const x = (i) => left + (i * (width - left - 8)) / 100, y = (value) => 8 + (height - bottom - 14) * (1 - value);
    sized(svg, width, height);
    for (const value of [0, 0.5, 1]) {
      svg.append(draw("path", { class: "axis", d: `M${left} ${y(value)}H${width}` }), draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)),
        draw("text", { x: x(100 * value), y: height - 6, "text-anchor": value === 1 ? "end" : "middle" }, short(value)));
    }
    const lines = numbers.map((k) => draw("path", { class: "line", d: cdfs[k].map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), style: { stroke: colour(k), "stroke-width": k === chosen ? "3" : "1.5" } }));
    svg.append(...lines);
    return {
      n: numbers.length,
      describe: (i) => `k = ${numbers[i]}${numbers[i] === chosen ? " (chosen)" : ""}: ${percent(cdfs[numbers[i]][90] - cdfs[numbers[i]][10], 1)} of the pairs are ambiguous (between 0.1 and 0.9)`,
      mark: (i) => lines.forEach((line, j) => { line.style.strokeOpacity = i === j ? "1" : "0.35"; }),
      at: (px, py) => {
        const step = Math.max(0, Math.min(100, Math.round(((px - left) * 100) / (width - left - 8))));
        const far = numbers.map((k) => Math.abs(y(cdfs[k][step]) - py));
        return Math.min(...far) < 12 ? far.indexOf(Math.min(...far)) : -1;
      },
    };
  });
  card.append(el("p", { class: "note" }, "Flat in the middle for clear clusters: pairs are nearly always or nearly never together."));
}

function heatmap() {
  const host = byId("heatmap");
  const { cluster, size, values } = data.heatmap;
  const n = cluster.length;
  const value = (i, j) => values[(Math.max(i, j) * (Math.max(i, j) + 1)) / 2 + Math.min(i, j)];
  const LEVELS = 25;
  figure(host, `Consensus matrix of ${n} blocks of objects, ordered by the dendrogram`, (svg, width) => {
    const edge = 14, cell = (width - edge) / n;
    sized(svg, width, width);
    const paths = Array.from({ length: LEVELS + 1 }, () => []);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) paths[Math.round((value(i, j) / 100) * LEVELS)].push(`M${(edge + j * cell).toFixed(2)} ${(edge + i * cell).toFixed(2)}h${cell.toFixed(2)}v${cell.toFixed(2)}h${(-cell).toFixed(2)}z`);
    }
    paths.forEach((d, level) => {
      if (level && d.length) svg.append(draw("path", { class: "heat", d: d.join(""), style: { "fill-opacity": String(0.03 + (0.97 * level) / LEVELS) } }));
    });
    svg.append(draw("rect", { class: "axis", x: edge, y: edge, width: n * cell, height: n * cell }));
    for (let i = 0; i < n;) {
      let j = i;
      while (j < n && cluster[j] === cluster[i]) j++;
      const from = edge + i * cell, length = (j - i) * cell, inner = Math.max(0.5, length - 1);
      for (const box of [{ x: from, y: 2, width: inner, height: 8 }, { x: 2, y: from, width: 8, height: inner }]) svg.append(draw("rect", { ...box, rx: 2, style: { fill: colour(cluster[i]) } }));
      if (length > 26) svg.append(draw("text", { class: "halo", x: from + length / 2, y: from + length / 2 + 5 }, String(cluster[i])));
      i = j;
    }
    const cursor = draw("rect", { class: "cursor", width: cell, height: cell, x: -99, y: -99 });
    svg.append(cursor);
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const inside = (v) => Math.max(0, Math.min(n - 1, v));
    return {
      n: n * n,
      describe: (at) => {
        const i = Math.floor(at / n), j = at % n;
        return `${clusterName(cluster[i])} with ${clusterName(cluster[j])}\nmean co-association ${part(value(i, j) / 100)}\nblocks of ${whole(size[i])} and ${whole(size[j])} objects`;
      },
      mark: (at) => fill(cursor, { x: edge + (at % n) * cell, y: edge + Math.floor(at / n) * cell }),
      at: (x, y) => (x < edge || y < edge ? -1 : inside(Math.floor((y - edge) / cell)) * n + inside(Math.floor((x - edge) / cell))),
      step: (at, key) => inside(Math.floor(at / n) + moves[key][0]) * n + inside((at % n) + moves[key][1]),
    };
  });
  const ramp = el("span", { class: "ramp", "aria-hidden": "true" }, ...[0.05, 0.25, 0.5, 0.75, 1].map((a) => el("i", { style: { background: `rgb(var(--heat-rgb) / ${a})` } })));
  host.append(el("p", { class: "legend" }, "0 never together", ramp, "1 always together"));
  const left = data.summary.n_clusters - new Set(cluster).size;
  const seen = size.reduce((a, b) => a + b, 0);
  host.append(el("p", { class: "note" }, `${n} blocks of about equal size within the clusters, in the order of the dendrogram${seen < labelled ? `, from a sample of ${whole(seen)} objects` : ""}.${left ? ` The ${whole(left)} smallest clusters are left out.` : ""}`));
}

function tree() {
  const host = byId("tree");
  const { leaves, merges, own } = data.tree;
  const n = leaves.length;
  const highest = Math.max(0.01, ...merges.map((merge) => merge[2]));
  const most = highest > 0.5 ? 1 : niceTop(highest * 1000) / 1000;
  figure(host, `Dendrogram of ${n} groups of objects`, (svg, width) => {
    const row = n > 60 ? 11 : 14, right = 118, top = 6, height = top + n * row + 30, span = width - right - 6;
    const x = (similarity) => 6 + span * Math.min(1, similarity / most);
    sized(svg, width, height);
    const place = leaves.map((_, i) => [most, top + (i + 0.5) * row, leaves[i][1]]);
    for (const [a, b, similarity] of merges) {
      const [xa, ya, ca] = place[a], [xb, yb, cb] = place[b];
      const same = ca === cb ? ca : null;
      svg.append(draw("path", { d: `M${x(xa)} ${ya}H${x(similarity)}V${yb}H${x(xb)}`, fill: "none", "stroke-width": 1.5, style: { stroke: same === null ? "var(--soft)" : colour(same) } }));
      place.push([similarity, (ya + yb) / 2, same]);
    }
    leaves.forEach(([objects, cluster], i) => {
      svg.append(draw("path", { d: shape(cluster, 4), transform: `translate(${x(most) + 4} ${place[i][1]})`, style: { fill: colour(cluster) } }));
      if (n <= 60) svg.append(draw("text", { x: x(most) + 14, y: place[i][1] + 4 }, `${cluster} · ${whole(objects)}`));
    });
    for (const value of [0, most / 2, most]) svg.append(draw("text", { x: x(value), y: height - 8, "text-anchor": value === 0 ? "start" : "middle" }, short(value)));
    svg.append(draw("path", { class: "axis", d: `M${x(0)} ${height - 24}H${x(most)}` }));
    const ring = draw("circle", { class: "cursor", r: 6, cx: -20, cy: -20 });
    svg.append(ring);
    return {
      n,
      describe: (i) => `${clusterName(leaves[i][1])}: a group of ${count(leaves[i][0], "object")}`,
      mark: (i) => fill(ring, { cx: x(most) + 4, cy: place[i][1] }),
      at: (px, py) => (py > top + n * row ? -1 : Math.max(0, Math.min(n - 1, Math.floor((py - top) / row)))),
    };
  });
  host.append(el("p", { class: "note" }, `Similarity at which groups merge; leaves are groups of objects (cluster · objects). ${own ? "The tree of the method itself, its main branches opened." : "The method makes no tree: this one joins the objects within its clusters, then the clusters, by their mean co-association."}${data.tree.n_objects < labelled ? ` Numbers of objects are estimates from a sample of ${whole(data.tree.n_objects)}.` : ""}`));
}
