"""A real Ray cluster on this machine: the results of one process, whatever happens to workers, nodes and the driver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from c4agents.arena.certificate import Certificate
from c4agents.arena.certification import certify
from c4agents.arena.exact import Oracle, solver
from c4agents.arena.ladder import LadderResult, play_ladder
from c4agents.jobs import Crew
from c4env.position import Position
from c4train import building
from c4train.alphazero import AlphaZero, AlphaZeroConfig
from c4train.building import build
from c4train.distill import Distill, DistillConfig
from c4train.labels import Boards, Labeller, Scores
from tests.c4agents.arena.helpers import BruteForce, Scripted, hashed, late_games
from tests.c4agents.test_jobs import BATCHES, Heavy, always, killed_once, once, powers, raises_once, use

ray = pytest.importorskip("ray")


def patiently(start: Callable[[], Any]) -> Any:
    """What ``start`` returns. Ray gives a node 30 seconds to start, which on a busy machine may be too few."""
    for _ in range(3):
        try:
            return start()
        except Exception as error:
            failed = error
    raise failed


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Any]:
    """Two processors, and room for a node that comes and goes."""
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_worker_niceness", "0")  # else workers would starve where much else is running
    head = {"num_cpus": 2, "include_dashboard": False}
    made = patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    torch.set_num_threads(1)
    yield made
    ray.shutdown()
    made.shutdown()


def kill_once(folder: Path, *_: object) -> None:
    if once(folder, "killed"):
        os.kill(os.getpid(), signal.SIGKILL)


class Kills:
    """An agent whose process is killed once, in a position of at least so many stones."""

    name = "kills"
    deterministic = True
    mirror_consistent = False

    def __init__(self, folder: Path, ply: int) -> None:
        self.folder, self.ply = folder, ply

    def __call__(self, position: Position) -> int:
        if position.ply >= self.ply:
            kill_once(self.folder)
        return hashed(position)


def test_results_are_those_of_one_process() -> None:
    with Crew(ray="auto") as crew:
        assert crew.size == 2
        assert list(crew.map(powers, BATCHES, shared=3)) == [powers(3, batch) for batch in BATCHES]
        assert sum(tally.items for tally in crew.tallies.values()) == 140
        assert list(crew.map(lambda scale, item: scale * item, [1, 2, 3], shared=2)) == [2, 4, 6]


def alone_there(folder: Path, number: int) -> int:
    (folder / "busy").mkdir()  # fails if there is another
    time.sleep(0.05)
    (folder / "busy").rmdir()
    return number


def test_fewer_workers_than_processors(tmp_path: Path) -> None:
    with Crew(1, ray="auto") as crew:
        assert crew.size == 1
        assert list(crew.map(alone_there, range(8), shared=tmp_path)) == list(range(8))
        assert crew.lost == 0


def test_faults_change_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    with Crew(ray="auto", say=said.append) as crew:
        assert list(crew.map(killed_once, BATCHES, shared=tmp_path)) == BATCHES
        assert crew.lost == 2
        assert list(crew.map(raises_once, BATCHES, shared=tmp_path)) == BATCHES
        assert crew.lost == 4
        assert sum(tally.items for tally in crew.tallies.values()) == 280
        assert len(said) >= 3
        assert all("will be done again" in line for line in said)
        with pytest.raises(ValueError, match="no"):
            list(crew.map(always, BATCHES, shared=ValueError))


def test_shared_objects_are_sent_once_per_version(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Crew(ray="auto") as crew:
        for version in (1, 2):
            heavy = Heavy(log, version)
            for _ in range(2):
                results = list(crew.map(use, BATCHES, shared=heavy))
                assert results[0][0] == version
    fetched = log.read_text().splitlines()
    assert len(fetched) == len(set(fetched))
    assert len({line.split()[1] for line in fetched}) == 2


def stuck_there(shared: tuple[str, Path], batch: list[int]) -> list[int]:
    """Never ends on one node."""
    node, folder = shared
    if ray.get_runtime_context().get_node_id() == node:
        (folder / "arrived").touch()
        time.sleep(600)
    time.sleep(0.1)
    return batch


def test_a_node_that_leaves_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    node = patiently(lambda: cluster.add_node(num_cpus=1))
    cluster.wait_for_nodes()

    def remove() -> None:
        while not (tmp_path / "arrived").exists():
            time.sleep(0.01)
        cluster.remove_node(node, allow_graceful=False)

    said: list[str] = []
    removing = threading.Thread(target=remove)
    removing.start()
    with Crew(ray="auto", say=said.append) as crew:
        assert crew.size >= 3
        batches = [[number] for number in range(100)]
        assert list(crew.map(stuck_there, batches, shared=(node.node_id, tmp_path))) == batches
        assert sum(tally.items for tally in crew.tallies.values()) == 100
    removing.join()
    assert any("is gone" in line for line in said)


def table(result: LadderResult) -> tuple[Any, ...]:
    """A ladder without the times."""
    games = [[(game.moves, game.winner, game.first) for game in match.games] for match in result.matches.values()]
    return result.names, games, result.ratings, result.cross_table()


def test_the_same_ladder(tmp_path: Path) -> None:
    agents = [Kills(tmp_path, 12), "rules", "alphabeta:depth=2"]
    (tmp_path / "killed").touch()
    alone = table(play_ladder(agents, 8, seed=4))
    for back_end in ("auto", None):
        (tmp_path / "killed").unlink()
        with Crew(2, ray=back_end) as crew:
            assert table(play_ladder(agents, 8, seed=4, workers=crew)) == alone
            assert crew.lost >= 1


def told(certificate: Certificate) -> dict[str, Any]:
    """A certificate without the time."""
    return certificate.to_dict() | {"seconds": 0}


def test_the_same_certificate(tmp_path: Path) -> None:
    opening = late_games(26, 1, 3)[0]
    (tmp_path / "killed").touch()
    agent = Kills(tmp_path, 30)
    alone, leaks = certify(agent, "first", opening, oracle=BruteForce())
    assert alone.leaks
    for back_end in ("auto", None):
        (tmp_path / "killed").unlink()
        with Crew(2, ray=back_end) as crew:
            shared, same = certify(agent, "first", opening, oracle=BruteForce(), workers=crew)
            assert crew.lost >= 1
        assert told(shared) == told(alone)
        for mine, theirs in zip(leaks.__getstate__(), same.__getstate__(), strict=True):
            assert (mine == theirs).all()


def test_the_same_certificate_of_the_solver() -> None:
    alone, _ = certify("solver", "second", "4", oracle=solver(), plies=3)
    with Crew(ray="auto") as crew:
        shared, _ = certify("solver", "second", "4", oracle=solver(), plies=3, workers=crew)
        assert sum(tally.items for tally in crew.tallies.values()) == 3 * alone.positions
    assert told(shared) == told(alone)


def test_promises_are_kept_there_too() -> None:
    with Crew(ray="auto") as crew, pytest.raises(ValueError, match="declares that it is mirror consistent"):
        certify(Scripted(hashed, mirror=True), opening="1", plies=6, workers=crew)


class Dies:
    """Answers by the solver; a worker, not this process, dies of it once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.driver, self.solver = folder, os.getpid(), solver()

    def _answers(self) -> Oracle:
        if os.getpid() != self.driver:
            kill_once(self.folder)
        return self.solver

    def outcomes(self, own: Boards, occupied: Boards) -> Scores:
        return self._answers().outcomes(own, occupied)

    def score_batch(self, own: Boards, occupied: Boards) -> Scores:
        return self._answers().score_batch(own, occupied)

    def scores(self, own: Boards, occupied: Boards) -> Scores:
        return self._answers().scores(own, occupied)


def test_the_same_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "GAMES", 256)

    def shards(name: str, labeller: Labeller, workers: int | Crew) -> list[bytes]:
        build(tmp_path / name, 600, shard=250, plies=(16, 38), labeller=labeller, workers=workers)
        return [path.read_bytes() for path in sorted((tmp_path / name).glob("*.npz"))]

    alone = shards("alone", solver(), 1)
    assert len(alone) == 3
    with Crew(ray="auto") as crew:
        assert shards("cluster", Dies(tmp_path), crew) == alone
        assert crew.lost >= 1
        assert sum(tally.items for tally in crew.tallies.values()) == 600
    assert shards("processes", solver(), 2) == alone


def test_the_same_imitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "GAMES", 256)
    build(tmp_path / "data", 200, plies=(30, 38))
    sizes = {"channels": 4, "features": 4, "width": 16, "blocks": 1, "batch": 32, "updates": 3, "probe": 50}
    play = {"first_ply": 24, "dagger_every": 1, "dagger_games": 20, "dagger_positions": 40}
    off = {"book_plies": -1, "early_positions": 0, "strong_games": 0, "perfect_games": 0, "leaks_every": 0}

    def learned(crew: Crew) -> tuple[list[int], list[Any]]:
        torch.manual_seed(0)
        config = DistillConfig(**sizes | play | off, data=(str(tmp_path / "data"),))  # type: ignore[arg-type]
        trainer = Distill(config, crew, lambda: Dies(tmp_path))
        for _ in range(2):
            trainer.advance(0.1)
        return trainer.keys.tolist(), [weights.tolist() for weights in trainer.network.parameters()]

    alone = learned(Crew())
    assert len(alone[0]) > 200
    with Crew(ray="auto") as crew:
        assert learned(crew) == alone
        assert crew.lost >= 1


def test_the_same_self_play(tmp_path: Path) -> None:
    sizes = {"channels": 4, "features": 4, "width": 16, "blocks": 1, "batch": 32}
    play = {"games": 24, "plies": 12, "simulations": 8, "quick_simulations": 4}

    def learned(crew: Crew) -> list[Any]:
        torch.manual_seed(0)
        trainer = AlphaZero(AlphaZeroConfig(**sizes | play), crew)  # type: ignore[arg-type]
        trainer.network.register_forward_pre_hook(partial(kill_once, tmp_path))
        for _ in range(4):
            losses = trainer.advance(0.1)
        assert losses["policy_loss"] > 0
        return [weights.tolist() for weights in trainer.network.parameters()]

    (tmp_path / "killed").touch()
    alone = learned(Crew())
    (tmp_path / "killed").unlink()
    with Crew(ray="auto") as crew:
        assert learned(crew) == alone
        assert crew.lost >= 1
        assert sum(tally.items for tally in crew.tallies.values()) == 4 * 24 * 12


SLOW = """
import random, time
def slow(position):
    time.sleep(0.005)
    return random.Random(position.key).choice(position.legal)
slow.deterministic = True
"""


def c4(*words: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", *words]


def kill_when(command: list[str], folder: Path, under_way: Callable[[], bool]) -> None:
    """Start a command and kill it, as nothing can be caught, when it has got somewhere."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not under_way():
        assert process.poll() is None or under_way(), process.communicate()[1]
        time.sleep(0.005)
    process.kill()
    process.communicate()


def output(command: list[str], folder: Path) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def kept_games(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {path.name: json.loads(path.read_text())["games"] for path in folder.glob("pairing-*.json")}


def test_a_driver_killed_and_started_again_goes_on_with_the_ladder(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    agents = ("slow.py:slow", "random", "rules")
    command = c4("ladder", *agents, "--games", "8", "--json", "--folder", "kept", "--ray", cluster.address)
    kill_when(command, tmp_path, lambda: any((tmp_path / "kept").glob("pairing-*.json")))
    before = kept_games(tmp_path / "kept")
    assert sum(map(len, before.values())) < 24
    resumed = output(command, tmp_path)
    after = kept_games(tmp_path / "kept")
    assert sum(map(len, after.values())) == 24
    for name, games in before.items():
        assert games
        assert after[name][: len(games)] == games  # to the microsecond: not played again
    monkeypatch.chdir(tmp_path)
    whole = json.loads(json.dumps(play_ladder(agents, 8).summary()))
    for match in (*resumed["matches"], *whole["matches"]):
        del match["seconds_per_move"]
    assert resumed == whole


def test_a_driver_killed_and_started_again_goes_on_with_the_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    words = ("certify", "slow.py:slow", "--plain", "--plies", "4", "--json", "--folder", "walk", "--workers", "2")
    kill_when(c4(*words), tmp_path, (tmp_path / "walk" / "columns_02.npy").exists)
    resumed = output(c4(*words), tmp_path)
    monkeypatch.chdir(tmp_path)
    whole = json.loads(json.dumps(told(certify("slow.py:slow", plies=4)[0])))
    assert resumed | {"seconds": 0} == whole
