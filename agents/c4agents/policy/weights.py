"""Weights on disk: a safetensors file whose metadata says what they are weights of, and how they came about."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.planes import PLANES

FORMAT: Final = "c4env-policy"
VERSION: Final = "1"
SUFFIX: Final = ".safetensors"


def shipped_path(name: str) -> Path:
    """Where the weights are that come with the package under ``name``: ``policy`` or ``policy-selfplay``."""
    return Path(str(files("c4agents.policy") / "shipped" / f"{name}{SUFFIX}"))


class Policy(NamedTuple):
    """A network, and what its file says of it.

    Attributes:
        network: The network, ready to be asked (not in training mode).
        about: Metadata as text: how it was trained, and what was measured.
        sha256: Fingerprint of the file.
    """

    network: PolicyNetwork
    about: dict[str, str]
    sha256: str


def save_policy(network: PolicyNetwork, path: Path, about: Mapping[str, str]) -> None:
    """Write a network to ``path``, all of it or nothing; ``about`` is kept beside the weights."""
    metadata = {
        **about,
        "format": FORMAT,
        "version": VERSION,
        "architecture": json.dumps(dataclasses.asdict(network.config)),
        "planes": json.dumps(PLANES),
    }
    tensors = {name: tensor.detach().contiguous() for name, tensor in network.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        save_file(tensors, unfinished, metadata)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def load_policy(path: Path) -> Policy:
    """The network in a file that :func:`save_policy` wrote.

    Raises:
        ValueError: There is no such file, or it is damaged, or holds something else.
    """
    if not path.is_file():
        raise ValueError(f"there is no weights file {str(path)!r}")
    try:
        with safe_open(path, framework="pt") as file:
            about = dict(file.metadata() or {})
            config = _config(path, about)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - the file is no mapping
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{str(path)!r} is damaged or no safetensors file: {error}") from None
    network = PolicyNetwork(config)
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    if expected != {name: tuple(tensor.shape) for name, tensor in tensors.items()}:
        raise ValueError(f"{str(path)!r} holds other tensors than its architecture {config} has")
    network.load_state_dict(tensors)
    network.eval()
    return Policy(network, about, hashlib.sha256(path.read_bytes()).hexdigest())


def _config(path: Path, about: dict[str, str]) -> NetworkConfig:
    if about.get("format") != FORMAT:
        raise ValueError(f"{str(path)!r} is a safetensors file of something else: it is not marked as {FORMAT}")
    if about.get("version") != VERSION or about.get("planes") != json.dumps(PLANES):
        raise ValueError(f"{str(path)!r} was written for another version of c4env and can't be read by this one")
    try:
        return NetworkConfig(**json.loads(about["architecture"]))
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{str(path)!r} names no architecture that c4env knows") from None
