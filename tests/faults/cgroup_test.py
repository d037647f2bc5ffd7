#!/usr/bin/python3
"""Runs of brim in a real memory cgroup, where this machine lets one be made; else exit status 77 (skipped).

Usage: cgroup_test.py CASE BIN_DIR WORK_DIR
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

MIB = 1 << 20
SKIPPED = 77
DEADLINE_SECONDS = 90

# Takes memory and keeps it until its input ends.
HOG = "import sys; kept = bytearray(int(sys.argv[1])); kept[::4096] = b'x' * len(kept[::4096]); print('holds', flush=True); sys.stdin.read()"


class Cgroup:
    """A memory cgroup below that of this process, v1 or v2, removed at the end."""

    def __init__(self, limit):
        name = f"brim-test-{os.getpid()}"
        v1 = Path("/sys/fs/cgroup/memory")
        self.v1 = v1.is_dir() and (v1 / "memory.limit_in_bytes").exists()
        self.path = (v1 if self.v1 else Path("/sys/fs/cgroup")) / name
        try:
            self.path.mkdir()
            limit_file = "memory.limit_in_bytes" if self.v1 else "memory.max"
            (self.path / limit_file).write_text(str(limit))
        except OSError as error:
            if self.path.is_dir():
                self.path.rmdir()
            print(f"skipped: no memory cgroup can be made here ({error})")
            sys.exit(SKIPPED)

    def start(self, command, **options):
        return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT,
                                preexec_fn=lambda: (self.path / "cgroup.procs").write_text(str(os.getpid())), **options)

    def kills(self):
        counts = (self.path / ("memory.oom_control" if self.v1 else "memory.events")).read_text().split()
        return int(counts[counts.index("oom_kill") + 1])

    def remove(self):
        for pid in (self.path / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        end = time.monotonic() + DEADLINE_SECONDS
        while (self.path / "cgroup.procs").read_text().strip() and time.monotonic() < end:
            time.sleep(0.01)
        self.path.rmdir()


class Cases:
    def __init__(self, bin_dir, work_dir):
        self.brim = str(Path(bin_dir).resolve() / "brim")
        self.work = Path(work_dir)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def write_workload(self, tasks, memory, wait):
        (self.work / "job.toml").write_text(f"""
[compute]
work = "synthetic(tasks={tasks}, memory='{memory}', cpu='0s', wait='{wait}')"
[run]
workers = "unlimited"
""")

    def start(self, group, *arguments):
        return group.start([self.brim, "run", "job.toml", "--quiet", "--history", "history.jsonl", *arguments],
                           cwd=self.work)

    def history(self):
        path = self.work / "history.jsonl"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def notices(self):
        return [line["text"] for line in self.history() if line["event"] == "notice"]

    def wait_for(self, condition, what, run):
        end = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            assert run.poll() is None, f"the run ended before: {what}\n{run.stdout.read()}"
            assert time.monotonic() < end, f"waited in vain: {what}\n{self.notices()}"
            time.sleep(0.02)

    def finish(self, run):
        output, _ = run.communicate(timeout=DEADLINE_SECONDS)
        print(output)
        return output

    def budget(self, group):
        """The budget that is taken inside a container is what the container leaves."""
        info = group.start([self.brim, "info"], cwd=self.work)
        output = self.finish(info)
        assert info.returncode == 0
        binding = [line for line in output.splitlines() if line.endswith("<- binds")]
        assert len(binding) == 1 and f"/{group.path.name}/memory." in binding[0], output

    def pressure(self, group):
        """Another program takes memory: the pool narrows; it ends: the pool widens. Nobody is killed."""
        self.write_workload(tasks=400, memory="60MB", wait="250ms")
        run = self.start(group, "--memory", "700MB")
        self.wait_for(lambda: sum(line["event"] == "task" for line in self.history()) > 8, "tasks", run)
        assert self.notices() == [], self.notices()
        hog = group.start([sys.executable, "-c", HOG, str(350 * MIB)])
        self.wait_for(lambda: any(text.startswith("less memory") for text in self.notices()), "less memory", run)
        hog.communicate()
        self.wait_for(lambda: self.notices()[-1].startswith("more memory"), "more memory", run)
        self.finish(run)
        assert run.returncode == 0, run.returncode
        assert group.kills() == 0, f"{group.kills()} processes were killed"
        assert sum(line["event"] == "task" for line in self.history()) == 400

    def killed_for_memory(self, group):
        """The kernel kills workers because another program took their memory: their tasks run again."""
        # Tasks so long that the pool cannot give back in time what the other program wants.
        self.write_workload(tasks=40, memory="60MB", wait="1500ms")
        run = self.start(group, "--memory", "700MB")
        self.wait_for(lambda: sum(line["event"] == "task" for line in self.history()) > 5, "tasks", run)
        hog = group.start([sys.executable, "-c", "open('/proc/self/oom_score_adj', 'w').write('-999');" + HOG,
                           str(500 * MIB)])
        self.wait_for(lambda: group.kills() > 0, "a kill", run)
        hog.communicate()
        output = self.finish(run)
        assert any("out-of-memory killer" in text for text in self.notices()), (output, self.notices())
        tasks = [line["task"] for line in self.history() if line["event"] == "task"]
        assert len(tasks) == len(set(tasks)), "a task counts twice"
        # Where the same task was hit three times the run rightly ends with an error that says why.
        assert (run.returncode == 0 and len(tasks) == 40) or "--memory" in output, (run.returncode, output)

    def two_runs(self, group):
        """Two runs that together ask for more than there is both end."""
        self.write_workload(tasks=60, memory="60MB", wait="100ms")
        first = self.start(group, "--memory", "600MB")
        self.wait_for(lambda: sum(line["event"] == "task" for line in self.history()) > 4, "tasks", first)
        second = group.start([self.brim, "run", "job.toml", "--quiet", "--memory", "280MB"], cwd=self.work)
        self.finish(first)
        self.finish(second)
        assert first.returncode == 0, first.returncode
        assert second.returncode in (0, 4), second.returncode  # 4: refused at the start, with figures
        assert group.kills() == 0, f"{group.kills()} processes were killed"


def main(case, bin_dir, work_dir):
    cases = Cases(bin_dir, work_dir)
    group = Cgroup(900 * MIB)
    try:
        getattr(cases, case)(group)
    finally:
        group.remove()
    shutil.rmtree(work_dir)


if __name__ == "__main__":
    main(*sys.argv[1:])
