// What agents think of the position: bars by column, value, line, nodes and time.

import { askOpinion } from "./api.js";
import { h } from "./dom.js";
import { Picker } from "./picker.js";

export class Opinion {
  #picker;
  #body = h("div", { class: "fields" });
  #asked = null;
  #position = null;

  constructor(place, agents, value) {
    const head = h("div", { class: "fields" });
    place.append(h("div", { class: "opinion" }, head, this.#body));
    this.#picker = new Picker(head, agents, {
      value, brief: true, label: "Agent to ask", onChange: () => this.show(this.#position),
    });
  }

  /** Ask about a position. */
  async show(position) {
    this.#position = position;
    this.#asked?.abort();
    const asked = this.#asked = new AbortController();
    if (position.over) {
      this.#body.replaceChildren();
      return;
    }
    this.#body.setAttribute("aria-busy", "true");
    try {
      const found = await askOpinion(this.#picker.value, position, asked.signal);
      if (asked === this.#asked) this.#draw(found);
    } catch (error) {
      if (asked === this.#asked && error.name !== "AbortError") {
        this.#body.replaceChildren(h("p", { class: "note" }, error.message));
      }
    }
    if (asked === this.#asked) this.#body.removeAttribute("aria-busy");
  }

  #draw(found) {
    const sizes = heights(found);
    const bars = found.texts.map((exact, column) => {
      const score = found.scores[column];
      const text = found.kind === "value" && score !== null && Math.abs(score) < 1 ? score.toFixed(2) : exact;
      const short = text.replace(" in ", " ");
      const bar = h("div", { class: `bar ${column === found.column ? "best" : ""}`, title: `column ${column + 1}: ${text}` },
        h("b", {}, short), h("div", { class: "track" }, h("i")), h("span", {}, String(column + 1)));
      bar.style.setProperty("--fill", `${Math.round(100 * sizes[column])}%`);
      return bar;
    });
    const rows = [h("div", { class: "bars" }, ...bars)];
    if (found.value !== null) {
      const scale = h("div", { class: "scale" }, h("i"));
      scale.style.setProperty("--at", `${50 + 50 * Math.max(-1, Math.min(1, found.value))}%`);
      rows.push(h("div", { class: "value" }, "value", scale, h("b", {}, found.value.toFixed(2))));
    }
    const unit = found.visits ? "playouts" : found.nodes === 1 ? "evaluation" : "nodes";
    const facts = [
      found.depth === null ? null : `depth ${found.depth}`,
      found.nodes ? `${found.nodes.toLocaleString("en")} ${unit}` : null,
      `${(1000 * found.seconds).toFixed(1)} ms`,
    ].filter(Boolean).join(" · ");
    rows.push(h("div", { class: "facts" }, "plays ", h("b", {}, String(found.column + 1)),
      found.line.length > 1 ? ` · line ${found.line.slice(0, 14).map((column) => column + 1).join(" ")}` : ""));
    rows.push(h("div", { class: "facts" }, facts));
    this.#body.replaceChildren(...rows);
  }
}

/** How full each bar is, 0 to 1: a probability as it is, values by their place between worst and best. */
function heights({ scores, kind }) {
  if (kind === "probability") return scores.map((score) => score ?? 0);
  const known = scores.filter((score) => score !== null);
  if (kind === "value" && known.every((score) => Math.abs(score) <= 1)) {
    return scores.map((score) => (score === null ? 0 : Math.max(0.03, (score + 1) / 2)));
  }
  // A won or lost column would dwarf the rest, so what counts is the order and the distance in signed logarithms.
  const bent = scores.map((score) => (score === null ? null : Math.sign(score) * Math.log1p(Math.abs(score))));
  const least = Math.min(...bent.filter((score) => score !== null)), most = Math.max(...bent.filter((score) => score !== null));
  return bent.map((score) => (score === null ? 0 : most === least ? 0.5 : 0.05 + (0.95 * (score - least)) / (most - least)));
}
