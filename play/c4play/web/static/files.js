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

/** The games of a file: lines of columns; a line that starts with # is the title of the next, or names the rules. */
export function parseGames(text) {
  const games = [];
  let title = "", rules = "first-four";
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.trim();
    const remark = line.startsWith("#") ? line.slice(1).trim() : null;
    if (remark === "rules: most-fours" || remark === "rules: first-four") {
      rules = remark.slice(7);
    } else if (remark !== null) {
      title = remark;
    } else if (line) {
      try {
        positionOf(line, rules);
      } catch (error) {
        throw new Error(`line ${index + 1}: ${error.message}`);
      }
      games.push({ moves: line, title, rules, players: playersOf(title) });
      title = "";
    }
  });
  if (!games.length) throw new Error("the file holds no game: a game is a line of columns 1 to 7");
  return games;
}

/** Who played, as c4 play and c4 match write it over a game; null if the title says nothing of it. */
function playersOf(title) {
  const found = /^(?:game \d+: )?(.+) \(first\) against (.+?)(?:, .*)?$/.exec(title);
  return found && [found[1], found[2]];
}

export function gameText(moves, title, rules) {
  const remarks = [rules === "first-four" ? "" : `rules: ${rules}`, title.replaceAll("\n", " ")].filter(Boolean);
  return [...remarks.map((remark) => `# ${remark}`), moves, ""].join("\n");
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
  const players = [String(question.agent ?? "agent"), "Opponent"];
  if (question.seat === "second") players.reverse();
  return { verdict: String(content.verdict), players, counterexamples };
}
