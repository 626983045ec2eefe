import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c4env.position import Position, PositionBatch
from c4env.symmetry import mirror

columns = st.lists(st.integers(0, 6), max_size=42)
rule_sets = st.sampled_from(["first-four", "most-fours"])


def play_legal(moves, rules="first-four"):
    position = Position(rules=rules)
    for column in moves:
        if column in position.legal:
            position = position.play(column)
    return position


def planes(position):
    own = position.to_array() == position.player + 1
    other = position.to_array() == 2 - position.player
    return np.stack([own, other]).astype(np.int8)


def mask(position):
    return np.array([column in position.legal for column in range(7)], np.int8)


def naive_mirror(array):
    """Reversed column by column, without numpy's flip."""
    array = np.asarray(array)
    return np.stack([array[..., 6 - column] for column in range(7)], axis=-1)


@settings(deadline=None)
@given(columns, rule_sets)
def test_everything_mirrors_alike(moves, rules):
    position = play_legal(moves, rules)
    policy = np.random.default_rng(len(moves)).random(7)
    image = mirror(position=position, observation=planes(position), mask=mask(position), policy=policy, column=2)
    assert (image.position.to_array() == naive_mirror(position.to_array())).all()
    assert image.position.rules == rules
    assert (image.observation == planes(image.position)).all()
    assert (image.mask == mask(image.position)).all()
    assert (image.policy == [policy[6 - column] for column in range(7)]).all()
    assert image.column == 4
    assert image.observation.dtype == image.mask.dtype == np.int8


@settings(deadline=None)
@given(columns, rule_sets)
def test_involution(moves, rules):
    position = play_legal(moves, rules)
    given_things = {"position": position, "observation": planes(position), "mask": mask(position), "column": 5}
    image = mirror(**given_things)
    twice = mirror(position=image.position, observation=image.observation, mask=image.mask, column=image.column)
    assert twice.position == position
    assert (twice.observation == planes(position)).all()
    assert (twice.mask == mask(position)).all()
    assert twice.column == 5


@settings(deadline=None)
@given(columns, rule_sets)
def test_playing_and_mirroring_commute(moves, rules):
    position = play_legal(moves, rules)
    for column in position.legal:
        image = mirror(position=position, column=column)
        assert image.position.play(image.column) == position.play(column).mirror()
        assert image.position.play(image.column).result == position.play(column).result


def test_batches_mirror_like_their_members():
    rng = random.Random(0)
    positions = [play_legal(rng.choices(range(7), k=rng.randint(0, 42))) for _ in range(50)]
    batch = PositionBatch.of(positions)
    stacked = np.stack([planes(position) for position in positions])
    policy = np.random.default_rng(0).random((50, 7))
    image = mirror(position=batch, observation=stacked, policy=policy, column=np.arange(7))
    assert list(image.position) == [position.mirror() for position in positions]
    assert (image.observation == naive_mirror(stacked)).all()
    assert (image.policy == naive_mirror(policy)).all()
    assert image.column.tolist() == [6, 5, 4, 3, 2, 1, 0]
    assert batch.own.tolist() == [position.own for position in positions]


def test_pettingzoo_layout():
    position = Position.from_moves("1123")
    image = mirror(observation=planes(position).transpose(1, 2, 0), channels_last=True)
    assert (image.observation == planes(position.mirror()).transpose(1, 2, 0)).all()


def test_result_is_a_copy_that_torch_takes():
    torch = pytest.importorskip("torch")
    observation = planes(Position.from_moves("1123"))
    image = mirror(observation=observation, policy=[1.0, 2, 3, 4, 5, 6, 7])
    assert (torch.from_numpy(image.observation).numpy() == naive_mirror(observation)).all()
    assert image.policy.tolist() == [7, 6, 5, 4, 3, 2, 1]
    palindrome = np.ones(7)
    mirror(mask=palindrome).mask[:] = 0
    assert palindrome.all()


def test_torch_tensors_stay_tensors():
    torch = pytest.importorskip("torch")
    observation = torch.arange(2 * 2 * 6 * 7).reshape(2, 2, 6, 7)
    policy = torch.rand(2, 7)
    image = mirror(observation=observation, policy=policy, column=torch.tensor([0, 5]))
    assert isinstance(image.observation, torch.Tensor)
    assert (image.observation.numpy() == naive_mirror(observation.numpy())).all()
    assert (image.policy.numpy() == naive_mirror(policy.numpy())).all()
    assert image.column.tolist() == [6, 1]


def test_what_is_not_given_is_none():
    image = mirror(mask=np.ones(7))
    assert (image.position, image.observation, image.policy, image.column) == (None, None, None, None)


@pytest.mark.parametrize(
    "wrong",
    [{"observation": np.zeros((6, 7, 2))}, {"mask": np.zeros(6)}, {"policy": 3.0}, {"policy": np.zeros((7, 4))}],
)
def test_arrays_without_columns_are_refused(wrong):
    with pytest.raises(ValueError, match="must be 7"):
        mirror(**wrong)
