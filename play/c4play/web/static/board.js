// The board: an SVG picture behind seven real buttons, so that touch, keyboard and screen readers work.

import { $, NAMES, h, svg } from "./dom.js";
import { COLUMNS, ROWS, cellOf } from "./rules.js";

const EDGE = 20, CELL = 100, RADIUS = 41, TOP = 100, FOOT = 26;
const WIDTH = 2 * EDGE + COLUMNS * CELL, HEIGHT = 2 * EDGE + ROWS * CELL + FOOT;
const centre = (cell) => [EDGE + (cell % COLUMNS + 0.5) * CELL, EDGE + (Math.floor(cell / COLUMNS) + 0.5) * CELL];

const disc = (player, x, y) =>
  svg("g", { class: `disc p${player}`, transform: `translate(${x} ${y})` },
    svg("g", { class: "fall" },
      svg("circle", { r: RADIUS + 5, class: "face" }),
      svg("circle", { r: 30, class: "rim" }),
      svg("circle", { r: RADIUS + 5, class: "gloss" })));

export class Board {
  #discs = svg("g");
  #marks = svg("g");
  #ghost = svg("g", { class: "ghost" });
  #buttons = [];
  #chips = [];
  #texts = [];
  #shown = [];
  #selected = null;
  #position = null;
  #enabled = false;

  constructor(onColumn) {
    const holes = [...Array(COLUMNS * ROWS).keys()].map((cell) => {
      const [x, y] = centre(cell);
      return `M${x - RADIUS} ${y}a${RADIUS} ${RADIUS} 0 1 0 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 0 ${-2 * RADIUS} 0z`;
    });
    const rings = [...Array(COLUMNS * ROWS).keys()].map((cell) => {
      const [cx, cy] = centre(cell);
      return svg("circle", { cx, cy, r: RADIUS, class: "hole" });
    });
    const gradient = (id, ...stops) => svg("linearGradient", { id, x1: 0, y1: 0, x2: 0, y2: 1 },
      ...stops.map((name, index) => svg("stop", { offset: index, class: name })));
    $("board").append(
      svg("svg", { viewBox: `0 ${-TOP} ${WIDTH} ${HEIGHT + TOP}`, "aria-hidden": "true", focusable: "false" },
        svg("defs", {}, ...["front", "bevel", "shine"].map((id) => gradient(id, `${id}-top`, `${id}-bottom`)),
          gradient("gloss-fill", "gloss-top", "gloss-bottom"),
          svg("clipPath", { id: "inside" },
            svg("rect", { x: 0, y: -TOP, width: WIDTH, height: HEIGHT + TOP - 8 }))),
        svg("rect", { x: 6, y: 6, width: WIDTH - 12, height: HEIGHT - 12, rx: 30, class: "back" }),
        svg("g", { "clip-path": "url(#inside)" }, this.#ghost, this.#discs),
        svg("path", {
          "fill-rule": "evenodd", fill: "url(#front)",
          d: `M34 0H${WIDTH - 34}a34 34 0 0 1 34 34V${HEIGHT - 34}a34 34 0 0 1-34 34H34a34 34 0 0 1-34-34V34a34 34 0 0 1 34-34z${holes.join("")}`,
        }),
        svg("rect", { x: 2.5, y: 2.5, width: WIDTH - 5, height: HEIGHT - 5, rx: 32, class: "edge" }),
        svg("g", {}, ...rings),
        svg("g", { class: "numbers" }, ...[...Array(COLUMNS).keys()].map((column) =>
          svg("text", { x: centre(column)[0], y: HEIGHT - 14, "text-anchor": "middle" }, String(column + 1)))),
        this.#marks),
      h("div", { class: "chips", "aria-hidden": "true" },
        ...[...Array(COLUMNS).keys()].map((column) => (this.#chips[column] = h("span", { class: "chip" })))),
      h("div", { class: "columns", role: "group", "aria-label": "Board, columns 1 to 7" },
        ...[...Array(COLUMNS).keys()].map((column) => (this.#buttons[column] = h("button", {
          type: "button", class: "column", "data-column": column + 1,
          click: () => onColumn(column),
          pointerenter: (event) => { if (event.pointerType === "mouse") this.select(column); },
          pointerleave: () => this.select(null),
          focus: () => this.select(column), blur: () => this.select(null),
        })))));
  }

  /** Show a position. `how` is "play" or "forward" if its last stone has just been dropped. */
  show(position, how, enabled) {
    if (position !== this.#position) this.#draw(position, how === "play" || how === "forward");
    this.#enabled = enabled;
    $("board").classList.toggle("enabled", enabled);
    this.#label();
    this.select(this.#selected);
  }

  #draw(position, animate) {
    const last = position.ply ? this.#lastCell(position) : null;
    position.cells.forEach((owner, cell) => {
      const old = this.#shown[cell];
      if (old?.owner === owner) return;
      old?.element.remove();
      this.#shown[cell] = null;
      if (!owner) return;
      const element = disc(owner - 1, ...centre(cell));
      if (animate && cell === last) {
        const row = Math.floor(cell / COLUMNS);
        element.style.setProperty("--from", `${-(row + 1.2) * CELL}px`);
        element.style.setProperty("--time", `${220 + 60 * row}ms`);
        element.classList.add("dropping");
      }
      this.#discs.append(element);
      this.#shown[cell] = { owner, element };
    });
    this.#marks.replaceChildren();
    if (last !== null && !position.winning.includes(last)) {
      const [cx, cy] = centre(last);
      this.#marks.append(svg("circle", { cx, cy, r: 8, class: "last" }));
    }
    for (const cell of position.winning) {
      const [cx, cy] = centre(cell);
      this.#marks.append(svg("circle", { cx, cy, r: RADIUS - 1, class: "four", "data-cell": cell }));
    }
    this.#marks.classList.toggle("late", animate);
    this.#position = position;
    this.#texts = [];
    $("board").classList.add("stale"); // until the scores of this position arrive
  }

  #label() {
    const position = this.#position;
    this.#buttons.forEach((button, column) => {
      const stones = Array.from({ length: position.heights[column] }, (_, height) =>
        NAMES[position.cells[cellOf(column, height)] - 1].toLowerCase());
      const inside = stones.length === 0 ? "empty" : `from the bottom ${stones.join(", ")}`;
      const full = stones.length === ROWS ? ", full" : "";
      const exact = this.#texts[column] ? `; ${this.#texts[column]}` : "";
      button.setAttribute("aria-label", `Column ${column + 1}, ${inside}${full}${exact}`);
      button.setAttribute("aria-disabled", String(!this.#enabled || !position.legal.includes(column)));
    });
  }

  /** Scores over the columns: an answer of the solver, or null for none. */
  scores(answer) {
    $("board").classList.toggle("scored", answer !== null);
    $("board").classList.remove("stale");
    this.#chips.forEach((chip, column) => {
      const found = answer?.columns[column];
      const text = found?.text ?? "";
      const [word, , number] = text.split(" ");
      chip.className = `chip ${word ?? ""} ${found && found.score === answer.score ? "best" : ""}`;
      chip.dataset.text = text;
      chip.replaceChildren(...(found ? [h("b", {}, word), h("i", {}, number ?? "=")] : []));
      chip.title = text;
      this.#texts[column] = text;
    });
    this.#label();
  }

  /** Point at a column, or at none. */
  select(column) {
    this.#selected = column;
    this.#buttons.forEach((button, index) => button.classList.toggle("selected", index === column));
    this.#ghost.replaceChildren();
    if (column !== null && this.#enabled && this.#position.legal.includes(column)) {
      this.#ghost.append(disc(this.#position.player, centre(column)[0], -46));
    }
  }

  /** Move the keyboard's choice left or right. */
  step(by) {
    const from = this.#selected ?? (by > 0 ? 2 : 4);
    this.#buttons[(from + by + COLUMNS) % COLUMNS].focus();
  }

  get selected() { return this.#selected; }

  #lastCell(position) {
    const column = Number(position.moves.at(-1)) - 1;
    return cellOf(column, position.heights[column] - 1);
  }
}
