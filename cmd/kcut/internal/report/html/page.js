"use strict";
// The slider over the steps of a run: which labels there were after each, and what they came to.
(() => {
  const trace = JSON.parse(document.getElementById("trace").textContent);
  const find = (id) => document.getElementById(id);
  const most = 24; // labels of a column that are shown

  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const number = (x) => String(Number(x.toPrecision(4)));
  const element = (name, kind, text) => {
    const e = document.createElement(name);
    e.className = kind;
    e.textContent = text;
    return e;
  };
  const name = (label) => trace.labels[label];

  // cuts returns the labels of every column after a number of steps. Of an algorithm that generalizes the release is
  // what is known, and its steps are taken back.
  const cuts = (at) => {
    const columns = trace.columns.map((column) => column.labels.slice());
    const replace = (step, from, to) => {
      const labels = columns[step.column];
      const place = Math.max(labels.indexOf(from[0]), 0);
      const kept = labels.filter((label) => !from.includes(label) || to.includes(label));
      kept.splice(Math.min(place, kept.length), 0, ...to.filter((label) => !kept.includes(label)));
      columns[step.column] = kept;
    };
    if (trace.up) {
      trace.steps.slice(at).reverse().forEach((step) => replace(step, [step.value], step.children));
    } else {
      trace.steps.slice(0, at).forEach((step) => replace(step, [step.value], step.children));
    }
    return columns;
  };

  // groups returns how many groups a set can have at most: no more than there are combinations of labels, nor than
  // groups of the smallest size fill the rows.
  const groups = (set, columns, smallest) => {
    const combinations = set.columns.reduce((n, column) => n * columns[column].length, 1);
    return Math.max(1, Math.min(combinations, Math.floor(trace.rows / Math.max(smallest, 1))));
  };

  const showSets = (columns, anonymity) => {
    trace.sets.forEach((set, i) => {
      const row = find("sets-at").rows[i];
      row.cells[1].textContent = anonymity ? grouped(anonymity[i]) : "\u2013";
      row.cells[3].textContent = anonymity ? grouped(groups(set, columns, anonymity[i])) : "\u2013";
    });
  };

  const showCut = (columns, step) => {
    columns.forEach((labels, i) => {
      const row = find("cut-at").rows[i];
      const made = step ? (trace.up ? [step.value] : step.children) : [];
      const changed = step ? step.column === i : false;
      row.cells[1].textContent = grouped(labels.length);
      const chips = element("div", "chips", "");
      const fresh = labels.findIndex((label) => made.includes(label));
      const from = changed ? Math.max(0, Math.min(fresh - 2, labels.length - most)) : 0;
      if (from > 0) chips.append(element("span", "chip more", grouped(from) + " before"));
      labels.slice(from, from + most).forEach((label) => {
        chips.append(element("span", changed ? (made.includes(label) ? "chip new" : "chip") : "chip", name(label)));
      });
      if (labels.length > from + most) chips.append(element("span", "chip more", grouped(labels.length - from - most) + " more"));
      row.cells[2].replaceChildren(chips);
    });
  };

  const showStep = (step) => {
    const what = find("what");
    if (!step) {
      what.textContent = trace.first > 0 ? "Earlier steps are left out." : trace.up ? "Before the first step every value is its own label." : "Before the first step every column has its widest label.";
    } else {
      const listed = step.children.slice(0, 12).map(name).join(" | ") + (step.children.length > 12 ? " | \u2026 of " + grouped(step.children.length) : "");
      const column = trace.columns[step.column].name;
      what.textContent = trace.up ? column + ": " + listed + " became " + name(step.value) : column + ": " + name(step.value) + (listed === name(step.value) ? " is disclosed" : " became " + listed);
    }
    find("gain").textContent = step ? number(step.gain) : "\u2013";
    find("loss").textContent = step ? number(step.loss) : "\u2013";
    find("score").textContent = step ? number(step.score) : "\u2013";
  };

  const slider = find("step");
  const show = () => {
    const at = Number(slider.value);
    const first = trace.first + at;
    const step = at > 0 ? trace.steps[at - 1] : null;
    const columns = cuts(at);
    find("at").textContent = grouped(first) + " of " + grouped(trace.total);
    slider.setAttribute("aria-valuetext", "step " + first + " of " + trace.total);
    showStep(step);
    showSets(columns, step ? step.anonymity : trace.start);
    showCut(columns, step);
    const x = trace.left + first / Math.max(trace.total, 1) * (trace.right - trace.left);
    find("marker").setAttribute("x1", x);
    find("marker").setAttribute("x2", x);
  };
  const move = (by) => {
    slider.value = Number(slider.value) + by;
    show();
  };
  slider.addEventListener("input", show);
  find("back").addEventListener("click", () => move(-1));
  find("on").addEventListener("click", () => move(1));
  slider.max = trace.steps.length;
  slider.value = trace.steps.length;
  find("anytime").hidden = false;
  show();
})();
