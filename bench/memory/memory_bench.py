#!/usr/bin/python3
"""Memory held by whole runs, against budgets from the minimum up and against the projections.

The highest sample of the process tree is taken as tests/memory does, every 10 ms: private and file pages by PSS, shared
chunks by what their memory file has allocated. The tests hold the promise; this prints how close it comes to its limits.

Usage: memory_bench.py BIN_DIR [--rows N] [--folder DIR] [--json FILE]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "memory"))
from memory_test import MIB, Memory  # noqa: E402

FACTORS = (1, 1.25, 2, 4)

DEW_POINT = """
[inputs]
t2 = "in.h5:/t2"
rh = "in.h5:/rh"
[compute]
es = "0.611 * exp(5423 * (1/273 - 1/t2))"
e = "es * rh / 100"
td = "1 / (1/273 - 0.0001844 * log(e / 0.611))"
"""

CASES = {
    "dew point": (None, DEW_POINT + '[outputs]\ntd = "out.h5:/td"\n'),
    "dew point, deflate": ("gzip", DEW_POINT + '[outputs]\ntd = { to = "out.h5:/td", compression = "deflate", level = 1 }\n'),
    "reduction": (None, DEW_POINT + 'm = "mean(td, axis=0)"\n[outputs]\nm = "out.h5:/m"\n'),
    # Two readers that do not line up with the chunks of an expensive array: it stays in shared memory.
    "resident chunks": (None, DEW_POINT + 'd = "td[1:] - td[:-1]"\n[outputs]\nd = "out.h5:/d"\n'),
}


class MemoryBench(Memory):
    def write_dew_point_input(self, rows, compression):
        random = np.random.default_rng(5)
        with h5py.File(self.work / "in.h5", "w") as file:
            for name, low, high in (("t2", 230, 310), ("rh", 5, 100)):
                dataset = file.create_dataset(name, (rows, 256, 256), "f4", chunks=(min(64, rows), 256, 256),
                                              compression=compression, compression_opts=1 if compression else None)
                for row in range(0, rows, 64):
                    block = random.uniform(low, high, size=(min(64, rows - row), 256, 256))
                    dataset[row:row + 64] = np.round(block, 1)

    def rows_of(self, name):
        minimum = self.brim_json("plan", "job.toml", "--json")["minimum_budget"]
        for factor in FACTORS:
            budget = int(minimum * factor)
            highest, history = self.run(budget)
            tasks = [line for line in history if line["event"] == "task"]
            ops = [{"op": op["name"], "projected_mem": op["projected_mem"],
                    "measured_over_projected": max((task["measured_mem"] / task["projected_mem"]
                                                    for task in tasks if task["op"] == op["name"]), default=0)}
                   for op in history[0]["ops"]]
            yield {"name": f"{name}, {factor:g} x minimum", "contender": "brim", "seconds": history[-1]["wall_seconds"],
                   "ratio": 1.0, "budget": budget, "highest_sample": highest, "ledger_peak": history[-1]["peak_held"],
                   "sample_over_budget": highest / budget, "ops": ops}


def print_row(row):
    print(f"{row['name']:<34} budget {row['budget'] / MIB:7.1f} MiB   highest sample {row['highest_sample'] / MIB:7.1f} MiB "
          f"({row['sample_over_budget']:.2f})   ledger {row['ledger_peak'] / MIB:7.1f} MiB")
    for op in row["ops"]:
        print(f"    {op['op']:<30} projected {op['projected_mem'] / MIB:7.2f} MiB   "
              f"measured / projected {op['measured_over_projected']:.3f}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("bin_dir", type=lambda text: Path(text).resolve())
    options.add_argument("--rows", type=int, default=512, help="rows of 256 KiB in each of the two inputs")
    options.add_argument("--folder", default=".", help="where the files go meanwhile")
    options.add_argument("--json", help="write the figures to this file too")
    options = options.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="brim-memory-", dir=options.folder) as folder:
        for name, (compression, workload) in CASES.items():
            bench = MemoryBench(options.bin_dir, Path(folder).resolve() / "run")
            bench.write_dew_point_input(options.rows, compression)
            bench.write_workload(workload)
            for row in bench.rows_of(name):
                print_row(row)
                rows.append(row)
    if options.json:
        Path(options.json).write_text(json.dumps({"benchmark": "memory", "rows": rows}, indent=2) + "\n")
    over = [row["name"] for row in rows if row["highest_sample"] > row["budget"]]
    over += [f"{row['name']}: {op['op']}" for row in rows for op in row["ops"] if op["measured_over_projected"] > 1]
    if over:
        sys.exit("over the budget or the projection: " + "; ".join(over))


if __name__ == "__main__":
    main()
