#!/usr/bin/python3
"""Kills, interrupts and starves runs of brim: the result is right or the error is clear, and nothing is left behind.

Usage: faults_test.py CASE BIN_DIR WORK_DIR
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np

SEED = 1234
# Nothing here waits this long unless something is broken.
DEADLINE_SECONDS = 60


def workers_of(pid):
    """The worker processes that a run has now."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [int(child) for child in children]


def is_alive(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < end, f"waited {DEADLINE_SECONDS} s in vain: {what}"
        time.sleep(0.002)


class Faults:
    """One case in a folder of its own, which is removed when it passes."""

    def __init__(self, bin_dir, work_dir):
        self.brim = Path(bin_dir) / "brim"
        self.work = Path(work_dir)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.shared_before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()

    def write_input(self, rows=400):
        values = np.random.default_rng(SEED).normal(size=(rows, 50, 50)).astype(np.float32)
        with h5py.File(self.work / "in.h5", "w") as file:
            file.create_dataset("x", data=values, chunks=(4, 50, 50))
        return values

    def write_workload(self, wait="5ms", tail=""):
        """Real data in many small tasks, beside tasks that only take time, so that there is a run to disturb."""
        (self.work / "job.toml").write_text(f"""
[inputs]
x = {{ source = "in.h5:/x", chunks = [4, 50, 50] }}
[compute]
y = "exp(x) * 2 + 1"
m = "mean(y, axis=0)"
delay = "synthetic(tasks=100, memory='2MB', cpu='0s', wait='{wait}')"
[outputs]
y = "out.h5:/y"
m = "out.h5:/m"
{tail}
""")

    def start(self, *extra, **options):
        return subprocess.Popen([self.brim, "run", "job.toml", "--workers", "4", *extra], cwd=self.work, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def finish(self, run):
        output, _ = run.communicate(timeout=DEADLINE_SECONDS)
        print(output)
        return output

    def check_result(self, values):
        with h5py.File(self.work / "out.h5") as file:
            expected = np.exp(values) * np.float32(2) + np.float32(1)
            np.testing.assert_allclose(file["y"][...], expected, rtol=1e-6)
            np.testing.assert_allclose(file["m"][...], expected.astype(np.float64).mean(axis=0), rtol=1e-6)

    def check_nothing_left(self, *allowed):
        left = {path.name for path in self.work.iterdir()} - {"in.h5", "job.toml", *allowed}
        assert not left, f"left behind: {left}"
        if os.path.isdir("/dev/shm"):
            new = set(os.listdir("/dev/shm")) - self.shared_before
            assert not {name for name in new if "brim" in name}, new

    # The cases.

    def worker_killed(self):
        values = self.write_input()
        self.write_workload(wait="20ms")
        choose = random.Random(SEED)
        run = self.start()
        kills = 0
        killed = set()
        while run.poll() is None:
            workers = [pid for pid in workers_of(run.pid) if pid not in killed]
            if workers and kills < 4:
                victim = choose.choice(workers)
                try:
                    os.kill(victim, signal.SIGKILL)
                    killed.add(victim)
                    kills += 1
                except ProcessLookupError:
                    pass
            # Far enough apart that no task dies three times, which would rightly fail the run.
            time.sleep(choose.uniform(0.05, 0.09))
        self.finish(run)
        assert kills >= 2, f"only {kills} workers could be killed"
        assert run.returncode == 0, run.returncode
        self.check_result(values)
        self.check_nothing_left("out.h5")

    def worker_stopped(self):
        """A worker is stopped in the middle of a task and never goes on: its task is done elsewhere, and the run ends."""
        values = self.write_input()
        self.write_workload(wait="30ms")
        run = self.start("--history", "history.jsonl")
        history = self.work / "history.jsonl"
        wait_until(lambda: history.exists() and history.read_text().count('"op":"delay"') > 20, "tasks that end")
        victim = workers_of(run.pid)[0]
        os.kill(victim, signal.SIGSTOP)
        self.finish(run)
        assert run.returncode == 0, run.returncode
        assert not is_alive(victim), "the stopped worker was left behind"
        tasks = [json.loads(line) for line in history.read_text().splitlines()]
        tasks = [(task["op"], task["task"]) for task in tasks if task["event"] == "task"]
        assert len(tasks) == len(set(tasks)), "a task counts twice"
        history.unlink()
        self.check_result(values)
        self.check_nothing_left("out.h5")

    def idle_worker_stopped(self):
        """Workers that are stopped while they have nothing to do keep no run from its end."""
        self.write_input()
        (self.work / "job.toml").write_text("""
[compute]
wide = "synthetic(tasks=4, memory='1MB', cpu='0s', wait='200ms')"
long = "synthetic(tasks=1, memory='1MB', cpu='0s', wait='3s', after=wide)"
""")
        run = self.start()
        wait_until(lambda: len(workers_of(run.pid)) == 4, "four workers")
        time.sleep(1)
        stopped = 0
        for pid in workers_of(run.pid):
            if Path(f"/proc/{pid}/wchan").read_text().startswith(("hrtimer_nanosleep", "do_nanosleep")):
                continue
            os.kill(pid, signal.SIGSTOP)
            stopped += 1
        self.finish(run)
        assert stopped > 0
        assert run.returncode == 0, run.returncode
        self.check_nothing_left()

    def task_dies_every_time(self):
        """Every worker is killed as soon as it works: a clear error in the end, not an endless run."""
        self.write_input()
        self.write_workload(wait="10s")
        run = self.start()
        while run.poll() is None:
            for pid in workers_of(run.pid):
                try:
                    # Only once it runs a task: it sleeps in nanosleep there, in recv when idle.
                    if Path(f"/proc/{pid}/wchan").read_text().startswith(("hrtimer_nanosleep", "do_nanosleep")):
                        os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, FileNotFoundError):
                    pass
            time.sleep(0.002)
        output = self.finish(run)
        assert run.returncode == 5, run.returncode
        assert "delay" in output and "task" in output and "signal 9" in output, output
        self.check_nothing_left()

    def interrupted(self):
        self.write_input()
        self.write_workload(wait="2s")
        # A session of its own with this as the foreground group: the signal goes to all of it, as from a keyboard.
        run = self.start(start_new_session=True)
        wait_until(lambda: len(workers_of(run.pid)) >= 2 or run.poll() is not None, "workers to start")
        workers = workers_of(run.pid)
        os.killpg(run.pid, signal.SIGINT)
        self.finish(run)
        assert run.returncode == 130, run.returncode
        assert not any(is_alive(pid) for pid in workers), "workers live on"
        self.check_nothing_left()

    def terminal_closed(self):
        self.stopped_by(signal.SIGHUP)

    def terminated(self):
        self.stopped_by(signal.SIGTERM)

    def stopped_by(self, number):
        self.write_input()
        self.write_workload(wait="2s")
        run = self.start()
        wait_until(lambda: len(workers_of(run.pid)) >= 2 or run.poll() is not None, "workers to start")
        run.send_signal(number)
        self.finish(run)
        assert run.returncode == 130, run.returncode
        self.check_nothing_left()

    def coordinator_killed(self):
        self.write_input()
        self.write_workload(wait="2s")
        run = self.start()
        wait_until(lambda: len(workers_of(run.pid)) >= 2 or run.poll() is not None, "workers to start")
        workers = workers_of(run.pid)
        run.kill()
        run.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in workers), "workers to die with their coordinator")
        # The unfinished file is what a killed run may leave; the next run takes it over.
        assert not (self.work / "out.h5").exists()
        self.check_nothing_left(".out.h5.brim-partial")
        self.write_workload(wait="0s")
        run = self.start()
        self.finish(run)
        assert run.returncode == 0
        self.check_nothing_left("out.h5")

    def existing_file_survives_a_failed_run(self):
        self.write_input()
        with h5py.File(self.work / "out.h5", "w") as file:
            file["other"] = np.arange(7)
        before = (self.work / "out.h5").read_bytes()
        self.write_workload(wait="2s")
        run = self.start()
        wait_until(lambda: len(workers_of(run.pid)) >= 2 or run.poll() is not None, "workers to start")
        run.send_signal(signal.SIGINT)
        self.finish(run)
        assert run.returncode == 130
        assert (self.work / "out.h5").read_bytes() == before
        self.check_nothing_left("out.h5")

    def output_too_large(self):
        """A file size limit stands in for a full disk: the same error path, on every machine."""
        self.write_input()
        self.write_workload(wait="0s")
        run = self.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        output = self.finish(run)
        assert run.returncode == 3, (run.returncode, output)
        assert "out.h5" in output, output
        self.check_nothing_left()

    def input_truncated(self):
        self.write_input()
        self.write_workload(wait="0s")
        with open(self.work / "in.h5", "r+b") as file:
            file.truncate(os.path.getsize(self.work / "in.h5") // 2)
        run = self.start()
        output = self.finish(run)
        assert run.returncode == 3, (run.returncode, output)
        assert "in.h5" in output and "truncated" in output, output
        self.check_nothing_left()

    def two_runs_of_one_output(self):
        self.write_input()
        self.write_workload(wait="100ms")
        first = self.start()
        wait_until(lambda: (self.work / ".out.h5.brim-partial").exists() or first.poll() is not None, "the first run")
        second = self.start()
        output = self.finish(second)
        assert second.returncode == 3, (second.returncode, output)
        assert "out.h5" in output, output
        self.finish(first)
        assert first.returncode == 0
        self.check_nothing_left("out.h5")


def main(case, bin_dir, work_dir):
    faults = Faults(bin_dir, work_dir)
    getattr(faults, case)()
    shutil.rmtree(faults.work)


if __name__ == "__main__":
    main(*sys.argv[1:])
