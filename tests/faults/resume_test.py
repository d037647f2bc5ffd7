#!/usr/bin/python3
"""`brim run --resume` after kills: only what is missing is computed, and another workload or input is refused.

Usage: resume_test.py CASE BIN_DIR WORK_DIR
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np

SEED = 99
DEADLINE_SECONDS = 60
TASKS = 60
RECORD_BYTES = 28
HEADER_BYTES = 28


class Resume:
    def __init__(self, bin_dir, work_dir):
        self.brim = Path(bin_dir).resolve() / "brim"
        self.work = Path(work_dir).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.values = np.random.default_rng(SEED).normal(size=(TASKS * 2, 30, 30)).astype(np.float32)
        with h5py.File(self.work / "in.h5", "w") as file:
            file.create_dataset("x", data=self.values, chunks=(2, 30, 30))
        self.write_workload()

    def write_workload(self, factor="2", mean=False, wait="4ms"):
        mean_line, mean_output = ('m = "mean(y, axis=0)"', 'm = "out.h5:/m"') if mean else ("", "")
        (self.work / "job.toml").write_text(f"""
[inputs]
x = {{ source = "in.h5:/x", chunks = [2, 30, 30] }}
[compute]
y = "exp(x) * {factor} + 1"
delay = "synthetic(tasks={TASKS}, memory='1MB', cpu='1ms', wait='{wait}')"
{mean_line}
[outputs]
y = "out.h5:/y"
{mean_output}
""")

    def start(self, *extra):
        return subprocess.Popen([self.brim, "run", "job.toml", "--workers", "3", "-q", "--memory", "400MB", "--history",
                                 "history.jsonl", *extra], cwd=self.work, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, run, status=0):
        output, _ = run.communicate(timeout=DEADLINE_SECONDS)
        assert run.returncode == status, (run.returncode, output)
        return output

    def journal(self):
        return self.work / ".out.h5.brim-journal"

    def records(self):
        size = os.path.getsize(self.journal()) if self.journal().exists() else HEADER_BYTES
        return (size - HEADER_BYTES) // RECORD_BYTES

    def stop_midway(self, number=signal.SIGKILL, least=10):
        """Stops a run with --resume when at least so many tasks are noted. Returns how many are."""
        run = self.start("--resume")
        end = time.monotonic() + DEADLINE_SECONDS
        while self.records() < least and run.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.001)
        assert run.poll() is None, "the run was over too soon"
        run.send_signal(number)
        run.communicate(timeout=DEADLINE_SECONDS)
        assert run.returncode in (-number, 130), run.returncode
        return self.records()

    def tasks_run(self):
        lines = (self.work / "history.jsonl").read_text().splitlines()
        return sum(json.loads(line)["event"] == "task" for line in lines)

    def check_result(self, factor=2, mean=False):
        with h5py.File(self.work / "out.h5") as file:
            expected = np.exp(self.values) * np.float32(factor) + np.float32(1)
            np.testing.assert_allclose(file["y"][...], expected, rtol=1e-6)
            if mean:
                np.testing.assert_allclose(file["m"][...], expected.astype(np.float64).mean(axis=0), rtol=1e-6)
        left = {path.name for path in self.work.iterdir()} - {"in.h5", "out.h5", "job.toml", "history.jsonl"}
        assert not left, f"left behind: {left}"

    # The cases.

    def only_what_is_missing(self):
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            done = self.stop_midway(number, least=30)
            assert not (self.work / "out.h5").exists()
            self.finish(self.start("--resume"))
            assert self.tasks_run() == 2 * TASKS - done, (self.tasks_run(), done)
            self.check_result()
            (self.work / "out.h5").unlink()

    def killed_again_and_again(self):
        choose = random.Random(SEED)
        done = 0
        for _ in range(4):
            done = self.stop_midway(least=done + choose.randint(1, 20))
        self.finish(self.start("--resume"))
        assert self.tasks_run() == 2 * TASKS - done, (self.tasks_run(), done)
        self.check_result()

    def reduction(self):
        """What a mean is made of lives in memory: those tasks are done again, and the result is the same."""
        self.write_workload(mean=True)
        self.stop_midway(least=30)
        self.finish(self.start("--resume"))
        self.check_result(mean=True)

    def changed_input(self):
        self.stop_midway()
        with h5py.File(self.work / "in.h5", "r+") as file:
            file["x"][0] = 0
        output = self.finish(self.start("--resume"), status=3)
        assert "input" in output and "--resume" in output, output
        self.values[0] = 0
        self.finish(self.start())
        self.check_result()

    def changed_workload(self):
        self.stop_midway()
        self.write_workload(factor="3")
        output = self.finish(self.start("--resume"), status=3)
        assert "workload" in output and "--resume" in output, output
        # The refusal has touched nothing: the workload of before goes on.
        done = self.records()
        self.write_workload()
        self.finish(self.start("--resume"))
        assert self.tasks_run() == 2 * TASKS - done
        self.check_result()

    def changed_output(self):
        with h5py.File(self.work / "out.h5", "w") as file:
            file["other"] = np.arange(7)
        self.stop_midway()
        with h5py.File(self.work / "out.h5", "r+") as file:
            file["more"] = np.arange(9)
        output = self.finish(self.start("--resume"), status=3)
        assert "out.h5" in output and "changed" in output, output
        self.finish(self.start())
        self.check_result()
        with h5py.File(self.work / "out.h5") as file:
            assert "other" in file and "more" in file

    def cut_journal(self):
        done = self.stop_midway()
        with open(self.journal(), "r+b") as file:
            file.truncate(HEADER_BYTES + (done - 1) * RECORD_BYTES + RECORD_BYTES // 2)
        self.finish(self.start("--resume"))
        assert self.tasks_run() == 2 * TASKS - (done - 1)
        self.check_result()

    def journal_of_another_file(self):
        self.stop_midway()
        partial = self.work / ".out.h5.brim-partial"
        shutil.copy(partial, self.work / "copy")
        partial.unlink()
        (self.work / "copy").rename(partial)
        output = self.finish(self.start("--resume"), status=3)
        assert "unfinished file" in output, output
        self.finish(self.start())
        self.check_result()

    def without_the_option(self):
        """Begins anew, and leaves nothing for --resume to mistake for its own."""
        self.stop_midway()
        run = self.start()
        end = time.monotonic() + DEADLINE_SECONDS
        while self.journal().exists():
            assert time.monotonic() < end
            time.sleep(0.001)
        run.kill()
        run.communicate()
        self.finish(self.start("--resume"))
        assert self.tasks_run() == 2 * TASKS
        self.check_result()

    def refused_outputs(self):
        text = (self.work / "job.toml").read_text()
        (self.work / "job.toml").write_text(text + 'x = "other.h5:/x"\n')
        output = self.finish(self.start("--resume"), status=2)
        assert "one file" in output, output
        text = text.replace('y = "out.h5:/y"', "y = { to = 'out.h5:/y', compression = 'deflate' }")
        (self.work / "job.toml").write_text(text)
        output = self.finish(self.start("--resume"), status=2)
        assert "compress" in output, output
        left = {path.name for path in self.work.iterdir()} - {"in.h5", "job.toml", "history.jsonl"}
        assert not left, left


def main(case, bin_dir, work_dir):
    resume = Resume(bin_dir, work_dir)
    getattr(resume, case)()
    shutil.rmtree(resume.work)


if __name__ == "__main__":
    main(*sys.argv[1:])
