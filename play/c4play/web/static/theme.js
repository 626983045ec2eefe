// Light and dark: as the system says until the button says otherwise.

import { $ } from "./dom.js";

export function colours() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const choices = ["system", "light", "dark"];
  let chosen = localStorage.getItem("theme") ?? "system";
  const apply = () => {
    const dark = chosen === "dark" || (chosen === "system" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    $("theme").textContent = { system: "◐", light: "☀", dark: "☾" }[chosen];
    $("theme").setAttribute("aria-label", `Colours: ${chosen === "system" ? "as the system" : chosen}`);
    $("theme").title = $("theme").getAttribute("aria-label");
  };
  $("theme").addEventListener("click", () => {
    chosen = choices[(choices.indexOf(chosen) + 1) % choices.length];
    localStorage.setItem("theme", chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
