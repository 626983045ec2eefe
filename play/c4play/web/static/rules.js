// The rules, for a page that answers at once. The server checks every position again with the real ones.

export const COLUMNS = 7;
export const ROWS = 6;
export const CELLS = 42;

// All 69 windows of four cells; a cell is row * 7 + column, row 0 on top.
const WINDOWS = [];
for (let row = 0; row < ROWS; row++) {
  for (let column = 0; column < COLUMNS; column++) {
    for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
      const lastRow = row + 3 * down, lastColumn = column + 3 * right;
      if (lastRow < ROWS && lastColumn >= 0 && lastColumn < COLUMNS) {
        WINDOWS.push([0, 1, 2, 3].map((n) => (row + n * down) * COLUMNS + column + n * right));
      }
    }
  }
}

/**
 * The position after a string of columns 1 to 7; throws an Error with a sentence if it can't be played.
 * cells: 0 empty, 1 first player, 2 second. player: 0 or 1, to move. winner: 0, 1 or null. fours: windows filled, by
 * player. winning: cells in a four.
 */
export function positionOf(moves, rules = "first-four") {
  const cells = new Array(CELLS).fill(0);
  const heights = new Array(COLUMNS).fill(0);
  let state = judge(cells, 0, rules);
  for (let ply = 0; ply < moves.length; ply++) {
    const column = "1234567".indexOf(moves[ply]);
    if (column < 0) throw new Error(`move ${ply + 1}: “${moves[ply]}” is not a column; columns are 1 to 7`);
    if (state.over) throw new Error(`move ${ply + 1}: the game is over`);
    if (heights[column] === ROWS) throw new Error(`move ${ply + 1}: column ${column + 1} is full`);
    cells[cellOf(column, heights[column]++)] = 1 + (ply % 2);
    state = judge(cells, ply + 1, rules);
  }
  const legal = state.over ? [] : heights.flatMap((height, column) => (height < ROWS ? [column] : []));
  return { moves, rules, cells, heights, ply: moves.length, player: moves.length % 2, legal, ...state };
}

/** The cell of a column at a height, 0 at the bottom. */
export const cellOf = (column, height) => (ROWS - 1 - height) * COLUMNS + column;

function judge(cells, ply, rules) {
  const fours = [0, 0];
  const winning = new Set();
  for (const [a, b, c, d] of WINDOWS) {
    const owner = cells[a];
    if (owner && owner === cells[b] && owner === cells[c] && owner === cells[d]) {
      fours[owner - 1]++;
      for (const cell of [a, b, c, d]) winning.add(cell);
    }
  }
  const full = ply === CELLS;
  const ahead = fours[0] > fours[1] ? 0 : fours[1] > fours[0] ? 1 : null;
  const over = full || (rules === "first-four" && ahead !== null);
  return { fours, winning: [...winning], over, winner: over ? ahead : null };
}
