"""The crew: the same results in the same order from any number of workers, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from c4agents.jobs import Crew
from c4agents.jobs import crew as crew_module

BATCHES = [list(range(start, start + 7)) for start in range(0, 140, 7)]


def powers(exponent: int, batch: list[int]) -> list[int]:
    time.sleep(0.02 * (batch[0] % 3))  # finished out of order
    return [item**exponent for item in batch]


def once(folder: Path, name: str) -> bool:
    """Whether this is the first call with that name, over all processes."""
    try:
        (folder / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def killed_once(folder: Path, batch: list[int]) -> list[int]:
    if batch[0] in (21, 70) and once(folder, f"killed-{batch[0]}"):
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


def raises_once(folder: Path, batch: list[int]) -> list[int]:
    if batch[0] in (0, 35) and once(folder, f"raised-{batch[0]}"):
        raise OSError("the disk is on fire")
    return batch


def always(kind: type[Exception], batch: list[int]) -> list[int]:
    if batch[0] == 14:
        raise kind("no")
    return batch


def test_results_do_not_depend_on_the_workers() -> None:
    expected = [powers(3, batch) for batch in BATCHES]
    for workers in (None, 1, 2, 3):
        with Crew(workers) as crew:
            assert crew.local == (workers in (None, 1))
            assert list(crew.map(powers, BATCHES, shared=3)) == expected
            assert list(crew.map(powers, BATCHES[:3], shared=2)) == [powers(2, batch) for batch in BATCHES[:3]]
            tallies = crew.tallies
            assert sum(tally.items for tally in tallies.values()) == 161
            assert sum(tally.batches for tally in tallies.values()) == 23
            assert len(tallies) <= crew.size
            assert all(name.endswith(f":{os.getpid()}") == crew.local for name in tallies)
            assert "161 items" in crew.describe()[-1]


@pytest.mark.parametrize("workers", [1, 2])
def test_ranges_are_covered_once_and_in_order(workers: int) -> None:
    items = np.arange(1000)
    with Crew(workers) as crew:
        parts = list(crew.map_range(np.multiply, 1000, lambda part: items[part], shared=5, start=10, seconds=0.01))
    assert [part.start for part, _ in parts] == [10, *(part.stop for part, _ in parts[:-1])]
    assert parts[-1][0].stop == 1000
    assert np.array_equal(np.concatenate([result for _, result in parts]), 5 * items[10:])


def test_ranges_grow_to_the_time_asked_for() -> None:
    with Crew(1) as crew:
        sizes = [
            part.stop - part.start for part, _ in crew.map_range(lambda _, n: n, 5000, lambda part: 0, shared=None)
        ]
    assert sizes[:4] == [1, 2, 4, 8]
    assert max(sizes) > 1000


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    with Crew(2, say=said.append) as crew:
        assert list(crew.map(killed_once, BATCHES, shared=tmp_path)) == BATCHES
        assert sum(tally.items for tally in crew.tallies.values()) == 140
        assert crew.lost >= 2
    assert 1 <= len(said) <= 2  # both may die at once
    assert all("killed" in line and "will be done again" in line for line in said)
    assert {path.name for path in tmp_path.iterdir()} == {"killed-21", "killed-70"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_batch_that_raises_is_tried_again(tmp_path: Path, workers: int) -> None:
    said: list[str] = []
    with Crew(workers, say=said.append) as crew:
        assert list(crew.map(raises_once, BATCHES, shared=tmp_path)) == BATCHES
        assert crew.lost == 2
    assert sorted(said) == [
        "OSError: the disk is on fire; batch 1 will be done again",
        "OSError: the disk is on fire; batch 6 will be done again",
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_trying_again_has_an_end(workers: int) -> None:
    said: list[str] = []
    with Crew(workers, say=said.append) as crew:
        with pytest.raises(KeyError):
            list(crew.map(always, BATCHES, shared=KeyError))
        assert len(said) == crew_module.RETRIES
        with pytest.raises(ValueError, match="no"):
            list(crew.map(always, BATCHES, shared=ValueError))
        assert len(said) == crew_module.RETRIES  # bad input is not tried again
        assert list(crew.map(powers, BATCHES, shared=1)) == BATCHES  # and the crew goes on


def test_a_batch_that_always_kills_its_worker_is_an_error() -> None:
    said: list[str] = []
    with Crew(2, say=said.append) as crew, pytest.raises(RuntimeError, match="lost its worker 4 times"):
        list(crew.map(lambda _, batch: os.kill(os.getpid(), signal.SIGKILL), BATCHES[:1], shared=None))


def test_ctrl_c_is_left_to_the_driver() -> None:
    """A terminal sends it to the workers, too."""
    with Crew(2) as crew:
        batches = list(crew.map(lambda _, batch: os.kill(os.getpid(), signal.SIGINT) or batch, BATCHES, shared=None))
        assert batches == BATCHES
        assert crew.lost == 0


class Heavy:
    """Counts in a file how often it is unpickled."""

    def __init__(self, log: Path, content: int) -> None:
        self.log, self.content = log, content

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        with self.log.open("a") as file:
            file.write(f"{os.getpid()} {self.content}\n")


def use(heavy: Heavy, batch: list[int]) -> list[int]:
    time.sleep(0.01)
    return [heavy.content + item for item in batch]


def test_shared_objects_are_sent_once_per_version(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Crew(2) as crew:
        for version in (1, 2):
            heavy = Heavy(log, version)
            for _ in range(3):
                assert list(crew.map(use, BATCHES, shared=heavy)) == [
                    [version + item for item in batch] for batch in BATCHES
                ]
    fetched = log.read_text().splitlines()
    assert len(fetched) == len(set(fetched))
    assert len({line.split()[1] for line in fetched}) == 2


def test_leaving_early_stops_the_work() -> None:
    with Crew(2) as crew:
        run = crew.map(powers, BATCHES, shared=2)
        assert next(run) == powers(2, BATCHES[0])
        run.close()  # type: ignore[attr-defined]
        assert list(crew.map(powers, BATCHES, shared=2)) == [powers(2, batch) for batch in BATCHES]


def test_batches_are_taken_as_there_is_room() -> None:
    taken = []

    def endless():  # type: ignore[no-untyped-def]
        for number in range(1_000_000):
            taken.append(number)
            yield [number]

    for workers in (1, 2):
        taken.clear()
        with Crew(workers) as crew:
            run = crew.map(powers, endless(), shared=1)
            assert [next(run) for _ in range(5)] == [[number] for number in range(5)]
        assert len(taken) < 100


def test_bad_arguments_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="workers is a number of processes"):
        Crew(-1)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install \"c4env\[cluster\]\""):
        Crew(ray="auto")
    monkeypatch.setitem(sys.modules, "joblib.externals.loky", None)
    with pytest.raises(ValueError, match=r"pip install \"c4env\[arena\]\""):
        Crew(2)
