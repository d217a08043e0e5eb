"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { names, views, scatters } = data;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const write = (selector, text) => all(selector).forEach((node) => { node.textContent = text; });
  const known = (x) => x !== null && x !== undefined;
  const minus = (text) => text.replace("-", "−");
  const number = (x, digits = 3) => (known(x) ? minus(x.toFixed(digits).replace(/^-(?=[0.]*$)/, "")) : "");
  const signed = (x) => (known(x) ? number(x).replace(/^(?!−)/, "+") : "");
  const limit = (x) => (known(x) && x !== 0 && !/[1-9]/.test(number(x)) ? minus(String(Number(x.toPrecision(1)))) : number(x));
  const limits = (low, high) => (known(low) ? `[${limit(low)}, ${limit(high)}]` : "");
  const svg = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    return parent.appendChild(node);
  };
  const usual = (list) => { // within Tukey's outer fences
    const sorted = [...list].sort((a, b) => a - b);
    const [q1, q3] = [0.25, 0.75].map((q) => sorted[Math.floor(q * (sorted.length - 1))]);
    const far = 3 * (q3 - q1) || Infinity;
    return sorted.filter((x) => x >= q1 - far && x <= q3 + far);
  };
  const chooser = (id) => document.getElementById(id);
  let view = views[0];
  const orderOf = () => names.map((_, i) => i).sort((a, b) => known(view.value[b]) - known(view.value[a]) || view.sign * (view.value[b] - view.value[a]));
  let order = orderOf();
  let baseline = data.baseline;
  let sorting = { key: "rank", direction: 1 };

  const beside = () => data.named || baseline !== order[0];
  const own = () => beside() && view.p_beside;
  const fromBest = () => !beside() && view.out;
  const differs = (i) => (fromBest() ? view.out[i] : (own() ? view.differs_beside : view.differs)[i][baseline]);
  const corrected = () => (own() ? data.beside : view.means);
  const means = () => (fromBest() ? view.ruled : `significant, ${corrected()}`);
  const adjusted = () => (own() ? view.p_beside : view.p);
  const drawForest = () => {
    const column = (matrix) => (matrix ? matrix.map((row) => row[baseline]) : null);
    const d = column(view.difference);
    const turned = (list) => list.map((x) => (known(x) ? 0 - view.sign * x : null));
    const behind = view.sign > 0 ? [view.behind_upper, view.behind_lower] : [view.behind_lower, view.behind_upper];
    const bounded = fromBest() || view.difference_lower;
    const low = fromBest() ? turned(behind[0]) : column(view.difference_lower) ?? d;
    const high = fromBest() ? turned(behind[1]) : column(view.difference_upper) ?? d;
    all(".of-heading").forEach((th, k) => { th.textContent = (fromBest() ? view.headings : view.beside)[k]; });
    [["bare", !bounded], ["beside", !fromBest()]].forEach(([name, on]) => one("#forest").classList.toggle(name, on));
    const shown = one("#forest .folded") ? order.slice(0, data.folded) : order;
    const ends = (list) => shown.map((i) => list[i]).filter(known);
    const all_of = [[...ends(low), ...ends(d)], [...ends(high), ...ends(d)]];
    const [whole, most_rows] = [(list) => list, usual].map((of) => [Math.min(0, ...of(all_of[0])), Math.max(0, ...of(all_of[1]))]);
    const cut = shown.length >= 8 && whole[1] - whole[0] > 1.5 * (most_rows[1] - most_rows[0]); // by a few rows far from the others
    const [least, most] = cut ? most_rows : whole;
    const reach = most - least || 1;
    const inside = (x) => Math.max(least, Math.min(most, x));
    const at = (x) => `${(4 + (92 * (inside(x) - least)) / reach).toFixed(2)}%`;
    write(".of-limits", `${fromBest() ? view.lines : data.limits[bounded ? 0 : 1]}${cut ? ". Arrows: beyond the axis" : ""}`);
    const power = 10 ** Math.floor(Math.log10(reach / 4));
    const step = [1, 2, 5, 10].map((times) => power * times).find((size) => size >= reach / 4);
    const axis = one("#forest tfoot svg");
    axis.replaceChildren();
    const every = (0.92 * axis.clientWidth * step) / reach < 8 * `${step.toPrecision(1)}`.length + 12 ? 2 : 1; // labels do not touch
    svg("line", { class: "axis", x1: 0, x2: "100%", y1: 1, y2: 1 }, axis);
    for (let k = Math.ceil(least / step); k <= Math.floor((least + reach) / step); k += 1) {
      svg("line", { class: "axis", x1: at(step * k), x2: at(step * k), y1: 1, y2: 6 }, axis);
      if (k % every === 0) svg("text", { x: at(step * k), y: 19 }, axis).textContent = minus(String(Number((step * k).toPrecision(3))));
    }
    const body = one("#forest tbody");
    const rows = new Map(all("tr", body).map((row) => [Number(row.dataset.metric), row]));
    order.forEach((i) => {
      const row = rows.get(i);
      const drawing = row.querySelector("svg");
      drawing.replaceChildren();
      svg("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 18 }, drawing);
      if (known(d[i])) {
        if (bounded && known(low[i])) svg("line", { class: "interval", x1: at(low[i]), x2: at(high[i]), y1: 9, y2: 9 }, drawing);
        const sure = differs(i) ? "sure" : "unsure";
        [[low[i], -1], [high[i], 1]].forEach(([limit, side]) => {
          const x = [limit, d[i]].filter(known).find((v) => side * (v - inside(v)) > 0);
          if (x === undefined) return;
          const arrow = svg("svg", { x: at(x), height: 18, width: 1 }, drawing);
          svg("path", { class: side * (d[i] - inside(d[i])) > 0 ? `beyond ${sure}` : "beyond", d: `M0 5l${6 * side} 4l${-6 * side} 4z` }, arrow);
        });
        if (inside(d[i]) === d[i]) {
          const mark = svg("circle", { class: sure, cx: at(d[i]), cy: 9, r: 4 }, drawing);
          svg("title", {}, mark).textContent = `${names[i]}: ${signed(d[i])}`;
        }
      }
      const [text, tip] = i === baseline ? data.own[fromBest() ? 0 : 1] : [fromBest() ? number(d[i]).replace("−", "") : signed(d[i]), ""];
      const ends_of = fromBest() ? (known(d[i]) ? view.behind[i] : "") : bounded && i !== baseline ? limits(low[i], high[i]) : "";
      const [here, beyond] = row.querySelectorAll(".number");
      Object.assign(here, { textContent: text, title: tip });
      beyond.textContent = ends_of;
      body.append(row);
    });
    chooser("marks").hidden = fromBest();
    chooser("filled").hidden = !all("circle.sure", body).some((mark) => mark.getClientRects().length);
  };

  const cell = {
    rank: (i) => number(view.rank[i], 0),
    value: (i) => number(view.value[i]),
    interval: (i) => (view.lower ? limits(view.lower[i], view.upper[i]) : ""),
    difference: (i) => signed(view.difference[i][baseline]),
    p: (i) => (adjusted() && i !== baseline ? number(adjusted()[i][baseline], 4) : ""),
    wins: (i) => number(view.wins[i], 0),
    cluster: (i) => number(view.cluster[i], 0),
  };
  const drawTable = () => {
    const body = one("#table tbody");
    const rows = all("tr", body);
    rows.forEach((row) => all("td", row).forEach((td) => { if (cell[td.dataset.key]) td.textContent = cell[td.dataset.key](Number(row.dataset.metric)); }));
    const key = (row) => {
      const i = Number(row.dataset.metric);
      if (sorting.key === "metric") return names[i].toLowerCase();
      const shown = row.querySelector(`[data-key="${sorting.key}"]`).textContent;
      const text = shown.replace("−", "-").replace("+", "");
      return text === "" ? null : Number.isNaN(parseFloat(text)) ? text : parseFloat(text);
    };
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    rows.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return sorting.direction * compare(x, y);
    });
    body.append(...rows);
    all("#table thead th").forEach((th) => {
      th.removeAttribute("aria-sort");
      if (th.dataset.key === sorting.key) th.setAttribute("aria-sort", sorting.direction > 0 ? "ascending" : "descending");
    });
  };

  const drawMatrix = () => {
    const shade = (d) => (known(d) ? Math.round(5 * Math.max(-1, Math.min(1, d / view.scale))) + 0 : 0);
    all("#matrix thead th span").forEach((span, j) => { span.textContent = names[order[j]]; });
    all("#matrix tbody tr").forEach((row, r) => {
      const i = order[r];
      row.firstElementChild.textContent = names[i];
      all("td", row).forEach((td, c) => {
        const j = order[c];
        const d = view.difference[i][j];
        const edge = c > r && view.cluster[i] !== view.cluster[j] && view.cluster[order[c - 1]] === view.cluster[i];
        td.className = `s${shade(d)}${edge ? " edge" : ""}`;
        td.textContent = i === j ? "" : c > r ? view.marks[i][j] : known(d) ? number(-100 * d, 0) : "";
      });
    });
  };

  const unpack = ([low, high, text]) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const places = new DataView(bytes.buffer);
    return Float64Array.from({ length: bytes.length / 2 }, (_, k) => low + ((high - low) * places.getUint16(2 * k, true)) / 65535);
  };
  const box = { left: 56, right: 470, top: 8, bottom: 312 };
  const drawScatter = () => {
    const metric = Number(chooser("scatter-metric").value);
    const scatter = scatters[Number(chooser("scatter-group")?.value ?? 0)];
    const [x, y] = [scatter.scores[metric], scatter.human];
    const better = scatter.higher[metric];
    const clouds = scatter.packed ? [unpack(scatter.packed[metric + 1]), unpack(scatter.packed[0])] : [[], []];
    const range = (points, cloud) => {
      let [low, high] = [Infinity, -Infinity];
      [points.filter(known), cloud].forEach((list) => list.forEach((v) => { low = Math.min(low, v); high = Math.max(high, v); }));
      const margin = 0.04 * (high - low) || 0.5;
      return [low - margin, high + margin];
    };
    const [x0, x1] = range(x, clouds[0]);
    const [y0, y1] = range(y, clouds[1]);
    const across = (v) => { const t = (v - x0) / (x1 - x0); return box.left + (better ? t : 1 - t) * (box.right - box.left); };
    const down = (v) => box.bottom - ((v - y0) / (y1 - y0)) * (box.bottom - box.top);
    const drawing = one("#scatter svg");
    drawing.replaceChildren();
    svg("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }, drawing);
    svg("line", { x1: box.left, x2: box.left, y1: box.top, y2: box.bottom }, drawing);
    const label = (text, px, py, anchor, turn) => {
      const node = svg("text", { x: px, y: py, "text-anchor": anchor, ...(turn ? { transform: `rotate(-90 ${px} ${py})` } : {}) }, drawing);
      node.textContent = text;
    };
    const brief = (v) => minus(String(Number(v.toPrecision(3))));
    const ticks = (low, high) => {
      const raw = (high - low) / 4;
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
      const first = Math.ceil(low / step);
      return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => (first + k) * step);
    };
    ticks(x0, x1).forEach((v) => label(brief(v), across(v), box.bottom + 18, "middle"));
    ticks(y0, y1).forEach((v) => label(brief(v), box.left - 6, down(v) + 4, "end"));
    label(`${names[metric]}${better ? "" : ", lower is better"}`, (box.left + box.right) / 2, 350, "middle");
    label("people", 14, (box.top + box.bottom) / 2, "middle", true);
    const tip = one("#scatter .tip");
    scatter.systems.forEach((system, s) => {
      if (!known(x[s]) || !known(y[s])) return;
      const [px, py] = [across(x[s]), down(y[s])];
      const point = svg("path", { d: `M${px} ${py - 6}l6 6l-6 6l-6-6z`, "data-system": system }, drawing);
      const show = () => {
        tip.textContent = `${system}: people ${number(y[s])}, metric ${number(x[s])}`;
        tip.style.left = `${(100 * Math.max(110, Math.min(370, px))) / 480}%`;
        tip.style.top = `${(100 * py) / 360}%`;
        tip.hidden = false;
      };
      point.addEventListener("pointerenter", show);
      point.addEventListener("pointerleave", () => { tip.hidden = true; });
    });
    const canvas = one("#scatter canvas");
    const brush = canvas.getContext("2d");
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--blue");
    brush.globalAlpha = Math.max(0.15, Math.min(0.7, 1500 / (clouds[0].length || 1)));
    clouds[0].forEach((v, k) => brush.fillRect(2 * across(v) - 1, 2 * down(clouds[1][k]) - 1, 2.5, 2.5));
    write("#scatter-text", `${scatter.label ? `${scatter.label}, ` : ""}${scatter.counted}.`);
    write("#scatter-behind", scatter.behind);
    write("#systems .of-metric", names[metric]);
    one("#systems tbody").replaceChildren(...scatter.systems.map((system, s) => {
      const row = document.createElement("tr");
      row.innerHTML = '<th scope="row"></th><td class="number"></td><td class="number"></td>';
      [system, number(y[s]), number(x[s])].forEach((text, k) => { row.children[k].textContent = text; });
      return row;
    }));
  };

  const tell = () => {
    const others = order.filter((i) => i !== baseline && differs(i));
    const part = (sign) => others.filter((i) => sign * view.difference[i][baseline] * view.sign > 0).map((i) => names[i]);
    const said = (list, word) => `${list.length || "none"} ${word}${list.length ? ` (${list.join(", ")})` : ""}`;
    const node = document.getElementById("against");
    node.textContent = `Metrics that differ from ${names[baseline]} (${view.label}): ${said(part(1), "better")}, ${said(part(-1), "worse")}; ${corrected()}.`;
    node.hidden = !beside();
    mark();
  };

  const rowsOf = () => all("#table tr").map((row) => [...row.children].map((node) => node.textContent.trim()));
  const forms = {
    Markdown: ([head, ...rows]) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((t) => t.replaceAll("|", "\\|")).join(" | ")} |`).join("\n"),
    CSV: (rows) => rows.map((row) => row.map((t) => t.replaceAll("−", "-")).map((t) => (/[",\n]|^[=+@-]\D/.test(t) ? `"${t.replaceAll('"', '""')}"` : t)).join(",")).join("\n"),
    LaTeX: ([head, ...rows]) => {
      const line = (row) => `${row.map((t) => t.replace(/[\\&%$#_{}~^]/g, (c) => ({ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" })[c] ?? `\\${c}`).replaceAll("−", "$-$").replaceAll("◀", "$\\triangleleft$").replaceAll("↓", "$\\downarrow$")).join(" & ")} \\\\`;
      return [`\\begin{tabular}{${head.map((_, k) => (k === 1 ? "l" : "r")).join("")}}`, "\\toprule", line(head), "\\midrule", ...rows.map(line), "\\bottomrule", "\\end{tabular}"].join("\n");
    },
  };
  all("[data-copy]").forEach((button) => button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(`${forms[button.dataset.copy](rowsOf())}\n`);
    write("#copied", `copied as ${button.dataset.copy}`);
  }));
  const foldable = all("#table tbody, #forest tbody");
  const all_metrics = chooser("all");
  if (all_metrics) foldable.forEach((body) => body.classList.add("folded"));
  all_metrics?.addEventListener("click", () => { foldable.forEach((body) => body.classList.remove("folded")); all_metrics.hidden = true; drawForest(); });
  const table = chooser("table");
  const mark = () => table.classList.toggle("against", beside());
  table.classList.add("brief");
  mark();
  chooser("columns").addEventListener("click", (event) => { table.classList.remove("brief"); event.target.hidden = true; });
  addEventListener("beforeprint", () => {
    all_metrics?.click();
    all("section > details").forEach((part) => { part.open = true; });
  });
  matchMedia("(max-width: 600px)").addEventListener("change", () => drawForest()); // fewer rows

  const draw = () => {
    tell();
    write(".of-view", view.label);
    write(".of-value", view.measure);
    write(".of-baseline", names[baseline]);
    all("#baseline option").forEach((option) => {
      const i = Number(option.value);
      option.textContent = !data.named && view.out && i === order[0] ? "the best" : names[i];
    });
    write("#differences-title", fromBest() ? "How far behind the best?" : `Differences from ${names[baseline]}`);
    write(".of-new", view.new && `, ${view.new}`);
    write(".of-differs", means());
    all(".of-note").forEach((node) => Object.assign(node, { textContent: view.note, hidden: !view.note }));
    write(".of-test", `${view.test}, ${view.means}`);
    drawForest();
    drawTable();
    drawMatrix();
  };
  all("#table thead th").forEach((th) => {
    if (Number(th.dataset.direction) === 0) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener("click", () => {
      const same = sorting.key === th.dataset.key;
      sorting = { key: th.dataset.key, direction: same ? -sorting.direction : Number(th.dataset.direction) };
      drawTable();
    });
  });
  all(".needs-script, #controls").forEach((node) => { node.hidden = false; });
  chooser("baseline").value = baseline;
  drawForest();
  chooser("baseline").addEventListener("change", (event) => { baseline = Number(event.target.value); draw(); });
  chooser("view")?.addEventListener("change", (event) => { view = views[Number(event.target.value)]; order = orderOf(); draw(); });
  if (scatters.length) {
    chooser("scatter-metric").addEventListener("change", drawScatter);
    chooser("scatter-group")?.addEventListener("change", drawScatter);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawScatter);
    drawScatter();
  }
})();
