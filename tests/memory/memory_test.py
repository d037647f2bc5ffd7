#!/usr/bin/python3
"""Holds the promise of bounded memory against the kernel's own figures.

Runs workloads under budgets from the minimum up and samples the whole process tree every 10 ms (private and file pages by
PSS, shared chunks by what their memory file has allocated): never above the budget. Every task's measured peak is at
most its projection, and at least 0.7 of it for ops whose tasks are over 16 MiB.

Usage: memory_test.py CASE BIN_DIR WORK_DIR
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np

MIB = 1 << 20
PERIOD_SECONDS = 0.010


def pss_without_shared_memory(pid):
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return sum(int(kib) << 10 for kib in re.findall(r"^Pss_(?:Anon|File):\s+(\d+) kB", text, re.MULTILINE))


def shared_chunks(pid):
    """What the memory files of the coordinator have allocated."""
    total = 0
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                if os.readlink(entry.path).startswith("/memfd:"):
                    total += os.stat(entry.path).st_blocks * 512
            except FileNotFoundError:
                pass
    except (FileNotFoundError, ProcessLookupError):
        pass
    return total


def tree_memory(pid):
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return shared_chunks(pid) + sum(pss_without_shared_memory(process) for process in [pid, *children])


class Memory:
    def __init__(self, bin_dir, work_dir):
        self.brim = Path(bin_dir) / "brim"
        self.work = Path(work_dir)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def write_input(self, shape, chunks, compression=None, names=("a", "b", "c")):
        random = np.random.default_rng(5)
        with h5py.File(self.work / "in.h5", "w") as file:
            for name in names:
                dataset = file.create_dataset(name, shape, "f4", chunks=chunks, compression=compression)
                for row in range(0, shape[0], 64):
                    block = random.normal(size=(min(64, shape[0] - row), *shape[1:])).astype("f4")
                    dataset[row:row + 64] = np.round(block, 1)

    def write_workload(self, text):
        (self.work / "job.toml").write_text(text)

    def brim_json(self, *arguments):
        return json.loads(subprocess.run([self.brim, *arguments], cwd=self.work, check=True, capture_output=True,
                                         text=True).stdout)

    def run(self, budget, *arguments):
        """Runs the job; returns the highest sample and the history."""
        history = self.work / "history.jsonl"
        run = subprocess.Popen([self.brim, "run", "job.toml", "--quiet", "--memory", str(budget), "--history", history,
                                *arguments], cwd=self.work, stdin=subprocess.DEVNULL)
        highest = 0
        while run.poll() is None:
            highest = max(highest, tree_memory(run.pid))
            time.sleep(PERIOD_SECONDS)
        assert run.returncode == 0, f"the run ended with status {run.returncode}"
        return highest, [json.loads(line) for line in history.read_text().splitlines()]

    def check(self, factors=(1, 1.5, 3)):
        plan = self.brim_json("plan", "job.toml", "--json")
        minimum = plan["minimum_budget"]
        refused = subprocess.run([self.brim, "run", "job.toml", "--memory", str(minimum - 1)], cwd=self.work,
                                 capture_output=True, text=True)
        assert refused.returncode == 4, (refused.returncode, refused.stderr)
        assert "raise --memory" in refused.stderr, refused.stderr
        largest = {op["name"]: 0 for op in plan["ops"]}
        for factor in factors:
            budget = int(minimum * factor)
            highest, history = self.run(budget)
            print(f"budget {budget / MIB:8.1f} MiB   highest sample {highest / MIB:8.1f} MiB   "
                  f"ledger {history[-1]['peak_held'] / MIB:8.1f} MiB")
            assert 0 < highest <= budget, f"{highest} bytes held under a budget of {budget}"
            for task in (line for line in history if line["event"] == "task"):
                assert task["measured_mem"] <= task["projected_mem"], task
                largest[task["op"]] = max(largest.get(task["op"], 0), task["measured_mem"] / task["projected_mem"])
            for op in history[0]["ops"]:
                print(f"  {op['name']:<24} projected {op['projected_mem'] / MIB:8.2f} MiB   "
                      f"measured / projected {largest[op['name']]:.3f}")
                if op["projected_mem"] > 16 * MIB:
                    assert largest[op["name"]] >= 0.7, f"{op['name']} uses {largest[op['name']]:.2f} of its projection"

    # The cases.

    def elementwise(self):
        self.write_input((512, 256, 256), (64, 256, 256))
        self.write_workload("""
[inputs]
a = "in.h5:/a"
b = "in.h5:/b"
c = "in.h5:/c"
[compute]
y = "exp(a) * b + sqrt(abs(c))"
[outputs]
y = "out.h5:/y"
""")
        self.check()

    def compressed(self):
        self.write_input((256, 256, 256), (64, 256, 256), "gzip", ("a",))
        self.write_workload("""
[inputs]
a = "in.h5:/a"
[compute]
y = "a * 2 + 1"
[outputs]
y = { to = "out.h5:/y", compression = "deflate", level = 1 }
""")
        self.check()

    def reduction(self):
        self.write_input((512, 256, 256), (64, 256, 256), None, ("a", "b"))
        self.write_workload("""
[inputs]
a = "in.h5:/a"
b = "in.h5:/b"
[compute]
y = "a * b"
m = "mean(y, axis=0)"
total = "sum(y)"
[outputs]
m = "out.h5:/m"
total = "out.h5:/total"
y = "out.h5:/y"
""")
        self.check()

    def resident_chunks(self):
        """An expensive array that two misaligned readers share stays in shared memory."""
        self.write_input((256, 256, 256), (32, 256, 256), None, ("a",))
        self.write_workload("""
[inputs]
a = "in.h5:/a"
[compute]
u = "exp(sin(a)) ** 1.5"
d = "u[1:] - u[:-1]"
[outputs]
d = "out.h5:/d"
""")
        self.check((1, 1.5, 4, 8))

    def spilled_chunks(self):
        """An expensive array that is needed twice passes through the scratch file where memory has no room for it."""
        self.write_input((256, 256, 256), (16, 256, 256), None, ("a",))
        self.write_workload("""
[inputs]
a = "in.h5:/a"
[compute]
u = "exp(sin(a)) ** 1.5"
d = "u - mean(u, axis=0)"
[outputs]
d = "out.h5:/d"
""")
        minimum = self.brim_json("plan", "job.toml", "--json")["minimum_budget"]
        tight = self.brim_json("plan", "job.toml", "--json", "--memory", str(int(minimum * 1.5)))
        assert tight["total_spilled"] > 64 * MIB, tight["total_spilled"]
        self.check((1, 1.5, 2, 4))

    def synthetic(self):
        self.write_workload("""
[compute]
lean = "synthetic(tasks=40, memory='20MB', cpu='5ms', wait='0s')"
hungry = "synthetic(tasks=10, memory='80MB', cpu='5ms', wait='0s', after=lean)"
[run]
workers = "unlimited"
""")
        self.check((1, 2, 4))


    def steady_state(self):
        """Equal tasks touch no fresh memory once they are under way: less than 1% of the pages they move."""
        self.write_input((1024, 256, 256), (32, 256, 256), None, ("a", "b"))
        self.write_workload("""
[inputs]
a = { source = "in.h5:/a", chunks = [32, 256, 256] }
b = { source = "in.h5:/b", chunks = [32, 256, 256] }
[compute]
y = "exp(a) * b + 1"
[outputs]
y = "out.h5:/y"
""")
        plan = self.brim_json("plan", "job.toml", "--json")
        _, history = self.run(3 * plan["minimum_budget"], "--workers", "2")
        seen = {}
        counted = 0
        for task in (line for line in history if line["event"] == "task"):
            seen[task["worker"]] = seen.get(task["worker"], 0) + 1
            if seen[task["worker"]] <= 2:
                continue
            pages = (task["bytes_read"] + task["bytes_written"]) / os.sysconf("SC_PAGE_SIZE")
            assert task["minor_faults"] < 0.01 * pages, task
            counted += 1
        print(f"{counted} tasks of {len(seen)} workers under way")
        assert counted >= 20, counted


def main(case, bin_dir, work_dir):
    memory = Memory(bin_dir, work_dir)
    getattr(memory, case)()
    shutil.rmtree(memory.work)


if __name__ == "__main__":
    main(*sys.argv[1:])
