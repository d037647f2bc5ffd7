"""Evaluates NumPy expressions for the tests; numpy_oracle.cpp is the other end.

Request:  one JSON line {"expression": ..., "names": [[name, dtype, shape], ...]}, then the arrays' bytes in that order.
Response: one JSON line {"dtype": ..., "shape": [...]} and the bytes, or {"error": text}.
"""

import json
import sys
import time

import numpy as np

KNOWN = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"}


def seconds(function, repeats=5):
    """The shortest time that one of `repeats` calls takes."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def read_names(request, stream):
    names = {}
    for name, dtype, shape in request["names"]:
        count = int(np.prod(shape, dtype=np.int64))
        data = stream.read(count * np.dtype(dtype).itemsize)
        names[name] = np.frombuffer(data, dtype=dtype).reshape(shape)
    return names


def answer(request, names, kept):
    try:
        with np.errstate(all="ignore"):
            scope = {"np": np, "kept": kept, "seconds": seconds, **names}
            result = np.asarray(eval(request["expression"], scope), order="C")
        if result.dtype.name not in KNOWN:
            raise TypeError(f"the result has dtype {result.dtype.name}")
        return {"dtype": result.dtype.name, "shape": list(result.shape)}, result.tobytes()
    except Exception as error:  # whatever the expression raises belongs to the test that sent it
        return {"error": f"{type(error).__name__}: {error}"}, b""


def main():
    kept = {}
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        header, data = answer(request, read_names(request, sys.stdin.buffer), kept)
        sys.stdout.buffer.write(json.dumps(header).encode() + b"\n" + data)
        sys.stdout.buffer.flush()


main()
