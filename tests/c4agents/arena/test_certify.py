"""Certification: the walk against a naive one, promises, resuming, leaks, certificates."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from c4agents.arena import walk
from c4agents.arena.certificate import Certificate, differences, read_certificate
from c4agents.arena.certification import certify
from c4agents.arena.storing import write_json
from c4env.bitboard import canonical_key, key
from c4env.position import Position

from .helpers import BruteForce, Scripted, central, hashed, late_games, lowest


def naive_walk(function, start: Position, agent_player: int, mirrored: bool, plies: int = 42) -> dict[int, list[int]]:
    """By ply: positions, wins, draws, losses; with sets of keys, and the rules by `Position` alone."""

    def key_of(position):
        return min(position.key, position.mirror().key) if mirrored else position.key

    layer = {key_of(start): start} if start.player == agent_player else {}
    if start.player != agent_player:
        layer = {key_of(after): after for after in map(start.play, start.legal) if not after.is_over}
    table = {}
    while layer:
        ply = next(iter(layer.values())).ply
        if ply > plies:
            break
        counts = [len(layer), 0, 0, 0]
        following = {}
        for position in layer.values():
            after = position.play(function(position))
            if after.winner is not None:
                counts[1] += 1
                continue
            ends = [after.play(answer) for answer in after.legal]
            if any(end.winner is not None for end in ends):
                counts[3] += 1
            elif after.is_draw or any(end.is_draw for end in ends):
                counts[2] += 1
            following |= {key_of(end): end for end in ends if not end.is_over}
        table[ply] = counts
        layer = following
    return table


def counts_of(certificate: Certificate) -> dict[int, list[int]]:
    return {layer.ply: [layer.positions, layer.wins, layer.draws, layer.losses] for layer in certificate.layers}


@pytest.mark.parametrize("seat", ["first", "second"])
@pytest.mark.parametrize("opening", late_games(24, 3, 4) + late_games(25, 3, 5))
def test_the_walk_finds_what_a_naive_one_finds(opening, seat):
    start = Position.from_moves(opening)
    for function, mirror in ((hashed, False), (lowest, False), (central, True)):
        certificate, _ = certify(Scripted(function, mirror=mirror), seat, opening)
        assert counts_of(certificate) == naive_walk(function, start, int(seat == "second"), mirror)
        assert certificate.complete
        assert certificate.question.mirrored is mirror


def test_from_the_empty_board_mirror_images_are_merged_only_if_the_agent_declares_them_alike():
    merged, _ = certify(Scripted(central, mirror=True), plies=6)
    apart, _ = certify(Scripted(central, mirror=True), plies=6, both_orientations=True)
    undeclared, _ = certify(Scripted(central), plies=6)
    assert counts_of(merged) == naive_walk(central, Position(), 0, True, 6)
    assert counts_of(apart) == counts_of(undeclared) == naive_walk(central, Position(), 0, False, 6)
    assert merged.positions < apart.positions


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_counterexamples_are_games_the_agent_plays_and_loses(depth):
    import c4agents

    agent = c4agents.make(f"alphabeta:depth={depth}")
    certificate, _ = certify(agent, first=True)
    assert certificate.worst == -1
    assert certificate.counterexamples
    for example in certificate.counterexamples:
        assert example.kind == "loss"
        position = Position()
        for move in example.game:
            if position.player == 0:
                assert agent.act(position) == int(move) - 1
            position = position.play(int(move) - 1)
        assert position.winner == 1
    lengths = [len(example.game) for example in certificate.counterexamples]
    assert lengths == sorted(lengths)


def test_the_first_loss_is_the_shortest():
    opening = late_games(20, 1, 9)[0]
    shortest = None
    certificate, _ = certify(Scripted(lowest), "first", opening, first=True)
    table = naive_walk(lowest, Position.from_moves(opening), 0, False)
    for ply, (_, _, _, losses) in table.items():
        if losses:
            shortest = ply + 2
            break
    assert shortest is not None
    assert len(certificate.counterexamples[0].game) == shortest
    assert certificate.layers[-1].ply == shortest - 2
    assert not certificate.complete


def test_randomness_is_refused_unless_frozen():
    with pytest.raises(ValueError, match="rules is not deterministic"):
        certify("rules")
    one, _ = certify("rules", freeze=1, first=True)
    same, _ = certify("rules", freeze=1, first=True)
    other, _ = certify("rules", freeze=2, first=True)
    assert one.worst == -1
    assert differences(one, same) == []
    assert one.layers != other.layers


def test_broken_promises_are_found():
    calls = 0

    def changes(position):
        nonlocal calls
        calls += 1
        return position.legal[calls % len(position.legal)]

    with pytest.raises(ValueError, match="declares that it is deterministic, but plays columns"):
        certify(Scripted(changes))
    with pytest.raises(ValueError, match="declares that it is mirror consistent, but plays column"):
        certify(Scripted(lowest, mirror=True), opening="1")


@pytest.mark.parametrize("whole", [True, False])
def test_an_agent_that_fails_is_a_counterexample(whole):
    def breaks(position):
        if position.ply == 22:
            if whole:
                raise RuntimeError("too hard")
            return 9
        return lowest(position)

    certificate, _ = certify(Scripted(breaks), "first", late_games(20, 1, 5)[0])
    failures = [example for example in certificate.counterexamples if example.kind == "failure"]
    assert failures
    for example in failures:
        position = Position.from_moves(example.moves)
        assert position.ply == 22
        assert example.game == example.moves
        assert ("raised RuntimeError: too hard" if whole else "answered 9") in example.note


def test_leaks_are_exactly_the_moves_that_give_the_outcome_away():
    oracle = BruteForce()
    for opening in late_games(28, 6, 2):
        for seat, player in (("first", 0), ("second", 1)):
            certificate, leaks = certify(Scripted(hashed), seat, opening, oracle=oracle)
            found = {key(int(own), int(occupied)) for own, occupied in zip(leaks.own, leaks.occupied, strict=True)}
            expected, reached = naive_leaks(oracle, Position.from_moves(opening), player)
            assert found == expected
            assert certificate.leaks == len(expected)
            assert certificate.positions == reached
            assert (leaks.after < leaks.before).all()


def naive_leaks(oracle: BruteForce, start: Position, player: int) -> tuple[set[int], int]:
    """Keys of the leaks of ``hashed``, and how many positions are reached when branches are cut there."""
    leaks, seen, stack = set(), set(), [start]
    while stack:
        position = stack.pop()
        if position.is_over or (position.player == player and position.key in seen):
            continue
        if position.player != player:
            stack += [position.play(answer) for answer in position.legal]
            continue
        seen.add(position.key)
        scores, column = oracle.moves(position), hashed(position)
        if np.sign(scores[column]) < np.sign(max(scores.values())):
            leaks.add(position.key)
        else:
            stack.append(position.play(column))
    return leaks, len(seen)


def test_perfect_play_has_no_leaks_and_a_planted_one_is_named():
    oracle = BruteForce()

    def perfect(position):
        scores = oracle.moves(position)
        return max(scores, key=lambda column: (scores[column], -abs(column - 3), column))

    planted = 0
    for opening in late_games(28, 12, 8):
        start = Position.from_moves(opening)
        certificate, leaks = certify(Scripted(perfect), "first", opening, oracle=oracle)
        assert certificate.leaks == len(leaks.own) == 0
        assert certificate.proven
        assert certificate.worst >= np.sign(oracle.value(start))
        target = deep_target(oracle, perfect, start)
        if target is None:
            continue
        planted += 1
        position, wrong = target

        def blunders(at, position=position, wrong=wrong):
            return wrong if at == position else perfect(at)

        certificate, leaks = certify(Scripted(blunders), "first", opening, oracle=oracle)
        assert [int(leaks.own[0]), int(leaks.occupied[0])] == [position.own, position.occupied]
        assert len(leaks.own) == 1
        assert not certificate.proven
        (example,) = (example for example in certificate.counterexamples if example.kind == "leak")
        assert Position.from_moves(example.moves[:-1]) == position
        assert Position.from_moves(example.game).winner != 0 or "won after all" not in example.note
    assert planted >= 3


def deep_target(oracle, perfect, start):
    """The last position that the walk against ``perfect`` meets in which a column gives the outcome away."""
    found, stack, seen = None, [start], set()
    while stack:
        position = stack.pop()
        if position.is_over or position.key in seen:
            continue
        seen.add(position.key)
        if position.player == 1:
            stack += [position.play(answer) for answer in position.legal]
            continue
        scores = oracle.moves(position)
        best = max(scores.values())
        wrong = [column for column, score in scores.items() if np.sign(score) < np.sign(best)]
        if wrong and (found is None or position.ply > found[0].ply):
            found = position, wrong[0]
        stack.append(position.play(perfect(position)))
    return found


def test_an_interrupted_walk_goes_on_without_asking_again(tmp_path):
    opening = late_games(20, 1, 3)[0]
    whole, _ = certify(Scripted(hashed), "first", opening)
    asked: list[int] = []

    def counting(position, stop_after):
        asked.append(position.key)
        if len(asked) > stop_after:
            raise KeyboardInterrupt
        return hashed(position)

    enough = whole.positions // 2
    with pytest.raises(KeyboardInterrupt):
        certify(Scripted(lambda p: counting(p, enough)), "first", opening, folder=tmp_path)
    before = len(asked)
    resumed, _ = certify(Scripted(lambda p: counting(p, 10**9)), "first", opening, folder=tmp_path)
    assert differences(whole, resumed) == []
    assert len(asked) - before < whole.positions
    with pytest.raises(ValueError, match="holds a walk of another agent"):
        certify(Scripted(hashed, "other"), "first", opening, folder=tmp_path)


def test_limits():
    opening = late_games(20, 1, 3)[0]
    whole, _ = certify(Scripted(hashed), "first", opening)
    some, _ = certify(Scripted(hashed), "first", opening, max_positions=whole.positions // 3)
    assert not some.complete
    assert not some.proven
    assert some.positions <= whole.positions // 3
    assert some.layers == whole.layers[: len(some.layers)]
    with pytest.raises(ValueError, match="the game is over"):
        certify(Scripted(hashed), opening="1212121")
    with pytest.raises(ValueError, match="the opponent can end the game"):
        certify(Scripted(hashed), "second", opening="121212")


@pytest.mark.parametrize("limit", [1, 50, 700])
def test_layers_do_not_depend_on_how_much_fits_into_memory(limit, tmp_path):
    rng = np.random.default_rng(limit)
    keys = rng.integers(0, 400, 3000)
    parents = np.sort(rng.integers(0, 900, 3000)).astype(np.int32)
    frontier = walk.Frontier(walk.Store(tmp_path), 8, limit)
    for begin in range(0, 3000, 170):
        frontier.add(keys[begin : begin + 170], parents[begin : begin + 170])
    expected: dict[int, int] = {}
    for one, parent in zip(keys.tolist(), parents.tolist(), strict=True):
        expected.setdefault(one, parent)
    assert frontier.finish() == len(expected)
    store = walk.Store(tmp_path)
    assert store.read("keys", 8).tolist() == sorted(expected)
    assert store.read("parents", 8).tolist() == [expected[one] for one in sorted(expected)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys_08.npy", "parents_08.npy"]


def test_certificates_survive_their_file_and_tell_differences(tmp_path):
    opening = late_games(20, 1, 4)[0]
    certificate, _ = certify(Scripted(hashed), "first", opening)
    path = tmp_path / "certificate.json"
    write_json(path, certificate.to_dict())
    assert read_certificate(path) == certificate
    assert differences(certificate, read_certificate(path)) == []
    other, _ = certify(Scripted(lowest), "first", opening)
    assert differences(certificate, other)
    one = dataclasses.replace(certificate.layers[-1], digest="0" * 64)
    forged = dataclasses.replace(certificate, layers=(*certificate.layers[:-1], one))
    assert any("ply" in difference for difference in differences(forged, certificate))
    content = json.loads(path.read_text())
    for broken in ("[]", "{}", "no json", json.dumps(content | {"counterexamples": [{}]})):
        path.write_text(broken)
        with pytest.raises(ValueError, match="is not a certificate"):
            read_certificate(path)


def test_canonical_keys_of_helpers_agree():
    for moves in late_games(12, 20, 1):
        position = Position.from_moves(moves)
        assert canonical_key(position.own, position.occupied) == min(position.key, position.mirror().key)
