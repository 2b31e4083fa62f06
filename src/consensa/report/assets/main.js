/* Theme, navigation, and everything drawn once. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let theme = null;
function setTheme() {
  const now = theme === null ? (dark.matches ? "dark" : "light") : theme;
  document.documentElement.dataset.theme = now;
  byId("theme").textContent = now === "dark" ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Use ${now === "dark" ? "light" : "dark"} colours`);
}
dark.addEventListener("change", setTheme);
byId("theme").addEventListener("click", () => {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
window.addEventListener("scroll", hideTip, { passive: true });

byId("print").addEventListener("click", () => { document.documentElement.dataset.print = "summary"; window.print(); });
window.addEventListener("afterprint", () => { delete document.documentElement.dataset.print; });
if (location.hash === "#summary") document.documentElement.dataset.print = "summary";

setTheme();
for (const part of [overview, objectMap, portraits, clusterTable, columnTable, histogram, least, heatmap, tree, curves, testedSplits, splits, singles, versus, ranks, baseTable, profile, flow, recipe]) part();

const links = new Map();
for (const section of document.querySelectorAll("main > section")) {
  if (section.hidden) continue;
  const title = section.id === "overview" ? "Overview" : section.id === "flow" ? "Flow" : section.id === "singles" ? "Single runs" : section.querySelector("h2").textContent;
  const link = el("a", { href: `#${section.id}` }, title);
  links.set(section, link);
  byId("nav").append(el("li", {}, link));
}
const watch = new IntersectionObserver((seen) => {
  for (const entry of seen) {
    if (!entry.isIntersecting) continue;
    links.forEach((link) => link.removeAttribute("aria-current"));
    links.get(entry.target).setAttribute("aria-current", "true");
  }
}, { rootMargin: "-30% 0px -60% 0px" });
links.forEach((_, section) => watch.observe(section));

/* In the frame of a notebook, "#part" would be a part of the notebook, and other pages may not open in the frame. */
if (document.URL.startsWith("about:srcdoc")) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const where = link === null ? "" : link.getAttribute("href");
    if (where.startsWith("https:")) link.target = "_blank";
    if (!where.startsWith("#")) return;
    event.preventDefault();
    byId(where.slice(1)).scrollIntoView();
    byId(where.slice(1)).focus({ preventScroll: true });
  });
}
document.documentElement.dataset.ready = "true";
