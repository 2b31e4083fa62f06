/* The consensus beside single clusterings, clusters over several k, and beside another model. */
function singles() {
  const found = data.singles;
  if (!found) return;
  byId("singles").hidden = false;
  const k = data.summary.n_clusters, low = found.agreement[0], high = found.agreement[found.agreement.length - 1];
  const middle = found.agreement[found.agreement.length >> 1];
  const same = found.n_same === 0 ? "none" : found.n_same === found.n_runs ? "every one" : whole(found.n_same);
  byId("singles-note").textContent = `A single run of k-means depends on its seed. Of ${found.n_runs} runs with k = ${k} on the same features, ${same} gave this partition (ARI of at least 0.99; the adjusted Rand index is 1 for equal clusterings and about 0 for unrelated ones). They agree with the consensus by ${part(low)} to ${part(high)} (median ${part(middle)}), and two of them with each other by ${part(found.among[2])} (median; ${part(found.among[0])} to ${part(found.among[4])}). Against the most typical run the consensus puts ${percent(found.share_changed, 1)} of the objects elsewhere.${found.n_objects < labelled ? ` Looked at: a sample of ${whole(found.n_objects)} objects.` : ""}`;
  bars(byId("single-runs"), {
    label: "Agreement of single k-means runs with the consensus", values: found.agreement.map((value) => Math.max(0, value)), top: 1,
    yTicks: [[0, "0"], [0.5, "0.5"], [1, "1"]], ticks: [[0, "least like it"], [1, "most like it"]],
    describe: (i) => `a run of k-means\nARI ${part(found.agreement[i], 3)} with the consensus`, height: 240,
  });
  table(byId("single-changes"), "Share of every cluster that the most typical run of k-means has elsewhere.", [
    { title: "Cluster", cells: found.changed.map((_, c) => c), show: (c) => el("span", {}, dot(c), word(clusterName(c))), text: true },
    { title: "Objects", cells: data.clusters.size.slice(0, found.changed.length), show: whole },
    { title: "Elsewhere", cells: found.changed, show: (value) => percent(value, 1) },
  ], { label: "What the consensus changed" });
}

function splits() {
  const found = data.splits;
  const host = byId("splits");
  if (!found) return;
  host.hidden = false;
  const total = found.sizes[0].reduce((a, b) => a + b, 0);
  const nodes = [];
  figure(host, `How clusters split from ${found.k[0]} to ${found.k[found.k.length - 1]} clusters`, (svg, width) => {
    const left = 64, row = 58, height = found.k.length * row + 8;
    sized(svg, width, height);
    nodes.length = 0;
    let order = [...found.sizes[0].keys()];
    const spots = [];
    found.k.forEach((k, level) => {
      if (level > 0) {
        const pull = found.sizes[level].map((_, j) => {
          let sum = 0, weight = 0;
          found.tables[level - 1].forEach((line, i) => { sum += line[j] * spots[level - 1][i][0]; weight += line[j]; });
          return sum / Math.max(1, weight);
        });
        order = [...pull.keys()].sort((a, b) => pull[a] - pull[b] || a - b);
      }
      const y = 30 + level * row, step = (width - left) / order.length;
      spots.push([]);
      order.forEach((j, place) => { spots[level][j] = [left + (place + 0.5) * step, y]; });
    });
    const lines = [];
    found.tables.forEach((tableOf, level) => tableOf.forEach((line, i) => line.forEach((value, j) => {
      const share = value / found.sizes[level + 1][j];
      if (share < 0.02) return;
      const [xa, ya] = spots[level][i], [xb, yb] = spots[level + 1][j];
      lines.push(draw("path", { d: `M${xa.toFixed(1)} ${ya}C${xa.toFixed(1)} ${ya + row / 2} ${xb.toFixed(1)} ${yb - row / 2} ${xb.toFixed(1)} ${yb}`, fill: "none", "stroke-opacity": (0.15 + 0.6 * share).toFixed(2), "stroke-width": Math.max(1, 16 * value / total).toFixed(1), style: { stroke: colour(found.belongs[level + 1][j]) } }));
    })));
    svg.append(...lines);
    found.k.forEach((k, level) => {
      svg.append(draw("text", { class: k === found.chosen ? "strong" : null, x: 2, y: 34 + level * row }, `k = ${k}`));
      found.sizes[level].forEach((size, j) => {
        const [x, y] = spots[level][j];
        const radius = Math.max(4, Math.min(20, 26 * Math.sqrt(size / total)));
        svg.append(draw("circle", { cx: x, cy: y, r: radius, style: { fill: colour(found.belongs[level][j]) } }));
        if (k === found.chosen && radius > 7) svg.append(draw("text", { class: "halo", x, y: y + 5 }, String(found.belongs[level][j])));
        nodes.push([level, j, x, y, radius]);
      });
    });
    const ring = draw("circle", { class: "cursor", r: 8, cx: -20, cy: -20 });
    svg.append(ring);
    return {
      n: nodes.length,
      describe: (at) => {
        const [level, j] = nodes[at];
        const from = level === 0 ? "" : found.tables[level - 1].map((line, i) => [line[j], i]).filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]).slice(0, 3)
          .map(([value]) => percent(value / found.sizes[level][j])).join(", ");
        return `k = ${found.k[level]}: ${count(found.sizes[level][j], "object")} (${percent(found.sizes[level][j] / total, 1)})\nmost of it lies in ${clusterName(found.belongs[level][j])}${from ? `\ncomes from ${from} of the clusters above` : ""}`;
      },
      mark: (at) => fill(ring, { cx: nodes[at][2], cy: nodes[at][3], r: nodes[at][4] + 4 }),
      at: (px, py) => nodes.findIndex(([, , x, y, radius]) => Math.hypot(px - x, py - y) < radius + 6),
    };
  });
  host.append(el("p", { class: "note" }, "The same consensus cut into more and more clusters, from above. A line leads to where the objects go, wide for many; several lines into one cluster say that it does not stem from one alone. Colours and numbers are those of the report."));
}

function versus() {
  const found = data.compare;
  if (!found) return;
  byId("compare").hidden = false;
  byId("compare-note").textContent = `${whole(found.n_objects)} objects have a label in both. The two clusterings agree by an ARI of ${part(found.ari)} (1 for equal ones, about 0 for unrelated ones) and an NMI of ${part(found.nmi)}.`;
  table(byId("compare-facts"), "", [
    { title: "", cells: found.rows.map((row) => row[0]), text: true },
    { title: "This report", cells: found.rows.map((row) => row[1]), text: true },
    { title: found.name, cells: found.rows.map((row) => row[2]), text: true },
  ], { sort: false, label: "Two models" });
  table(byId("compare-clusters"), "For every cluster the one of the other model that is most like it (Jaccard index: common objects by objects of either).", [
    { title: "Cluster", cells: found.best.map((_, c) => c), show: (c) => el("span", {}, dot(c), word(clusterName(c))), text: true },
    { title: "Objects", cells: found.table.map((row) => row.reduce((a, b) => a + b, 0)), show: whole },
    { title: "Most like it", cells: found.best.map(([j]) => j), show: (j) => `cluster ${j}` },
    { title: "Jaccard", cells: found.best.map(([, value]) => value) },
  ], { label: "Clusters of both models" });
}
