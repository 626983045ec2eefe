// The page put together.

import { listAgents, solve } from "./api.js";
import { Board } from "./board.js";
import { $, NAMES, announce, h, readFile, toast } from "./dom.js";
import { Driver } from "./driver.js";
import { fromHash, gameText, parseCertificate, parseGames, toHash } from "./files.js";
import { Game, YOU } from "./game.js";
import { Opinion } from "./opinions.js";
import { Picker } from "./picker.js";
import { Review, showGraph, showMoves } from "./review.js";
import { colours } from "./theme.js";
import { EVALUATIONS, TreeView } from "./tree.js";

const TABS = ["play", "analysis", "watch", "tree", "leaks"];
const game = new Game();
const driver = new Driver(game);
const review = new Review(game);
const tree = new TreeView();
const board = new Board(drop);
let tab = "play";
let scored = false;
let opinions = [];
let seats = [];

function drop(column) {
  if (game.mover !== YOU && game.live && game.atEnd) return;
  if (game.position.over) return;
  if (!game.position.legal.includes(column)) toast(`Column ${column + 1} is full.`);
  else {
    game.live = game.live || game.seats.includes(YOU);
    game.play(column);
  }
}

// Whether a person may drop a stone now: it is a person's turn, or agents have been stopped.
const mayDrop = () => !game.position.over && (game.mover === YOU || !game.live || !game.atEnd);

function who(player) {
  if (game.players) return game.players[player];
  const seat = game.seats[player];
  return seat !== YOU ? seat : game.seats[1 - player] === YOU ? NAMES[player] : "You";
}

function statusText() {
  const { position } = game;
  if (position.over) {
    if (position.winner === null) return "A draw.";
    const name = who(position.winner);
    return `${name} ${name === "You" ? "win" : "wins"}${game.rules === "most-fours" ? ` ${position.fours.join(" : ")}` : ""}.`;
  }
  if (driver.thinking) return `${who(position.player)} is thinking`;
  const name = who(position.player);
  return name === "You" ? "Your turn" : `${name} to move`;
}

function render({ detail: how } = {}) {
  const { position } = game;
  board.show(position, how, mayDrop());
  $("status").textContent = statusText();
  for (const player of [0, 1]) {
    const plate = $(`plate${player}`);
    const turn = !position.over && position.player === player;
    plate.classList.toggle("turn", turn || position.winner === player);
    plate.classList.toggle("thinking", turn && driver.thinking);
    plate.querySelector("b").textContent = who(player);
    plate.querySelector("b").title = who(player);
    plate.querySelector("small").textContent =
      position.winner === player ? "winner" : turn ? (driver.thinking ? "thinking" : "to move") : player ? "second" : "first";
    plate.querySelector("output").textContent = game.rules === "most-fours" ? position.fours[player] : "";
  }
  $("undo").disabled = game.cursor === 0;
  $("redo").disabled = game.atEnd;
  $("go").hidden = position.over || driver.thinking || driver.replaying
    || (game.atEnd ? game.mover === YOU || game.live : tab !== "leaks" && tab !== "watch" && game.mover === YOU);
  $("rules").value = game.rules;
  $("line").value = game.moves;
  showMoves(game, review);
  if (tab === "analysis") showGraph(game, review);
}

game.addEventListener("change", (event) => {
  const how = event.detail;
  render(event);
  driver.follow(how);
  if (how === "seats") return;
  history.replaceState(null, "", toHash(game.moves.slice(0, game.cursor), game.rules) || location.pathname);
  const { position } = game;
  if (how !== "jump") announce(`${NAMES[1 - position.player]} played column ${position.moves.at(-1)}. ${statusText()}`);
  refresh();
});
driver.addEventListener("change", () => render());

/** Bring what is shown beside and over the board up to date. */
function refresh() {
  showScores();
  if (scored || tab === "leaks") review.follow(() => { showMoves(game, review); if (tab === "analysis") showGraph(game, review); });
  if (tab === "analysis") {
    for (const opinion of opinions) opinion.show(game.position);
  }
  if (tab === "tree") tree.show(game.position);
}

async function showScores() {
  const { position } = game;
  $("hints").setAttribute("aria-pressed", String(scored));
  const exact = game.rules === "first-four";
  if (!exact) $("exact").textContent = "Exact scores exist for “first four wins” only.";
  if (position.over) $("exact").textContent = statusText();
  if (!scored || position.over || !exact) return board.scores(null);
  try {
    const answer = await solve(position.moves);
    if (position !== game.position || !scored) return;
    board.scores(answer);
    const side = NAMES[position.player];
    $("exact").textContent = answer.score === 0
      ? "A draw with perfect play."
      : `${side}: ${answer.text} with perfect play.`;
    if (tab !== "analysis") announce(`Exact: ${answer.text} for ${side}`);
  } catch (error) {
    if (position === game.position) {
      board.scores(null);
      $("exact").textContent = error.message;
    }
  }
}

function setScored(on) {
  scored = on;
  refresh();
}

function openTab(name) {
  tab = name;
  for (const each of TABS) {
    $(each).hidden = each !== name;
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    $(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
  if (name === "analysis") scored = true;
  render();
  refresh();
}

function goOn() {
  if (!game.atEnd && (tab === "leaks" || tab === "watch")) return driver.replay(true);
  if (!game.atEnd) game.load(game.moves.slice(0, game.cursor));
  game.setLive(true);
}

function swap() {
  const [first, second] = game.seats;
  seats[0]?.set(second);
  seats[1]?.set(first);
  game.live = true;
  game.seat(second, first);
}

/** Run something that may refuse, and say why. */
async function tried(work) {
  try {
    await work();
  } catch (error) {
    toast(error.message);
  }
}

const load = (moves, options) => { driver.replay(false); game.load(moves, options); };

/** The text of the file chosen with an input, to a function that may refuse it. */
function opened(id, most, use) {
  $(id).addEventListener("change", () => tried(async () => {
    const file = await readFile($(id), most);
    if (file) use(file);
  }));
}

/** Fill a list with games to choose from. */
function listGames(place, games, open) {
  place.replaceChildren(...games.map((each, index) => h("li", {}, h("button", {
    type: "button",
    click: ({ currentTarget }) => {
      place.querySelector("[aria-current]")?.removeAttribute("aria-current");
      currentTarget.setAttribute("aria-current", "true");
      open(each);
    },
  }, each.kind ? h("span", { class: `badge ${each.kind}` }, each.kind) : null,
    h("b", {}, each.title || each.note || `game ${index + 1}`), h("code", {}, each.game ?? each.moves)))));
}

function connect() {
  for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => openTab(name));
  document.querySelector(".tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    openTab(next);
    $(`tab-${next}`).focus();
  });
  $("undo").addEventListener("click", () => game.undo());
  $("redo").addEventListener("click", () => game.redo());
  $("new").addEventListener("click", () => game.restart());
  $("swap").addEventListener("click", swap);
  $("hints").addEventListener("click", () => setScored(!scored));
  $("go").addEventListener("click", goOn);
  $("rules").addEventListener("change", () => { game.rules = $("rules").value; game.restart(); });

  $("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    tried(() => load($("line").value.replace(/[\s,]/g, "")));
  });
  $("share").addEventListener("click", () => tried(async () => {
    const address = `${location.origin}${location.pathname}${toHash(game.position.moves, game.rules)}`;
    await navigator.clipboard.writeText(address).catch(() => { throw new Error(address); });
    toast("The link is in the clipboard.");
  }));
  $("download").addEventListener("click", () => {
    const title = game.title || `${who(0)} (first) against ${who(1)}`;
    const address = URL.createObjectURL(new Blob([gameText(game.moves, title, game.rules)], { type: "text/plain" }));
    h("a", { href: address, download: "game.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  opened("open", 1 << 20, (file) => {
    const games = parseGames(file.text);
    load(games[0].moves, games[0]);
    if (games.length > 1) toast(`The first of ${games.length} games; Watch lists them all.`);
  });

  $("start").addEventListener("click", () => {
    driver.replay(false);
    game.seats = [seats[2].value, seats[3].value];
    seats[0].set(game.seats[0]);
    seats[1].set(game.seats[1]);
    game.restart();
  });
  $("pause").addEventListener("click", () => { driver.replay(false); game.setLive(false); });
  $("step").addEventListener("click", () => driver.step());
  const speed = () => {
    driver.pause = Driver.speeds[$("speed").value];
    $("speed-text").textContent = driver.pause ? `${driver.pause / 1000} s a move` : "at once";
  };
  $("speed").addEventListener("input", speed);
  speed();
  opened("open-match", 4 << 20, (file) => {
    listGames($("match"), parseGames(file.text), (each) => {
      load(each.moves, { ...each, cursor: 0 });
      driver.replay(true);
    });
    toast(`${file.name}: choose a game.`);
  });
  opened("open-certificate", 16 << 20, (file) => {
    const found = parseCertificate(file.text);
    $("certificate").textContent = found.verdict;
    listGames($("counterexamples"), found.counterexamples, (each) => {
      load(each.game, { rules: "first-four", title: each.note, players: found.players, cursor: each.moves.length });
      toast("Here it goes wrong; Go on shows the rest.");
    });
    if (!found.counterexamples.length) toast("The certificate holds no counterexample.");
  });

  $("tree-eval").append(...EVALUATIONS.map((name) => h("option", { selected: name === "windows" }, name)));
  for (const id of ["tree-depth", "tree-eval", "tree-pruning"]) {
    $(id).addEventListener("change", () => tree.show(game.position));
  }
  $("tree-form").addEventListener("submit", (event) => event.preventDefault());

  document.addEventListener("keydown", (event) => {
    const key = event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, summary")) return;
    if (event.target.closest("select") && !/^[1-7]$/.test(key)) return;
    const actions = { u: () => game.undo(), r: () => game.redo(), n: () => game.restart(), s: swap,
      h: () => setScored(!scored), ArrowLeft: () => board.step(-1), ArrowRight: () => board.step(1),
      ArrowDown: () => drop(board.selected ?? 3) };
    if (/^[1-7]$/.test(key)) drop(Number(key) - 1);
    else if (actions[key]) actions[key]();
    else return;
    event.preventDefault();
  });
  addEventListener("hashchange", () => tried(openAddress));
}

function openAddress() {
  const found = fromHash(location.hash);
  if (found) load(found.moves, { rules: found.rules });
}

async function meetAgents() {
  const agents = await listAgents();
  const fine = new Set(agents.filter((agent) => !agent.problem).map((agent) => agent.name));
  const favourite = ["policy", "hard"].find((name) => fine.has(name)) ?? agents[0].name;
  const seat = () => { game.live = true; game.seat(seats[0].value, seats[1].value); };
  const picker = (place, player, value, label, options) =>
    new Picker($(place), agents, { player, value, label, ...options });
  seats = [
    picker("seat0", 0, YOU, "Yellow, moves first", { people: true, onChange: seat }),
    picker("seat1", 1, favourite, "Red, moves second", { people: true, onChange: seat }),
    picker("watch0", 0, favourite, "Yellow, moves first"),
    picker("watch1", 1, favourite === "hard" ? "mcts" : "hard", "Red, moves second"),
  ];
  opinions = [favourite === "hard" ? "mcts" : favourite, "alphabeta:eval=windows,depth=8"].map(
    (spec) => new Opinion($("opinions"), agents, spec));
  game.seat(YOU, favourite);
  if (tab === "analysis") refresh();
  document.body.dataset.ready = "true";
}

colours();
connect();
openTab("play");
tried(openAddress);
tried(meetAgents);
