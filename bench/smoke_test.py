#!/usr/bin/python3
"""Every benchmark runs at a tiny size and writes the JSON that all share. Says nothing about time.

Usage: smoke_test.py BIN_DIR KERNELS_PROGRAM
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SHARED = {"name", "contender", "seconds", "ratio"}
MEMORY = SHARED | {"budget", "highest_sample", "ledger_peak", "ops"}


def rows_of(benchmark, command, fields):
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        run = subprocess.run([*command, "--json", figures], cwd=folder, capture_output=True, text=True)
        assert run.returncode == 0, (benchmark, run.returncode, run.stdout, run.stderr)
        assert run.stdout, f"{benchmark} printed no table"
        figures = json.loads(figures.read_text())
    assert figures["benchmark"] == benchmark, figures["benchmark"]
    for row in figures["rows"]:
        assert fields <= row.keys(), (benchmark, fields - row.keys())
        assert row["seconds"] > 0 and row["ratio"] > 0, row
    return {(row["name"], row["contender"]) for row in figures["rows"]}


def main(bin_dir, kernels):
    bin_dir = Path(bin_dir)
    rows = rows_of("kernels", [kernels, "copies"], SHARED | {"elements"})
    assert rows
    rows = rows_of("whole_run", [bin_dir / "brim_whole_run_bench", "--size", "8MiB", "--rounds", "2"],
                   SHARED | {"cpu_seconds", "cpu_ratio", "round_seconds"})
    assert rows == {(layout, contender) for layout in ("contiguous", "chunked")
                    for contender in ("brim", "single-purpose program")}, rows
    rows = rows_of("pool", [bin_dir / "brim_pool_bench", "--tasks", "1000", "--rounds", "1"], SHARED | {"round_seconds"})
    assert len(rows) == 7, rows
    script = Path(__file__).resolve().parent / "memory" / "memory_bench.py"
    rows = rows_of("memory", ["/usr/bin/python3", "-B", script, bin_dir, "--rows", "16"], MEMORY)
    assert len(rows) == 16, rows
    script = script.parents[1] / "simulate" / "simulate_bench.py"
    rows = rows_of("simulate", ["/usr/bin/python3", "-B", script, bin_dir, "--rounds", "1"],
                   SHARED | {"measured_seconds", "others_cores"})
    assert len(rows) == 6, rows


if __name__ == "__main__":
    main(*sys.argv[1:])
