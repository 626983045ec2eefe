// Games in and out: links, text files of games, certificates.

import { positionOf } from "./rules.js";

/** What the address says: moves and rules, or null. Throws if the moves can't be played. */
export function fromHash(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  if (!fields.has("moves")) return null;
  const rules = fields.get("rules") === "most-fours" ? "most-fours" : "first-four";
  const moves = fields.get("moves").trim();
  positionOf(moves, rules);
  return { moves, rules };
}

export function toHash(moves, rules) {
  if (!moves && rules === "first-four") return "";
  return `#moves=${moves}${rules === "first-four" ? "" : `&rules=${rules}`}`;
}

/** The games of a file: lines of columns; a line that starts with # is the title of the next. */
export function parseGames(text, rules) {
  const games = [];
  let title = "";
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (line.startsWith("#")) {
      title = line.slice(1).trim();
    } else if (line) {
      try {
        positionOf(line, rules);
      } catch (error) {
        throw new Error(`line ${index + 1}: ${error.message}`);
      }
      games.push({ moves: line, title });
      title = "";
    }
  });
  if (!games.length) throw new Error("the file holds no game: a game is a line of columns 1 to 7");
  return games;
}

export function gameText(moves, title) {
  return `${title ? `# ${title.replaceAll("\n", " ")}\n` : ""}${moves}\n`;
}

/** What c4 certify wrote: verdict and counterexamples. */
export function parseCertificate(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error("the file is not JSON");
  }
  if (!String(content?.format ?? "").startsWith("c4env certificate") || !Array.isArray(content.counterexamples)) {
    throw new Error("the file is no certificate of c4 certify");
  }
  const counterexamples = content.counterexamples.map((found) => {
    const moves = String(found.moves), game = String(found.game || found.moves);
    positionOf(game);
    if (!game.startsWith(moves)) throw new Error("a counterexample of the file contradicts itself");
    return { kind: String(found.kind), moves, game, note: String(found.note) };
  });
  const question = content.question ?? {};
  return { verdict: String(content.verdict), agent: String(question.agent ?? ""), seat: String(question.seat ?? ""), counterexamples };
}
