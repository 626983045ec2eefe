// Who moves by itself: agents whose turn it is, and recorded games that are played through.

import { askMove } from "./api.js";
import { toast } from "./dom.js";
import { YOU } from "./game.js";

const PAUSES = [3000, 1500, 800, 400, 150, 0];
const SETTLING = 420;

export class Driver extends EventTarget {
  /** Milliseconds between moves when nobody plays but agents. */
  pause = PAUSES[2];
  replaying = false;
  thinking = false;
  #game;
  #asked = null;
  #timer = null;
  #moved = 0;

  constructor(game) {
    super();
    this.#game = game;
  }

  /** Do what a change of the game asks for; to be called once it is shown. */
  follow(how) {
    if (how !== "seats") this.#moved = performance.now();
    if (how === "jump") this.replaying = false;
    this.#consider();
  }

  static get speeds() { return PAUSES; }

  /** Play the rest of a recorded game, or stop doing so. */
  replay(on) {
    this.replaying = on && !this.#game.atEnd;
    this.#moved = -1e9;
    this.#consider();
  }

  /** One move: the next recorded one, or the agent's. */
  step() {
    this.replaying = false;
    const game = this.#game;
    if (!game.atEnd) game.goTo(game.cursor + 1);
    else if (game.mover !== YOU && !game.position.over) this.#ask(0, true);
  }

  #consider() {
    this.#asked?.abort();
    this.#asked = null;
    clearTimeout(this.#timer);
    const game = this.#game;
    const waited = performance.now() - this.#moved;
    if (this.replaying && !game.atEnd) {
      this.#timer = setTimeout(() => game.goTo(game.cursor + 1), Math.max(0, this.pause - waited));
    } else if (game.live && game.atEnd && !game.position.over && game.mover !== YOU) {
      const least = game.seats.includes(YOU) ? (game.cursor ? SETTLING : 0) : this.pause;
      this.#ask(Math.max(0, least - waited));
      return;
    } else {
      this.replaying = false;
    }
    this.#tell(false);
  }

  async #ask(wait, single = false) {
    const game = this.#game;
    const asked = this.#asked = new AbortController();
    if (single) game.live = false;
    this.#tell(true);
    const started = performance.now();
    try {
      const { column } = await askMove(game.mover, game.position, asked.signal);
      const left = wait - (performance.now() - started);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
      if (asked === this.#asked) game.play(column);
    } catch (error) {
      if (asked !== this.#asked || error.name === "AbortError") return;
      this.#asked = null;
      toast(error.message);
      game.setLive(false);
    }
  }

  #tell(thinking) {
    this.thinking = thinking;
    this.dispatchEvent(new Event("change"));
  }
}
