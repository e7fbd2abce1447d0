"use strict";
// Draws what the server says; decides nothing. All text goes in as text, never as markup.
const settings = JSON.parse(document.getElementById("settings").textContent);
const ENDS = { R: ["A", "B"], S: ["B", "C"], T: ["C", "A"] };
const byId = (id) => document.getElementById(id);
let state = null;
let chosen = null; // {column, value}
let queue = Promise.resolve();

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "circle", "rect", "path", "text", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// One request after the other, so that what is shown is what was done last.
function ask(request, said) {
  queue = queue.then(() => send(request, said));
  return queue;
}

async function send(request, said) {
  let answer;
  try {
    const reply = await fetch("/act", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ivme-Token": settings.token },
      body: JSON.stringify(request),
    });
    answer = await reply.json();
  } catch (error) {
    answer = { error: "the server does not answer: start ivme play again" };
  }
  byId("error").textContent = answer.error || "";
  if (answer.error) {
    byId("status").textContent = "";
    if (state) show();
    return;
  }
  state = answer;
  show();
  const steps = state.last.steps;
  const parts = ["minor", "major"].filter((kind) => steps[kind]).map((kind) => `${steps[kind]} for ${kind} rebalancing`);
  byId("status").textContent =
    request.do === "insert" || request.do === "delete"
      ? `${state.last.text}: ${steps.update} steps` + (parts.length ? `, and ${parts.join(" and ")}` : "")
      : said || "";
}

// --- the picture ---------------------------------------------------------------------------------------

function draw() {
  const holder = byId("graph");
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.place : null;
  const width = Math.max(280, holder.clientWidth);
  const most = Math.max(...Object.values(state.columns).map((values) => values.length));
  const notes = new Map(); // how many lines stand below a value
  for (const entry of state.status) {
    const key = `${entry.column}:${entry.value}`;
    notes.set(key, (notes.get(key) || 0) + 1);
  }
  const gap = 46 + 15 * Math.max(0, ...notes.values()), top = 52, height = top + most * gap;
  const places = ["A", "B", "C", "A"];
  const margin = width < 480 ? 34 : 60;
  const x = (place) => margin + (place * (width - 2 * margin)) / 3;
  const y = (column, value) => {
    const values = state.columns[column];
    return top + (values.indexOf(value) + (most - values.length) / 2) * gap;
  };
  const root = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "The graph" });
  for (const tuple of state.tuples) {
    const place = { R: 0, S: 1, T: 2 }[tuple.relation];
    const [from, to] = ENDS[tuple.relation];
    const [x1, y1, x2, y2] = [x(place), y(from, tuple.x), x(place + 1), y(to, tuple.y)];
    const heavy = tuple.part.startsWith("H") ? " heavy" : "";
    const name = `${tuple.relation}(${tuple.x}, ${tuple.y})`;
    const edge = element("path", { d: `M${x1} ${y1}L${x2} ${y2}`, class: `edge ${tuple.relation}${heavy}`, "data-tuple": name });
    edge.append(element("title", {}, `${name}, ${tuple.copies} ${tuple.copies === 1 ? "copy" : "copies"}, part ${tuple.part}`));
    root.append(edge);
    if (tuple.copies > 1)
      root.append(element("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2, class: "copies" }, `${tuple.copies}`));
  }
  places.forEach((column, place) => {
    root.append(element("text", { x: x(place), y: 14, class: "head" }, place === 3 ? "A again" : column));
    for (const value of state.columns[column]) root.append(node(column, value, place, x(place), y(column, value)));
  });
  holder.replaceChildren(root);
  if (focused) {
    const again = [...root.querySelectorAll("[data-place]")].find((found) => found.dataset.place === focused);
    if (again) again.focus();
  }
}

function node(column, value, place, x, y) {
  const found = state.status.filter((entry) => entry.column === column && entry.value === value);
  const heavy = found.filter((entry) => entry.heavy).map((entry) => entry.relation);
  const pressed = chosen !== null && chosen.column === column && chosen.value === value;
  const said = found.map((entry) => `${entry.heavy ? "heavy" : "light"} in ${entry.relation} with degree ${entry.degree}`);
  const label = `${column} value ${value}${place === 3 ? ", again" : ""}: ${said.join(", ") || "no partitioned tuples"}`;
  const group = element("g", {
    class: "value", role: "button", tabindex: "0", "aria-pressed": `${pressed}`, "aria-label": label,
    "data-place": `${place}:${value}`, "data-column": column, "data-value": value, "data-heavy": heavy.join(","),
  });
  const shape = heavy.length
    ? element("rect", { x: x - 17, y: y - 15, width: 34, height: 30, class: "node heavy" })
    : element("circle", { cx: x, cy: y, r: 16, class: "node" });
  const short = value.length > 4 ? value.slice(0, 3) + "…" : value;
  group.append(element("title", {}, label), shape, element("text", { x, y }, short));
  if (place < 3)
    found.forEach((entry, line) => {
      const note = `${entry.heavy ? "H" : "L"} in ${entry.relation}, d ${entry.degree}`;
      const wide = 6.3 * note.length, below = y + 25 + 14 * line;
      group.append(element("rect", { x: x - wide / 2, y: below - 7, width: wide, height: 14, class: "back" }));
      group.append(element("text", { x, y: below, class: "note" }, note));
    });
  group.addEventListener("click", () => choose(column, value));
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(column, value);
    }
    if (event.key === "Escape") {
      chosen = null;
      draw();
    }
  });
  return group;
}

function choose(column, value) {
  const first = chosen;
  if (first === null || first.column === column) {
    chosen = first !== null && first.value === value && first.column === column ? null : { column, value };
    draw();
    byId("status").textContent = chosen ? `${column} value ${value} chosen; choose a value of another column` : "";
    return;
  }
  const ends = { [first.column]: first.value, [column]: value };
  const relation = Object.keys(ENDS).find((name) => ENDS[name].every((end) => end in ends));
  const [x, y] = ENDS[relation].map((end) => ends[end]);
  const mode = document.querySelector("input[name=mode]:checked").value;
  chosen = null;
  ask({ do: mode, relation, x, y });
}

// --- the tables ----------------------------------------------------------------------------------------

function fill(table, heads, rows) {
  const head = element("tr", {}, ...heads.map((text, column) => {
    const number = rows.some((cells) => typeof cells[column] === "number");
    return element("th", { scope: "col", ...(number ? { class: "number" } : {}) }, text);
  }));
  const lines = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell) =>
      element("td", typeof cell === "number" ? { class: "number" } : {}, typeof cell === "number" ? cell.toLocaleString("en") : cell))));
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...lines));
}

const share = (text) => text.split("/").map(Number).reduce((p, q) => p / q);

const written = (row) => `(${row.join(", ")})`;

function rowsOf(listed) {
  const shown = listed.rows.map(([row, m]) => `${written(row)} ↦ ${m}`);
  if (listed.count > shown.length) shown.push(`and ${listed.count - shown.length} more`);
  return shown.join("; ") || "empty";
}

function show() {
  const { setting, costs, limits, last } = state;
  byId("query").value = `${setting.free}/${setting.partitioning}`;
  byId("epsilon").value = settings.epsilons.indexOf(setting.epsilon);
  byId("epsilon-text").textContent = setting.epsilon;
  byId("about").textContent = state.about;
  draw();
  const least = Math.floor(state.N / 4);
  const numbers = [
    ["|D|, tuples", `${state.size}, allowed from ${least} to ${state.N - 1}`],
    ["N", `${state.N}`],
    ["θ = N^ε", `${state.N}^(${setting.epsilon}), about ${Math.pow(state.N, share(setting.epsilon)).toFixed(2)}`],
    ["light → heavy", `at degree ${limits.light} (³⁄₂θ)`],
    ["heavy → light", limits.heavy > 1 ? `below degree ${limits.heavy} (½θ)` : "never while it has a tuple"],
    ["after loading", `heavy from degree ${limits.strict} on (θ)`],
  ];
  byId("numbers").replaceChildren(...numbers.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  const rows = state.answer.count;
  byId("answer-text").textContent =
    `△(${[...setting.free.toLowerCase()].join(", ")}) has ${rows} ${rows === 1 ? "row" : "rows"}; ` +
    `the sum of multiplicities is ${state.total}. Enumerating it took ${state.enumerated} steps.`;
  const heads = setting.free ? [...setting.free] : ["()"];
  fill(byId("answer"), [...heads, "multiplicity"],
    state.answer.rows.map(([row, m]) => [...(setting.free ? row : ["()"]), m]));
  fill(byId("costs"), ["", "last update", "all so far", "largest", "how many"], [
    ["updates", last.text ? last.steps.update : "", costs.updates, costs.largest_update, costs.update_count],
    ["minor rebalancing", last.text ? last.steps.minor : "", costs.minor, costs.largest_minor, costs.minor_count],
    ["major rebalancing", last.text ? last.steps.major : "", costs.major, costs.largest_major, costs.major_count],
    ["making the view", "", costs.preprocessing, "", ""],
  ]);
  byId("log").replaceChildren(...state.log.map((entry) =>
    element("li", { class: entry.kind }, entry.update ? `update ${entry.update}: ${entry.text}` : entry.text)));
  const parts = {};
  for (const tuple of state.tuples)
    ((parts[tuple.relation] ??= {})[tuple.part] ??= []).push(
      `(${tuple.x}, ${tuple.y})` + (tuple.copies > 1 ? ` ↦ ${tuple.copies}` : ""));
  fill(byId("parts"), ["relation", "part", "tuples"],
    Object.entries(parts).flatMap(([name, found]) => Object.entries(found).map(([part, list]) => [name, part, list.join(" ")])));
  fill(byId("views"), ["view", "rows", "content"],
    state.views.map((view) => [element("code", {}, view.name.replaceAll("+", " + ")), view.count, rowsOf(view)]));
}

// --- controls ------------------------------------------------------------------------------------------

for (const [free, partitioning, name] of settings.queries)
  byId("query").append(element("option", { value: `${free}/${partitioning}` }, name));
byId("query").addEventListener("change", () => {
  const [free, partitioning] = byId("query").value.split("/");
  ask({ do: "configure", free, partitioning }, "The view was rebuilt from the same tuples.");
});
byId("epsilon").max = settings.epsilons.length - 1;
byId("epsilon").addEventListener("input", () => {
  byId("epsilon").setAttribute("aria-valuetext", settings.epsilons[byId("epsilon").value]);
  byId("epsilon-text").textContent = settings.epsilons[byId("epsilon").value];
});
byId("epsilon").addEventListener("change", () =>
  ask({ do: "configure", epsilon: settings.epsilons[byId("epsilon").value] }, "The view was rebuilt from the same tuples."));
byId("presets").append("Start from");
for (const name of settings.presets) {
  const button = element("button", { type: "button", "data-preset": name }, name);
  button.addEventListener("click", () => {
    chosen = null;
    ask({ do: "preset", name }, `Preset ${name}.`);
  });
  byId("presets").append(button);
}
byId("relation").addEventListener("change", () => {
  const [from, to] = ENDS[byId("relation").value];
  byId("x-name").textContent = from.toLowerCase();
  byId("y-name").textContent = to.toLowerCase();
});
for (const id of ["x", "y"]) byId(id).maxLength = settings.longest;
byId("copies").max = settings.most;
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const what = event.submitter ? event.submitter.value : "insert";
  ask({ do: what, relation: byId("relation").value, x: byId("x").value, y: byId("y").value, copies: Number(byId("copies").value) });
});
let known = 0;
new ResizeObserver(() => {
  if (state && byId("graph").clientWidth !== known) {
    known = byId("graph").clientWidth;
    draw();
  }
}).observe(byId("graph"));
byId("epsilon").setAttribute("aria-label", "ε, the share of heavy and light");
ask({ do: "look" });
