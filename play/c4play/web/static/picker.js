// Choosing a player: a person or an agent, with the agent's options.

import { NAMES, h } from "./dom.js";
import { YOU } from "./game.js";

/** A control that yields a spec such as "alphabeta:depth=6", or "you" where people may be chosen. */
export class Picker {
  #agents;
  #select;
  #more = h("div", { class: "more", hidden: true });
  #about = h("div", { class: "about" });
  #toggle;
  #fields = new Map();
  #onChange;

  constructor(place, agents, { player = null, people = false, brief = false, value, label, onChange }) {
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#onChange = onChange;
    const named = agents.map((agent) => h("option", { value: agent.name }, agent.name));
    this.#select = h("select", { "aria-label": label, change: () => this.#choose() },
      ...(people ? [h("option", { value: YOU }, "A person")] : []), ...named);
    this.#toggle = h("button", {
      type: "button", "aria-label": "Options", "aria-expanded": "false", title: "Options",
      click: () => this.#expand(this.#more.hidden),
    }, "⚙");
    place.replaceChildren(
      h("div", { class: "picker" },
        player === null ? null : h("span", { class: `stone p${player}`, title: NAMES[player] }),
        this.#select, this.#toggle),
      brief ? "" : this.#about, this.#more);
    this.set(value);
  }

  get value() {
    const agent = this.#agents.get(this.#select.value);
    if (!agent) return YOU;
    const given = [];
    for (const [option, field] of this.#fields) {
      const text = option.kind === "bool" ? (field.checked ? "on" : "off") : field.value.trim();
      const standard = option.default === true ? "on" : option.default === false ? "off" : String(option.default ?? "");
      if (text !== "" && text !== standard) given.push(`${option.name}=${text}`);
    }
    return agent.name + (given.length ? `:${given.join(",")}` : "");
  }

  /** Show a spec. */
  set(spec) {
    const [name, rest = ""] = spec.split(/:(.*)/s);
    this.#select.value = name;
    this.#build();
    const agent = this.#agents.get(name);
    for (const part of rest.split(",").filter(Boolean)) {
      const [key, value] = part.includes("=") ? part.split(/=(.*)/s) : [agent?.positional, part];
      for (const [option, field] of this.#fields) {
        if (option.name !== key) continue;
        if (option.kind === "bool") field.checked = value === "on";
        else field.value = value;
      }
    }
  }

  #choose() {
    this.#build();
    this.#onChange?.(this.value);
  }

  #expand(open) {
    this.#more.hidden = !open;
    this.#toggle.setAttribute("aria-expanded", String(open));
  }

  #build() {
    const agent = this.#agents.get(this.#select.value);
    this.#fields = new Map((agent?.options ?? []).map((option) => [option, field(option)]));
    for (const made of this.#fields.values()) made.addEventListener("change", () => this.#onChange?.(this.value));
    const rows = [...this.#fields].map(([option, made]) =>
      h("label", { class: "field", title: option.help }, option.name, made));
    this.#more.replaceChildren(...rows);
    this.#toggle.hidden = rows.length === 0;
    if (!rows.length) this.#expand(false);
    this.#about.textContent = agent ? agent.problem ?? agent.help : "plays on this screen";
    this.#about.classList.toggle("problem", Boolean(agent?.problem));
  }
}

function field(option) {
  if (option.kind === "bool") return h("input", { type: "checkbox", checked: option.default });
  if (option.kind === "model" || option.choices.length) {
    const none = option.default === null ? [h("option", { value: "" }, "as shipped")] : [];
    const made = h("select", {}, ...none, ...option.choices.map((name) => h("option", { value: name }, name)));
    made.value = option.default ?? "";
    return made;
  }
  return h("input", {
    type: "number", min: option.least, max: option.most, step: option.kind === "int" ? 1 : "any",
    value: option.default, placeholder: "none",
  });
}
