"""Evaluations: what a position is worth where a search stops before the end of the game.

Each is a whole number from the side to move, mine minus theirs, computed for all windows, runs or
cells at once with bit operations. One function, :func:`evaluate`, serves them all, chosen by
number, so that a search is compiled once. ``docs/agents.md`` gives each as a formula.

A decided position outranks every evaluation: :data:`WIN` less the number of stones at the end, so
a sooner win is worth more and a later loss costs less. Values do not depend on the path.

Searches also take an evaluation from outside, made with :func:`evaluation`. Its number is the
address of its machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from c4agents.catalogue import EVALUATION_NAMES
from c4env.bitboard import BOARD, ONGOING, playable, result
from c4env.compiled import Callback, call_at, compiled, popcount

OUTCOME: Final = 0
LINES: Final = 1
SQUARES: Final = 2
WINDOWS: Final = 3
POWERS: Final = 4
CHAINS: Final = 5

EVALUATIONS: Final = {name: number for number, name in enumerate(EVALUATION_NAMES)}
"""Number of each evaluation by its name."""


WIN: Final = 10_000_000
"""A win with no stones on the board; more than any evaluation, in any unit."""
CELL_LIMIT: Final = 42
WON_FROM: Final = WIN - CELL_LIMIT
"""Values at or above this are won, at or below its negative lost."""

OUTSIDE_LIMIT: Final = 1_000_000
"""Evaluations from outside are cut off here, well below :data:`WON_FROM`."""

SCORE_MULTIPLIER: Final = 10
"""Weight of a run of four or more in ``chains`` under most-fours."""


def _starts(row_step: int, column_step: int) -> int:
    """The windows in one direction, each by its cell with the lowest bit."""
    return sum(
        1 << (7 * column + row)
        for column in range(7)
        for row in range(6)
        if column + 3 * column_step <= 6 and 0 <= row + 3 * row_step <= 5
    )


_UPRIGHT: Final = _starts(1, 0)
_FALLING: Final = _starts(-1, 1)
_LEVEL: Final = _starts(0, 1)
_RISING: Final = _starts(1, 1)


def _square_planes() -> tuple[int, int, int, int]:
    """The number of windows through each cell, as four bit sets: ones, twos, fours, eights."""
    counts = [0] * 49
    for starts, step in ((_UPRIGHT, 1), (_FALLING, 6), (_LEVEL, 7), (_RISING, 8)):
        for start in range(49):
            if starts >> start & 1:
                for cell in range(start, start + 4 * step, step):
                    counts[cell] += 1
    ones, twos, fours, eights = (
        sum((count >> bit & 1) << cell for cell, count in enumerate(counts)) for bit in range(4)
    )
    return ones, twos, fours, eights


_ONES, _TWOS, _FOURS, _EIGHTS = _square_planes()


@compiled
def _squares(stones: int) -> int:
    """Sum over ``stones`` of the windows through the cell."""
    return (
        popcount(stones & _ONES)
        + 2 * popcount(stones & _TWOS)
        + 4 * popcount(stones & _FOURS)
        + 8 * popcount(stones & _EIGHTS)
    )


@compiled
def _lines(stones: int, free: int) -> int:
    """Level runs of exactly three 500 and two 50; upright ones too, if they can still become four.

    ``free`` are the playable cells. The sentinel above each column keeps shifts from wrapping.
    """
    first = stones & ~(stones << 7)
    second = stones >> 7
    third = stones >> 14
    threes = popcount(first & second & third & ~(stones >> 21))
    twos = popcount(first & second & ~third)
    on_two = free & (stones << 1) & (stones << 2)
    below = stones << 3
    threes += popcount(on_two & below & ~(stones << 4))
    twos += popcount(on_two & ~below & (BOARD >> 1))
    return 500 * threes + 50 * twos


@compiled
def _count_windows(own: int, other: int, step: int, starts: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Which windows of one direction hold how many stones.

    Returns:
        Bit sets of window starts: exactly 1, 2, 3 and 4 of ``own``, then of ``other``.
    """
    a, b, c, d = own, own >> step, own >> (2 * step), own >> (3 * step)
    low, high = a ^ b, a & b
    low2, high2 = c ^ d, c & d
    odd, carry = low ^ low2, low & low2
    two, four = (high ^ high2 ^ carry) & starts, high & high2 & starts
    odd &= starts
    a, b, c, d = other, other >> step, other >> (2 * step), other >> (3 * step)
    low, high = a ^ b, a & b
    low2, high2 = c ^ d, c & d
    odd_2, carry = low ^ low2, low & low2
    two_2, four_2 = (high ^ high2 ^ carry) & starts, high & high2 & starts
    odd_2 &= starts
    return odd & ~two, two & ~odd, odd & two, four, odd_2 & ~two_2, two_2 & ~odd_2, odd_2 & two_2, four_2


@compiled
def _windows_along(own: int, other: int, step: int, starts: int) -> int:
    """The content bonus of ``windows`` over one direction, mine minus theirs."""
    one, two, three, _, one_2, two_2, three_2, _ = _count_windows(own, other, step, starts)
    return (
        50 * (popcount(three & ~one_2) - popcount(three_2 & ~one))
        + 20 * (popcount(three & one_2) - popcount(three_2 & one))
        + 10 * (popcount(two & ~(one_2 | two_2)) - popcount(two_2 & ~(one | two)))
        + 3 * (popcount(two & one_2) - popcount(two_2 & one))
    )  # two against two is worth 1 to both sides


@compiled
def _powers_along(own: int, other: int, step: int, starts: int) -> int:
    """``powers`` over one direction, mine minus theirs."""
    one, two, three, four, one_2, two_2, three_2, four_2 = _count_windows(own, other, step, starts)
    without_own = ~(one | two | three | four)
    without_other = ~(one_2 | two_2 | three_2 | four_2)
    return (
        10 * (popcount(one & without_other) - popcount(one_2 & without_own))
        + 100 * (popcount(two & without_other) - popcount(two_2 & without_own))
        + 1000 * (popcount(three & without_other) - popcount(three_2 & without_own))
        + 10000 * (popcount(four) - popcount(four_2))
    )


@compiled
def _run_stones(stones: int, ends: int, step: int, upwards: bool) -> int:
    """``ends`` and the stones that reach one of them by steps over stones, up or down the bits.

    Doubling the stride covers the longest run, seven.
    """
    found = ends
    through = stones
    for _ in range(3):
        found |= through & (found >> step if upwards else found << step)
        through &= through >> step if upwards else through << step
        step *= 2
    return found


@compiled
def _weigh(cells: int, fours: int, multiplier: int) -> int:
    return popcount(cells) + (multiplier - 1) * popcount(cells & fours)


@compiled
def _chains_along(stones: int, free: int, step: int, multiplier: int) -> int:
    """Run length times playable extensions over one direction.

    A run counts its stones once for each extension; so, for each of the up to four extensions
    (first and second cell beyond either end), count the stones of the runs that have it.
    """
    pair = stones & (stones >> step)
    starts = pair & (pair >> (2 * step))
    fours = starts | (starts << step)
    fours |= fours << (2 * step)
    after = stones & (free >> step)
    before = stones & (free << step)
    return (
        _weigh(_run_stones(stones, after, step, True), fours, multiplier)
        + _weigh(_run_stones(stones, after & (free >> (2 * step)), step, True), fours, multiplier)
        + _weigh(_run_stones(stones, before, step, False), fours, multiplier)
        + _weigh(_run_stones(stones, before & (free << (2 * step)), step, False), fours, multiplier)
    )


@compiled
def _chains(stones: int, free: int, rules: int) -> int:
    multiplier = SCORE_MULTIPLIER if rules == 1 else 1
    total = 0
    for step in (1, 6, 7, 8):
        total += _chains_along(stones, free, step, multiplier)
    return total


@compiled
def evaluate(own: int, occupied: int, evaluation: int, rules: int, searching: int) -> int:
    """What an undecided position is worth to the side to move, in the evaluation's unit.

    Args:
        own: Stones of the side to move.
        occupied: All stones.
        evaluation: Its number, from :func:`number_of`.
        rules: ``FIRST_FOUR`` or ``MOST_FOURS``.
        searching: 1 if the side to move is the one that searches, -1 if it is the other. Only
            ``outcome`` asks: an unknown end counts half a loss *for the side that searches*
            whoever is to move, so it alone is not mine minus theirs here.
    """
    if evaluation == OUTCOME:
        return -searching
    if evaluation > CHAINS:
        return max(-OUTSIDE_LIMIT, min(OUTSIDE_LIMIT, call_at(evaluation, own, occupied, rules)))  # type: ignore[no-any-return]
    other = own ^ occupied
    if evaluation == LINES:
        free = playable(occupied)
        return _lines(own, free) - _lines(other, free)
    if evaluation == POWERS:
        return (
            _powers_along(own, other, 1, _UPRIGHT)
            + _powers_along(own, other, 6, _FALLING)
            + _powers_along(own, other, 7, _LEVEL)
            + _powers_along(own, other, 8, _RISING)
        )
    squares = _squares(own) - _squares(other)
    if evaluation == WINDOWS:
        return (
            squares
            + _windows_along(own, other, 1, _UPRIGHT)
            + _windows_along(own, other, 6, _FALLING)
            + _windows_along(own, other, 7, _LEVEL)
            + _windows_along(own, other, 8, _RISING)
        )
    if evaluation == CHAINS:
        free = playable(occupied)
        return squares + _chains(own, free, rules) - _chains(other, free, rules)
    return squares


@compiled
def decided(own: int, occupied: int, rules: int) -> int:
    """The value for the side to move of a game that is over, or :data:`WIN` if it goes on."""
    outcome = result(own, occupied, rules)
    if outcome == ONGOING:
        return WIN
    return outcome * (WIN - popcount(occupied))


class OutsideEvaluation:
    """An evaluation from outside this package; :func:`evaluation` makes it.

    Attributes:
        name: The function's name.
        number: What searches know it by, in this process only.
    """

    def __init__(self, function: Callable[[int, int, int], int]) -> None:
        self.name = self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self._callback = Callback(function)
        self.number = self._callback.address

    def __reduce__(self) -> str:
        # Copies are the same object; pickles name it, because the address is this process's.
        return self.__qualname__


def evaluation(function: Callable[[int, int, int], int]) -> OutsideEvaluation:
    """Decorator: ``function(own, occupied, rules)`` compiled as an evaluation, for ``AlphaBetaAgent(eval=...)``.

    It returns a whole number for the side to move, higher is better, within a million either way (more
    is cut off). It is given the stones of the side to move, all stones, and ``FIRST_FOUR`` or
    ``MOST_FOURS``, and may call compiled functions only, such as those of :mod:`c4env.bitboard`.
    """
    return OutsideEvaluation(function)


def number_of(evaluation: str | OutsideEvaluation) -> int:
    """The number that compiled code knows an evaluation by.

    Raises:
        ValueError: There is none of that name; says which there are.
    """
    if isinstance(evaluation, OutsideEvaluation):
        return evaluation.number
    if evaluation not in EVALUATIONS:
        raise ValueError(f"eval is one of {', '.join(EVALUATIONS)}, not {evaluation!r}")
    return EVALUATIONS[evaluation]


def plies_to_end(value: float, ply: int) -> int | None:
    """Plies from ``ply`` stones to the end that a won or lost ``value`` promises, else None."""
    return WIN - round(abs(value)) - ply if abs(value) >= WON_FROM else None


def in_points(value: int, evaluation: int) -> float:
    """A value in the evaluation's own points; won and lost values stay as they are.

    ``outcome`` counts in halves, so that -0.5 is exact.
    """
    return value if abs(value) >= WON_FROM else value / (2 if evaluation == OUTCOME else 1)
