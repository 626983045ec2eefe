// Exact scores along a game: over the board, as marks on its moves, and as a curve.

import { solve } from "./api.js";
import { $, NAMES, h, svg } from "./dom.js";
import { positionOf } from "./rules.js";

const MARKS = { inaccuracy: "?!", blunder: "??" };
const WIDTH = 360, HEIGHT = 120, LEFT = 8, RIGHT = 352;

export class Review {
  #game;
  #answers = [];
  #of = null;
  #run = 0;

  constructor(game) {
    this.#game = game;
  }

  /** The scores known of the position at a ply of the game, or undefined. */
  at(ply) { return this.#current() ? this.#answers[ply] : undefined; }

  /** The mark of the move made at a ply: "perfect", "inaccuracy", "blunder", or undefined if it is not known. */
  grade(ply) {
    return this.at(ply)?.columns[Number(this.#game.moves[ply]) - 1]?.grade;
  }

  /** Ask about all positions of the game, one after the other; `told` is called as answers arrive. */
  async follow(told) {
    const run = ++this.#run;
    const { moves, rules } = this.#game;
    if (!this.#current()) this.#answers = [];
    this.#of = moves;
    if (rules !== "first-four") return;
    for (let ply = 0; ply <= moves.length; ply++) {
      const sofar = moves.slice(0, ply);
      if (this.#answers[ply] || positionOf(sofar).over) continue;
      let answer;
      try {
        answer = await solve(sofar);
      } catch {
        continue;
      }
      if (run !== this.#run) return;
      this.#answers[ply] = answer;
      told();
    }
  }

  #current() {
    // Answers stay right while the game only grows.
    const { moves, rules } = this.#game;
    if (rules !== "first-four" || this.#of === null) return false;
    if (!moves.startsWith(this.#of)) {
      let same = 0;
      while (same < moves.length && moves[same] === this.#of[same]) same++;
      this.#answers.length = Math.min(this.#answers.length, same + 1);
      this.#of = moves.slice(0, same);
    }
    return true;
  }
}

/** The moves as buttons, with marks where they are known. */
export function showMoves(game, review) {
  $("moves").replaceChildren(...[...game.moves].map((move, ply) => {
    const grade = review.grade(ply);
    const mark = MARKS[grade];
    return h("li", {}, h("button", {
      type: "button",
      class: `move ${grade ?? ""} ${ply >= game.cursor ? "after" : ""}`,
      "aria-current": ply === game.cursor - 1 ? "step" : null,
      "aria-label": `Move ${ply + 1}: ${NAMES[ply % 2]} in column ${move}${mark ? `, ${grade}` : ""}`,
      title: mark ? `${grade}: ${review.at(ply).columns[move - 1].text}, best was ${review.at(ply).text}` : null,
      click: () => game.goTo(ply + 1),
    }, h("span", { class: `stone p${ply % 2}` }), move, mark ? h("sup", {}, mark) : null));
  }));
}

/** The curve of the game: up is good for Yellow. */
export function showGraph(game, review) {
  const plies = Math.max(game.moves.length, 1);
  const x = (ply) => LEFT + ((RIGHT - LEFT) * ply) / Math.max(plies, 12);
  const points = [];
  for (let ply = 0; ply <= game.moves.length; ply++) {
    const value = worth(game, review, ply);
    if (value !== null) points.push([x(ply), HEIGHT / 2 - value * (HEIGHT / 2 - 8), ply]);
  }
  const half = HEIGHT / 2;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Exact score over the game; up is good for Yellow" },
    svg("rect", { x: 0, y: 0, width: WIDTH, height: half, rx: 8, class: "zone0" }),
    svg("rect", { x: 0, y: half, width: WIDTH, height: half, rx: 8, class: "zone1" }),
    svg("line", { x1: 0, x2: WIDTH, y1: half, y2: half, class: "axis" }),
    svg("text", { x: 8, y: 15 }, "Yellow wins"),
    svg("text", { x: 8, y: HEIGHT - 7 }, "Red wins"),
    svg("line", { x1: x(game.cursor), x2: x(game.cursor), y1: 0, y2: HEIGHT, class: "here" }),
    svg("polyline", { points: points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" "), class: "curve" }),
    ...points.map(([cx, cy, ply]) => {
      const grade = ply ? review.grade(ply - 1) : undefined;
      return svg("circle", { cx, cy, r: MARKS[grade] ? 4.5 : 2.5, class: `dot ${grade ?? ""}` });
    }),
    ...points.map(([px, , ply]) => svg("rect", {
      x: px - 8, y: 0, width: 16, height: HEIGHT, class: "hit", click: () => game.goTo(ply),
    })));
  $("graph").replaceChildren(picture);
}

/** The value of the game at a ply from -1 to 1 for Yellow: a sooner win counts more, and any win at least a third. */
function worth(game, review, ply) {
  const position = positionOf(game.moves.slice(0, ply), game.rules);
  if (position.over) return position.winner === null ? 0 : position.winner === 0 ? 1 : -1;
  const answer = review.at(ply);
  if (!answer) return null;
  const forYellow = position.player === 0 ? answer.score : -answer.score;
  return Math.sign(forYellow) * (forYellow ? 0.3 + (0.7 * Math.abs(forYellow)) / 18 : 0);
}
