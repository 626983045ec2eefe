"""Plain loads and stores for the solver's inner loops.

Indexing a numpy array in compiled code allows negative indices, and that test keeps LLVM from
turning a loop over eight children into vector instructions. These don't: an index out of range is
undefined behaviour, so only the search kernel, which computes every index itself, uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

P = ParamSpec("P")
R = TypeVar("R")

Words = npt.NDArray[np.int64]


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` into its callers' source, so that a loop that calls it vectorises."""
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True, inline="always")(function))


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


@intrinsic  # type: ignore[untyped-decorator]
def load(_context: Any, array: Any, _index: Any) -> Any:
    """``array[index]`` of an int64 array, 0 <= index < size."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], arguments[0], arguments[1]))

    return types.int64(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(_context: Any, array: Any, _index: Any, _word: Any) -> Any:
    """``array[index] = word`` in an int64 array, 0 <= index < size."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _address(context, builder, signature.args[0], arguments[0], arguments[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_context: Any, array: Any, _index: Any) -> Any:
    """Start to bring ``array[index]`` into the cache."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        byte, int32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name)
        if function is None:
            kind = ir.FunctionType(ir.VoidType(), [byte, int32, int32, int32])
            function = ir.Function(builder.module, kind, name)
        read, keep, data = int32(0), int32(3), int32(1)
        builder.call(function, [builder.bitcast(address, byte), read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def aligned_words(count: int) -> Words:
    """``count`` zeroed int64 that start on a cache line, so that a row of eight lies in one."""
    buffer = np.zeros(count + 8, dtype=np.int64)
    start = (-buffer.ctypes.data // 8) % 8
    return buffer[start : start + count]
