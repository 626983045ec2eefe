"""The one door to numba: a typed decorator, the bit intrinsics, and the first-compile notice.

Boards are ``int64``. They use 49 bits, so the sign never shows, Python integers and compiled
code agree on every operation, and one compiled signature serves both (mixing ``uint64`` with
literals would turn into ``float64``).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import event, types
from numba.extending import intrinsic

P = ParamSpec("P")
R = TypeVar("R")

NOTICE_AFTER_SECONDS = 0.7


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` on its first call, without the GIL, and keep the machine code on disk.

    The result has the types of the Python source. The cache of a module is refreshed when *that*
    file changes, not when one it calls does: after editing a callee run ``make clean``.
    """
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Like :func:`compiled`, but always merged into compiled callers.

    For the inside of hot loops: a call that takes arrays costs more than such a function's work. It must not make
    arrays: it is compiled without the counting of references to them, which would cost as much again.
    """
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True, forceinline=True, _nrt=False)(function))


@intrinsic  # type: ignore[untyped-decorator]
def _ctpop(_context: Any, _bits: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _cttz(_context: Any, _bits: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@compiled
def popcount(bits: int) -> int:
    """Number of ones in ``bits``. One instruction."""
    return _ctpop(bits)  # type: ignore[no-any-return]


@compiled
def lowest_bit_index(bits: int) -> int:
    """Index of the lowest one in ``bits``, which must not be 0. One instruction."""
    return _cttz(bits)  # type: ignore[no-any-return]


@intrinsic  # type: ignore[untyped-decorator]
def store_word(_context: Any, array: Any, _offset: Any, _word: Any) -> Any:
    """Write the eight bytes of a word into an int8 array, from a flat index; only in compiled code.

    The array must be contiguous and hold all eight; no alignment is needed.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        builder.store(arguments[2], place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_at(_context: Any, _address: Any, _first: Any, _second: Any, _third: Any) -> Any:
    """Call the function at an address that :class:`Callback` gave; only in compiled code."""

    def generate(_ctx: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * 3).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return types.int64(*[types.int64] * 4), generate


class Callback:
    """A function of three whole numbers, compiled at once, that compiled code calls by its address.

    Attributes:
        address: Where it is, in this process and as long as this object lives.
    """

    def __init__(self, function: Callable[[int, int, int], int]) -> None:
        self._code = numba.cfunc(types.int64(*[types.int64] * 3))(function)
        self.address: int = self._code.address


class _CompileNotice(event.Listener):  # type: ignore[misc]
    """Says once, on stderr, that the wait is a compilation that will not come again.

    Compilations nest (a function compiles those it calls) and come one after another, so the
    time that counts is their sum.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.spent = 0.0
        self.started = 0.0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        if not event.data["dispatcher"].py_func.__module__.startswith("c4"):
            return
        self.depth += 1
        if self.depth == 1 and self.spent < NOTICE_AFTER_SECONDS:
            self.started = time.monotonic()
            self.timer = threading.Timer(NOTICE_AFTER_SECONDS - self.spent, _say_compiling)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        if not event.data["dispatcher"].py_func.__module__.startswith("c4"):
            return
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.spent += time.monotonic() - self.started


def _say_compiling() -> None:
    print("c4env: compiling for this machine; a few seconds, only once ...", file=sys.stderr, flush=True)


event.register("numba:compile", _CompileNotice())
