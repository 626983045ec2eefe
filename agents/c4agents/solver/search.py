"""The search: can the attacker win by a given ply? Alpha-beta with a window of one, without recursion.

Every question about a score is one about an *attack*. "The side to move scores at least b" means,
for b >= 1, that it wins no later than a certain ply, the *horizon*; for b <= 0, that its opponent's
attack with bound 1 - b fails. Within one search the attacker, the horizon and the bound stay the
same, each node has a yes or a no, and the defender has held as soon as the horizon is out of reach.

A node is only entered if the side to move cannot win with its next stone and has a move that does
not lose to the one after; parents find both out for all their children at once (`children.py`).

State lives in one array, the workspace: a header, one frame of children per ply, and a small table.
So a search can stop after any number of nodes and go on later. The small table holds the deep
positions: they are many, matter for a short time, and stay in the processor's cache. The large
table, which threads may share, holds the others. In both, an entry is one word (key, lower and
upper bound), written at once, and true for ever: tables need never be cleared, and a race between
threads costs an entry, never an answer.
"""

from __future__ import annotations

from typing import Final

from c4agents.solver.children import (
    DONE,
    KEY,
    LANES,
    OCCUPIED,
    ORDER,
    REPLIES,
    STACKED_WEIGHT,
    TIE_MASK,
    add_open_twos,
    can_force,
    expand,
    take_best,
)
from c4agents.solver.memory import Words, aligned_words, inlined, load, prefetch, store
from c4env.bitboard import CELLS, COLUMNS, mirror
from c4env.compiled import compiled

# The workspace's header.
PLY: Final = 0
"""Where a paused search goes on: ply and position."""
OWN: Final = 1
OTHERS: Final = 2
MOVES: Final = 3
TIES: Final = 4
"""Move order among equals: four bits per column, its rank; and per rank, its column."""
RANKED: Final = 5
NODES: Final = 6
"""Positions expanded since the counter was last set to 0."""
TOGETHER: Final = 7
"""1 if other threads search the same position on the same table."""
TASK: Final = 8
"""First of the words that `score.py` keeps here."""
HEADER: Final = 64

# After the children's rows, a frame holds its child's stones of the side to move, and its child's key.
CHILD_OWN: Final = 4 * LANES
CHILD_KEY: Final = CHILD_OWN + 1
PUT_OFF: Final = CHILD_OWN + 2
"""One bit per lane: put off once, because another thread was searching it; the next bit: one was entered."""
FRAME: Final = 5 * LANES

NEAR: Final = HEADER + CELLS * FRAME
NEAR_SIZE: Final = 1 << 16
"""Half a megabyte: measured best where a core has 1 MB of its own cache."""
WORKSPACE: Final = NEAR + NEAR_SIZE

# Table entries: the key above 15 bits, of which 12 hold the bounds, each plus OFFSET.
KEY_SHIFT: Final = 15
BOUNDS: Final = (1 << KEY_SHIFT) - 1
TAKEN: Final = 1 << 12
"""In an entry: some thread is searching the position. Only a hint, and may outlive its truth."""
LOWER_SHIFT: Final = 6
BOUND_MASK: Final = 63
OFFSET: Final = 21
_MULTIPLIER: Final = 0x9E3779B97F4A7C15 - (1 << 64)

# Plies up to which a technique pays, found by measurement (benchmarks/solver_speed.py --ablate).
MIRROR_PLY: Final = 14
TWOS_PLY: Final = 10
CUTOFF_PLY: Final = 27
FAR_PLY: Final = 24
FAR_BELOW_HORIZON: Final = 10
NEAR_PLY: Final = 34
LEAF_PLY: Final = 26
SHARING_PLY: Final = 22

PAUSED: Final = -1
_CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)


def new_workspace(reverse_ties: bool = False) -> Words:
    """A workspace for one thread; ``reverse_ties`` makes it prefer the right to the left among equals.

    Two threads that search the same position on one table help each other only if they differ.
    """
    workspace = aligned_words(WORKSPACE)
    for rank, centred in enumerate(_CENTRE_FIRST):
        column = COLUMNS - 1 - centred if reverse_ties else centred
        workspace[TIES] |= (COLUMNS - rank) << (4 * column)
        workspace[RANKED] |= column << (4 * (COLUMNS - rank))
    return workspace


@inlined
def near_slot(key: int) -> int:
    """Index in the workspace of the near table's slot for ``key``."""
    return NEAR + (((key * _MULTIPLIER) >> 40) & (NEAR_SIZE - 1))


@inlined
def far_slot(key: int, shift: int) -> int:
    """Index in the far table, which has 2**(64 - shift) entries, of the slot for ``key``."""
    return ((key * _MULTIPLIER) >> shift) & ((1 << (64 - shift)) - 1)


@inlined
def tighten(entry: int, key: int, bound: int, reached: bool) -> int:
    """The entry for ``key`` that also says whether its score reaches ``bound``; ``entry`` may be another's."""
    difference = entry ^ (key << KEY_SHIFT)
    lower = 0
    upper = BOUND_MASK
    if (difference & ~BOUNDS) == 0:
        lower = (difference >> LOWER_SHIFT) & BOUND_MASK
        upper = difference & BOUND_MASK
    if reached:
        lower = max(lower, bound + OFFSET)
    else:
        upper = min(upper, bound - 1 + OFFSET)
    return (key << KEY_SHIFT) | (lower << LOWER_SHIFT) | upper


@inlined
def verdict(entry: int, key: int, bound: int) -> int:
    """1 if ``entry`` proves that the score of ``key`` reaches ``bound``, 0 that it does not, else -1."""
    difference = entry ^ (key << KEY_SHIFT)
    known = -1
    if (difference & ~BOUNDS) == 0:
        if ((difference >> LOWER_SHIFT) & BOUND_MASK) - OFFSET >= bound:
            known = 1
        elif (difference & BOUND_MASK) - OFFSET < bound:
            known = 0
    return known


@inlined
def taken(entry: int, key: int) -> bool:
    """Whether ``entry`` says that some thread is searching ``key``."""
    difference = entry ^ (key << KEY_SHIFT)
    return (difference & ~BOUNDS) == 0 and (difference & TAKEN) != 0


@inlined
def take(entry: int, key: int) -> int:
    """The entry for ``key`` that says so; ``entry`` may be another's."""
    same = ((entry ^ (key << KEY_SHIFT)) & ~BOUNDS) == 0
    return (entry if same else (key << KEY_SHIFT) | BOUND_MASK) | TAKEN


@compiled
def search(table: Words, shift: int, work: Words, root: int, horizon: int, bound: int, budget: int) -> int:
    """Go on with the search that the workspace's header describes.

    Args:
        table: The far table, 2**(64 - shift) words.
        shift: See ``table``.
        work: The workspace; PLY, OWN, OTHERS and MOVES say where to go on (at first: the root).
        root: Ply of the root.
        horizon: Last ply (stones on the board before the move) at which the attacker's winning
            stone counts. The attacker is to move at plies of its parity. At least root + 2.
        bound: The score, at least 1, that the attacker reaches by winning at the horizon.
        budget: Pause once about this many positions have been expanded.

    Returns:
        1 if the side to move at the root reaches its bound (``bound`` for the attacker, 1 - bound
        for the defender), 0 if it does not, PAUSED if the budget is used up.
    """
    ply = load(work, PLY)
    own = load(work, OWN)
    occupied = load(work, OTHERS)
    moves = load(work, MOVES)
    ties = load(work, TIES)
    ranked = load(work, RANKED)
    sharing_ply = SHARING_PLY if load(work, TOGETHER) else 0
    far_ply = min(FAR_PLY, horizon - FAR_BELOW_HORIZON)
    near_ply = min(NEAR_PLY, horizon - 2)
    nodes = 0
    while True:
        # Enter the position at `ply`.
        if nodes >= budget:
            store(work, PLY, ply)
            store(work, OWN, own)
            store(work, OTHERS, occupied)
            store(work, MOVES, moves)
            store(work, NODES, load(work, NODES) + nodes)
            return PAUSED
        nodes += 1
        base = HEADER + ply * FRAME
        attacking = ((ply ^ horizon) & 1) == 0
        other = own ^ occupied
        result = -1
        if expand(work, base, own, occupied, moves, STACKED_WEIGHT if attacking else 0, ties):
            result = 1
        elif ply == horizon - 2:
            result = 0
        elif ply == horizon - 3 and ply > LEAF_PLY:
            # The attacker's last chance is one move away: no need for frames or tables.
            result = 0
            while True:
                lane = take_best(work, base, ranked)
                if lane < 0:
                    break
                nodes += 1
                if not can_force(other, load(work, base + OCCUPIED + lane), load(work, base + REPLIES + lane)):
                    result = 1
                    break
        else:
            store(work, base + CHILD_OWN, other)
            store(work, base + PUT_OFF, 0)
            if ply < TWOS_PLY:
                add_open_twos(work, base, own, occupied, moves)
            if ply < MIRROR_PLY:
                for lane in range(COLUMNS):
                    key = load(work, base + KEY + lane)
                    store(work, base + KEY + lane, min(key, mirror(key)))
            if ply < CUTOFF_PLY:
                # A child that is known not to reach its bound ends this node; one that does is no use.
                child_bound = 1 - bound if attacking else bound
                for lane in range(COLUMNS):
                    if load(work, base + ORDER + lane) >= 0:
                        key = load(work, base + KEY + lane)
                        entry = load(table, far_slot(key, shift)) if ply < far_ply else load(work, near_slot(key))
                        known = verdict(entry, key, child_bound)
                        if known == 0:
                            result = 1
                            break
                        if known == 1:
                            store(work, base + ORDER + lane, DONE)
            elif ply < far_ply:
                for lane in range(COLUMNS):
                    prefetch(table, far_slot(load(work, base + KEY + lane), shift))
        remembered = False
        # Pass results up until a node has another child to enter.
        while True:
            if result >= 0:
                if ply == root:
                    store(work, NODES, load(work, NODES) + nodes)
                    return result
                base = HEADER + (ply - 1) * FRAME
                if ply <= near_ply and not remembered:
                    key = load(work, base + CHILD_KEY)
                    reach = bound if ((ply ^ horizon) & 1) == 0 else 1 - bound
                    if ply <= far_ply:
                        slot = far_slot(key, shift)
                        store(table, slot, tighten(load(table, slot), key, reach, result == 1))
                    else:
                        slot = near_slot(key)
                        store(work, slot, tighten(load(work, slot), key, reach, result == 1))
                remembered = False
                ply -= 1
                result = -1 if result == 1 else 1
                if result == 1:
                    continue
            base = HEADER + ply * FRAME
            lane = take_best(work, base, ranked)
            if lane < 0:
                result = 0
                continue
            ply += 1
            own = load(work, base + CHILD_OWN)
            occupied = load(work, base + OCCUPIED + lane)
            moves = load(work, base + REPLIES + lane)
            key = load(work, base + KEY + lane)
            store(work, base + CHILD_KEY, key)
            if ply <= near_ply:
                entry = load(table, far_slot(key, shift)) if ply <= far_ply else load(work, near_slot(key))
                result = verdict(entry, key, bound if ((ply ^ horizon) & 1) == 0 else 1 - bound)
                if result >= 0:
                    remembered = True
                    continue
                if ply <= sharing_ply and ply <= far_ply:
                    # All threads search a node's first child together; its others are searched by one, if possible.
                    put_off = load(work, base + PUT_OFF)
                    if put_off == 0:
                        store(work, base + PUT_OFF, 1 << LANES)
                    elif taken(entry, key) and (put_off >> lane) & 1 == 0:
                        store(work, base + PUT_OFF, put_off | (1 << lane))
                        store(work, base + ORDER + lane, (ties >> (4 * lane)) & TIE_MASK)
                        ply -= 1
                        continue
                    else:
                        store(table, far_slot(key, shift), take(entry, key))
            break
