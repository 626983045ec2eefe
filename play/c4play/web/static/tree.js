// The search tree of the position, opened node by node.

import { askTree } from "./api.js";
import { $, NAMES, h } from "./dom.js";

export const EVALUATIONS = ["outcome", "lines", "squares", "windows", "powers", "chains"];

export class TreeView {
  #asked = null;

  /** Search a position and show its tree. */
  async show(position) {
    this.#asked?.abort();
    const asked = this.#asked = new AbortController();
    if (position.over) {
      $("tree-note").textContent = "The game is over; there is nothing to search.";
      $("tree-view").replaceChildren();
      return;
    }
    if (!$("tree-depth").checkValidity()) {
      $("tree-note").textContent = "The depth is from 1 to 5.";
      $("tree-view").replaceChildren();
      return;
    }
    const settings = {
      depth: Number($("tree-depth").value), evaluation: $("tree-eval").value, pruning: $("tree-pruning").checked,
    };
    try {
      const tree = await askTree(position, settings, asked.signal);
      if (asked !== this.#asked) return;
      const cut = settings.pruning ? "; cut branches are struck out" : "";
      $("tree-note").textContent = `${tree.nodes.toLocaleString("en")} nodes, best is column ${tree.best + 1}. `
        + `Values are for ${NAMES[position.player]}${cut}.`;
      const root = element(tree.root, position.player, 0, tree.best);
      root.open = true;
      $("tree-view").replaceChildren(root);
    } catch (error) {
      if (asked === this.#asked && error.name !== "AbortError") {
        $("tree-note").textContent = error.message;
        $("tree-view").replaceChildren();
      }
    }
  }
}

/** A node [column, value, kind, cut, children]; its children are made when it is opened. */
function element([column, value, kind, cut, children], mover, level, best) {
  const made = 1 - mover;
  const name = column === null
    ? h("em", {}, "root")
    : h("span", { class: `stone p${made}`, title: `${NAMES[made]} in column ${column + 1}` }, String(column + 1));
  const role = kind === "inner" ? (level % 2 ? "min" : "max") : kind === "end" ? "end of the game" : "";
  if (kind !== "inner") return h("div", { class: "leaf" }, name, h("b", {}, value), h("em", {}, role));
  const details = h("details", { "data-level": level },
    h("summary", {}, name, h("b", {}, value), h("em", {}, role), cut.length ? h("em", {}, `${cut.length} cut`) : null));
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    details.append(...children.map((child) => {
      const below = element(child, made, level + 1, null);
      if (level === 0 && child[0] === best) below.classList.add("best");
      return below;
    }));
    if (cut.length) {
      details.append(h("div", { class: "cuts" }, "cut",
        ...cut.map((gone) => h("span", { class: "cut", title: `column ${gone + 1} was not searched` }, String(gone + 1)))));
    }
  });
  return details;
}
