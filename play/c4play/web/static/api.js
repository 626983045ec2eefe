// Questions to the server. A busy server is asked again; any other refusal is an Error with its sentence.

const PATIENCE = 12;

async function ask(path, options) {
  for (let attempt = 0; ; attempt++) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("the server does not answer; is c4 web still running?");
    }
    if (response.status === 429 && attempt < PATIENCE) {
      await new Promise((resolve) => setTimeout(resolve, 400 + 200 * attempt));
      if (options.signal?.aborted) throw new DOMException("", "AbortError");
      continue;
    }
    const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }
}

function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export const listAgents = async () => (await ask("api/agents", {})).agents;
export const askMove = (agent, position, signal) =>
  post("api/move", { agent, moves: position.moves, rules: position.rules }, signal);
export const askOpinion = (agent, position, signal) =>
  post("api/analyse", { agent, moves: position.moves, rules: position.rules }, signal);
export const askTree = (position, settings, signal) =>
  post("api/tree", { moves: position.moves, rules: position.rules, ...settings }, signal);

const solved = new Map();
/** Exact scores of a position under first-four that is not over; asked once. */
export function solve(moves) {
  if (!solved.has(moves)) {
    if (solved.size > 5000) solved.clear();
    const asked = post("api/solve", { moves });
    asked.catch(() => solved.delete(moves));
    solved.set(moves, asked);
  }
  return solved.get(moves);
}
