#!/usr/bin/python3
"""`brim simulate` as a user calls it. Says nothing about real time. Usage: simulate_test.py BIN_DIR SOURCE_DIR WORK_DIR"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

WORKLOAD = """[compute]
a = "synthetic(tasks=6, memory='4MiB', cpu='1ms', wait='1ms')"
b = "synthetic(tasks=3, memory='8MiB', cpu='1ms', wait='0s', after=a)"
"""


class Tool:
    def __init__(self, bin_dir, work):
        self.brim = Path(bin_dir) / "brim"
        self.work = work

    def run(self, *words, status=0):
        result = subprocess.run([str(self.brim), *map(str, words)], cwd=self.work, text=True, capture_output=True,
                                stdin=subprocess.DEVNULL)
        print("$ brim", *words, result.stdout, result.stderr, sep="\n")
        assert result.returncode == status, f"status {result.returncode}, not {status}"
        return result.stdout if status == 0 else result.stderr

    def simulate(self, *words):
        return json.loads(self.run("simulate", *words, "--json"))


def check_founding_case(tool, example):
    """The widths of the picture in the README, and the ratio of its two pools."""
    (machine,) = tool.simulate(example, "--cores", 32)["machines"]
    adaptive, hungriest, cores = machine["pools"]
    assert [op["width"] for op in adaptive["ops"]] == [32, 8], adaptive
    assert [op["tasks"] for op in adaptive["ops"]] == [64, 16], adaptive
    assert adaptive["peak_held"] <= machine["budget"]
    assert hungriest["makespan_seconds"] > 3 * adaptive["makespan_seconds"], hungriest
    assert cores["refused"] and "60.3 GiB" in cores["reason"], cores
    bound = machine["lower_bound"]
    # 80 tasks of 100 ms on 32 cores.
    assert bound["binding"] == "CPU time" and abs(bound["seconds"] - 0.25) < 1e-9, bound
    assert adaptive["ratio_to_bound"] == adaptive["makespan_seconds"] / bound["seconds"]
    text = tool.run("simulate", example, "--cores", 32)
    for word in ("CPU time", "adaptive", "fixed, hungriest op (8 workers)", "refused", "estimated"):
        assert word in text, word


def check_sweep(tool):
    machines = tool.simulate("small.toml", "--cores", "1,2,64", "--memory", "64MiB,1GiB,1TiB")["machines"]
    assert [(m["cores"], m["budget"]) for m in machines] == [
        (cores, memory) for cores in (1, 2, 64) for memory in (64 << 20, 1 << 30, 1 << 40)]
    for machine in machines:
        if machine["budget"] > 64 << 20:
            assert machine["pools"][0]["ratio_to_bound"] >= 1, machine
    text = tool.run("simulate", "small.toml", "--cores", "1,2,64", "--memory", "1MiB,1GiB")
    assert len(text.splitlines()) == 7 and text.count("refused: ") == 3, text


def check_history(tool):
    tool.run("run", "small.toml", "--memory", "512MiB", "--quiet", "--history", "h.jsonl")
    (machine,) = tool.simulate("small.toml", "--cores", 2, "--memory", "512MiB", "--history", "h.jsonl")["machines"]
    assert [(time["op"], time["samples"]) for time in machine["times"]] == [("a", 6), ("b", 3)]
    tasks = [json.loads(line) for line in (tool.work / "h.jsonl").read_text().splitlines()]
    tasks = [line for line in tasks if line["event"] == "task" and line["op"] == "a"]
    mean = sum(task["blocked"] for task in tasks) / len(tasks)
    assert abs(machine["times"][0]["wait_seconds"] - mean) < 1e-9, (mean, machine["times"])
    assert "measured, h.jsonl" in tool.run("simulate", "small.toml", "--memory", "512MiB", "--history", "h.jsonl")


def check_errors(tool):
    lines = (tool.work / "h.jsonl").read_text().splitlines()
    (tool.work / "damaged.jsonl").write_text("\n".join([lines[0], '{"event":"task"', *lines[1:]]) + "\n")
    error = tool.run("simulate", "small.toml", "--memory", "512MiB", "--history", "damaged.jsonl", status=3)
    assert "damaged.jsonl:2: " in error, error
    (tool.work / "other.toml").write_text(WORKLOAD.replace("b = ", "c = "))
    error = tool.run("simulate", "other.toml", "--memory", "512MiB", "--history", "h.jsonl", status=2)
    assert "another workload" in error and "no op c" in error, error
    assert "missing.jsonl" in tool.run("simulate", "small.toml", "--history", "missing.jsonl", status=3)
    for words in (("--cores", "0"), ("--cores", "two"), ("--memory", "much"), ("--throughput", "0")):
        tool.run("simulate", "small.toml", *words, status=2)
    assert "needs" in tool.run("simulate", "small.toml", "--memory", "1MiB", status=4)


def main(bin_dir, source_dir, work_dir):
    work = Path(work_dir)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "small.toml").write_text(WORKLOAD)
    tool = Tool(bin_dir, work)
    check_founding_case(tool, Path(source_dir) / "examples" / "two_ops.toml")
    check_sweep(tool)
    check_history(tool)
    check_errors(tool)
    shutil.rmtree(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
