#!/usr/bin/python3
"""Runs of this machine against what `brim simulate` makes of them, given the task times of the same run.

Both times go from the start of the run to the end of its last task. The machine should be idle: a run that shares its
cores with other programs is slower than its own task times say. "Others" is how many cores other programs kept busy.

Usage: simulate_bench.py BIN_DIR [--rounds N] [--json FILE]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEADER = '[run]\ntask_memory = "256MiB"\n'

CASES = {
    "waiting": HEADER + 'workers = 8\n[compute]\na = "synthetic(tasks=120, memory=\'16MiB\', cpu=\'1ms\', wait=\'100ms\')"\n',
    "computing": HEADER + '[compute]\na = "synthetic(tasks=60, memory=\'16MiB\', cpu=\'60ms\', wait=\'0s\')"\n',
    "both": HEADER + 'workers = 6\n[compute]\na = "synthetic(tasks=60, memory=\'16MiB\', cpu=\'30ms\', wait=\'60ms\')"\n',
    "lean, then hungry": HEADER + 'workers = "unlimited"\n[compute]\n'
    'a = "synthetic(tasks=96, memory=\'32MiB\', cpu=\'1ms\', wait=\'150ms\')"\n'
    'b = "synthetic(tasks=24, memory=\'128MiB\', cpu=\'1ms\', wait=\'150ms\', after=a)"\n',
    "two branches": HEADER + 'workers = 8\n[compute]\n'
    'hungry = "synthetic(tasks=12, memory=\'192MiB\', cpu=\'5ms\', wait=\'150ms\')"\n'
    'lean = "synthetic(tasks=80, memory=\'8MiB\', cpu=\'5ms\', wait=\'100ms\')"\n',
    # Real arrays: each task makes, adds up and writes a chunk.
    "arrays": '[run]\nmemory = "512MiB"\n[compute]\nx = "sqrt(arange(48000000, chunks=1000000))"\n'
    's = "sum(x)"\n[outputs]\nx = "x.h5:/x"\ns = "s.h5:/s"\n',
}


def brim(bin_dir, folder, *words):
    run = subprocess.run([str(bin_dir / "brim"), *words], cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"brim {' '.join(words)}: {run.stderr}")
    return run.stdout


def busy_seconds():
    """CPU time of the whole machine, and of the programs started here."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    own = os.times()
    return ((user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK"),
            own.user + own.system + own.children_user + own.children_system)


def measured_and_simulated(bin_dir, folder):
    """Seconds of one run and of its simulation, and the cores that others used meanwhile."""
    before, start = busy_seconds(), time.monotonic()
    brim(bin_dir, folder, "run", "job.toml", "--quiet", "--history", "history.jsonl")
    wall, after = time.monotonic() - start, busy_seconds()
    others = max(0.0, (after[0] - before[0]) - (after[1] - before[1])) / wall
    lines = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
    measured = max(line["end"] for line in lines if line["event"] == "task")
    simulated = json.loads(brim(bin_dir, folder, "simulate", "job.toml", "--history", "history.jsonl", "--json"))
    return measured, simulated["machines"][0]["pools"][0]["makespan_seconds"], others


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"{'workload':<20} {'measured':>10} {'simulated':>10} {'simulated / measured':>22} {'lowest - highest':>18} {'others':>8}")
    for name, workload in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "job.toml").write_text(workload)
            runs = [measured_and_simulated(options.bin_dir.resolve(), folder) for _ in range(options.rounds)]
        ratios = [simulated / measured for measured, simulated, _ in runs]
        measured, simulated, others = (statistics.median(times) for times in zip(*runs))
        ratio = statistics.median(ratios)
        print(f"{name:<20} {measured:>8.3f} s {simulated:>8.3f} s {ratio:>22.3f} "
              f"{min(ratios):>10.3f} - {max(ratios):.3f} {others:>8.2f}")
        rows.append({"name": name, "contender": "simulated", "seconds": simulated, "ratio": ratio,
                     "measured_seconds": measured, "round_ratios": ratios, "others_cores": others})
    if options.json:
        options.json.write_text(json.dumps({"benchmark": "simulate", "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
