// The game on the board: its moves, the place in it that is shown, and who plays.

import { positionOf } from "./rules.js";

export const YOU = "you";

export class Game extends EventTarget {
  moves = "";
  cursor = 0;
  rules = "first-four";
  seats = [YOU, YOU];
  /** Whether agents move by themselves when it is their turn at the end of the game. */
  live = true;
  title = "";
  /** Who played the recorded game that is shown, or null. */
  players = null;
  #position = positionOf("");

  /** The position shown. */
  get position() { return this.#position; }
  get atEnd() { return this.cursor === this.moves.length; }
  get mover() { return this.seats[this.#position.player]; }

  /** Play a column 0 to 6 here; what came after is forgotten. False if it can't be played. */
  play(column) {
    if (!this.#position.legal.includes(column)) return false;
    this.players = null;
    this.#set(this.moves.slice(0, this.cursor) + (column + 1), this.cursor + 1, "play");
    return true;
  }

  /** Whether undo and redo go to where a person may choose: not in a game of others. */
  get #alternating() { return this.seats.includes(YOU) && !this.players; }

  /** Back to where a person may choose again: one move, or two against an agent. */
  undo() {
    let target = this.cursor - 1;
    if (this.#alternating) while (target > 0 && this.seats[target % 2] !== YOU) target--;
    if (target >= 0) this.goTo(target);
  }

  redo() {
    let target = this.cursor + 1;
    const end = this.moves.length;
    if (this.#alternating) while (target < end && this.seats[target % 2] !== YOU) target++;
    if (target <= end) this.goTo(target);
  }

  goTo(cursor) {
    const next = Math.max(0, Math.min(cursor, this.moves.length));
    if (next !== this.cursor) this.#set(this.moves, next, next === this.cursor + 1 ? "forward" : "jump");
  }

  /** Begin anew. */
  restart() {
    this.live = true;
    this.title = "";
    this.players = null;
    this.#set("", 0, "jump");
  }

  /** Show a game; agents wait until they are told to go on. Throws if it can't be played. */
  load(moves, { rules = this.rules, cursor = moves.length, title = "", players = null } = {}) {
    positionOf(moves, rules);
    this.rules = rules;
    this.live = false;
    this.title = title;
    this.players = players;
    this.#set(moves, cursor, "jump");
  }

  seat(first, second) {
    this.seats = [first, second];
    this.#changed("seats");
  }

  setLive(live) {
    this.live = live;
    if (live) this.players = null;
    this.#changed("seats");
  }

  #set(moves, cursor, how) {
    this.#position = positionOf(moves.slice(0, cursor), this.rules);
    this.moves = moves;
    this.cursor = cursor;
    this.#changed(how);
  }

  #changed(how) {
    this.dispatchEvent(new CustomEvent("change", { detail: how }));
  }
}
