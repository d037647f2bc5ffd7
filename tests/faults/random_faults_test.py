#!/usr/bin/python3
"""Many short runs of brim, each with a fault chosen by a fixed seed: the result is right or the error is clear, and
nothing is left behind.

Usage: random_faults_test.py BIN_DIR WORK_DIR [FIRST [COUNT]]
Runs number FIRST (0) to FIRST + COUNT; COUNT is 50, or what BRIM_FAULT_RUNS says. A failure names its number: give it as
FIRST, with a COUNT of 1, to see it again.
"""

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import h5py
import numpy as np

SEED = 20240
DEADLINE_SECONDS = 20
# What no user may ever see.
CRASHES = ("HDF5-DIAG", "unexpected error", "terminate called", "Traceback", "Segmentation", "internal error", "Assertion")
MIB = 1 << 20

# Places of a run where a process can be hurt: role, call, up to which number of that call.
WORKER_PLACES = [("start", 1), ("recv", 30), ("pread", 30), ("pwrite", 30), ("send", 30)]
COORDINATOR_PLACES = [("recv", 60), ("send", 60), ("pwrite", 8), ("ftruncate", 2), ("memfd_create", 1), ("rename", 2),
                      ("socketpair", 3), ("open", 12)]


class Case:
    """One run: what is computed, what goes wrong, and which exit statuses that may have."""

    def __init__(self, number, choose):
        self.number = number
        self.environment = {}
        self.limits = []
        self.tokens = 0
        self.after_start = None  # called with the run and its folder while it runs
        self.deed = ""
        self.hurt = {0}  # exit statuses when the deed was done; otherwise 0 alone
        self.deflate = choose.choice([0, 0, 3])
        self.rows = choose.choice([1, 3, 8])
        self.replaces = choose.random() < 0.3
        self.scratch = choose.random() < 0.5
        getattr(self, choose.choice(KINDS))(choose)

    def at_point(self, role, call, number, deed, when, tokens):
        self.environment["BRIM_FAULT"] = f"{role} {call} {number} {deed} {when}"
        self.tokens = tokens
        self.deed = f"{self.environment['BRIM_FAULT']}, {tokens} times"

    def worker_hurt(self, choose):
        call, most = choose.choice(WORKER_PLACES)
        deed = choose.choice(["kill", "kill", "kill", "stop", "slow"])
        # A task that loses three workers fails the run, and rightly.
        self.at_point("worker", call, choose.randint(1, most), deed, choose.choice(["before", "after"]),
                      choose.choice([1, 2]))

    def worker_killed_from_outside(self, choose):
        delay = choose.uniform(0.01, 0.15)
        number = choose.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP])
        self.deed = f"signal {int(number)} to a worker after {delay:.3f} s"
        pick = choose.random()

        def deed(run, _):
            time.sleep(delay)
            workers = children_of(run.pid)
            if workers:
                send(workers[int(pick * len(workers))], number)

        self.after_start = deed

    def coordinator_killed(self, choose):
        call, most = choose.choice(COORDINATOR_PLACES)
        self.at_point("coordinator", call, choose.randint(1, most), "kill", choose.choice(["before", "after"]), 1)
        self.hurt = {-signal.SIGKILL}

    def coordinator_signalled(self, choose):
        delay = choose.uniform(0.0, 0.2)
        number = choose.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP])
        self.deed = f"signal {int(number)} to the coordinator after {delay:.3f} s"

        def deed(run, _):
            time.sleep(delay)
            run.send_signal(number)
            if number == signal.SIGSTOP:
                time.sleep(0.05)
                run.send_signal(signal.SIGCONT)

        # Before it listens to signals, they end it.
        self.hurt = {0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP}
        self.after_start = deed

    def disk_full(self, choose):
        role = choose.choice(["worker", "worker", "coordinator"])
        error = choose.choice([errno.ENOSPC, errno.EIO, errno.EDQUOT])
        self.at_point(role, choose.choice(["pwrite", "ftruncate"] if role == "coordinator" else ["pwrite"]),
                      choose.randint(1, 12), error, "before", choose.choice([1, 8]))
        self.hurt = {3, 4}  # shared memory has a size to be set as well

    def read_error(self, choose):
        self.at_point(choose.choice(["worker", "coordinator"]), "pread", choose.randint(1, 20), errno.EIO, "before", 1)
        self.hurt = {0, 3}  # what is only read to show it to people may be missing

    def files_limited(self, choose):
        most = choose.choice([1, 1000, 20_000, 100_000, MIB])
        self.deed = f"files of at most {most} bytes"
        self.limits = [(resource.RLIMIT_FSIZE, most)]
        self.hurt = {0, 3, 4}

    def shared_memory_refused(self, choose):
        call = choose.choice(["memfd_create", "fallocate"])
        self.at_point("coordinator", call, choose.randint(1, 6), choose.choice([errno.ENOMEM, errno.ENOSPC]), "before",
                      8)
        self.hurt = {3, 4}

    def source_changed(self, choose):
        delay = choose.uniform(0.0, 0.15)
        how = choose.choice(["truncated", "overwritten", "replaced", "removed"])
        self.deed = f"source {how} after {delay:.3f} s"

        def deed(_, folder):
            time.sleep(delay)
            change_source(folder / "in.h5", how)

        self.hurt = {0, 2, 3}
        self.after_start = deed

    def descriptors_limited(self, choose):
        most = choose.randint(3, 40)
        self.deed = f"at most {most} descriptors"
        self.limits = [(resource.RLIMIT_NOFILE, most)]
        self.hurt = {0, 3, 4, 5, 127}  # 127: the system's loader finds no descriptor for a library

    def descriptor_refused(self, choose):
        self.at_point(choose.choice(["worker", "coordinator"]), choose.choice(["open", "open64", "socketpair"]),
                      choose.randint(1, 30), errno.EMFILE, "before", 8)
        self.hurt = {0, 3, 5}  # what only looks for limits of the machine does without

    def processes_refused(self, choose):
        self.at_point("coordinator", "fork", choose.randint(1, 4), errno.EAGAIN, "before", 8)
        self.hurt = {5}

    def addresses_limited(self, choose):
        most = choose.randint(40, 600) * MIB
        self.deed = f"address space of {most // MIB} MiB"
        self.limits = [(resource.RLIMIT_AS, most)]
        self.hurt = {0, 3, 4, 5, 127}

    def clock_jumps(self, choose):
        role = choose.choice(["worker", "coordinator"])
        self.environment["BRIM_FAULT"] = f"{role} clock {choose.randint(1, 20)} slow before"
        self.deed = self.environment["BRIM_FAULT"]


KINDS = [name for name in vars(Case) if not name.startswith("_") and name != "at_point"]


def children_of(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def change_source(path, how):
    if how == "removed":
        path.unlink()
    elif how == "replaced":
        other = path.with_suffix(".other")
        shutil.copy(path, other)
        other.rename(path)
    else:
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            if how == "truncated":
                file.truncate(size // 3)
            else:
                file.seek(size // 2)
                file.write(os.urandom(size // 4))


def processes_of(mark):
    """Every process that has this in its environment and lives."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes() and "State:\tZ" not in (entry / "status").read_text():
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return found


def continue_stopped(run, stop):
    """A stopped worker goes on after a moment."""
    while not stop.wait(0.03):
        for pid in children_of(run.pid):
            try:
                if "\nState:\tT" in Path(f"/proc/{pid}/status").read_text():
                    send(pid, signal.SIGCONT)
            except (FileNotFoundError, ProcessLookupError):
                pass


class Harness:
    def __init__(self, bin_dir, work_dir):
        self.brim = Path(bin_dir).resolve() / "brim"
        self.library = Path(bin_dir).resolve() / "fault_points.so"
        self.work = Path(work_dir).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.values = np.random.default_rng(SEED).normal(size=(48, 30, 30)).astype(np.float32)
        self.expected = np.exp(self.values) * np.float32(2) + np.float32(1)
        with h5py.File(self.work / "in.h5", "w") as file:
            file.create_dataset("x", data=self.values, chunks=(4, 30, 30))
        with h5py.File(self.work / "old.h5", "w") as file:
            file["other"] = np.arange(7)
        self.shared_before = set(os.listdir("/dev/shm"))

    def prepare(self, case):
        folder = self.work / f"run{case.number}"
        for name in ("", "scratch", "tmp", "tokens"):
            (folder / name).mkdir()
        shutil.copy(self.work / "in.h5", folder / "in.h5")
        if case.replaces:
            shutil.copy(self.work / "old.h5", folder / "out.h5")
        for i in range(case.tokens):
            (folder / "tokens" / f"t{i}").touch()
        compression = f", compression = 'deflate', level = {case.deflate}" if case.deflate else ""
        (folder / "job.toml").write_text(f"""
[inputs]
x = {{ source = "in.h5:/x", chunks = [{case.rows}, 30, 30] }}
[compute]
y = "exp(x) * 2 + 1"
m = "mean(y, axis=0)"
delay = "synthetic(tasks=20, memory='1MB', cpu='1ms', wait='3ms')"
[outputs]
y = {{ to = "out.h5:/y"{compression} }}
m = "out.h5:/m"
""")
        return folder

    def start(self, case, folder, faulty=True):
        environment = dict(os.environ, TMPDIR=str(folder / "tmp"), BRIM_FAULT_RUN=str(folder))
        environment.pop("BRIM_FAULT", None)
        if faulty and "BRIM_FAULT" in case.environment:
            environment.update(case.environment, LD_PRELOAD=str(self.library),
                               BRIM_FAULT_TOKENS=str(folder / "tokens" / "t"))
        limits = case.limits if faulty else []

        def limit():
            for name, value in limits:
                resource.setrlimit(name, (value, value))

        command = [self.brim, "run", "job.toml", "--workers", "3", "-q", "--memory", "400MB"]
        command += ["--scratch", "scratch"] if case.scratch else []
        return subprocess.Popen(command, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)

    def finish(self, case, run, folder):
        stop = threading.Event()
        watcher = threading.Thread(target=continue_stopped, args=(run, stop))
        watcher.start()
        try:
            if case.after_start:
                case.after_start(run, folder)
            output, _ = run.communicate(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            print(f"run {case.number} ({case.deed}; deflate {case.deflate}, {case.rows} rows) hangs")
            run.kill()
            raise AssertionError("the run hangs") from None
        finally:
            stop.set()
            watcher.join()
        return output

    def check_output(self, case, folder, status):
        """Whole, or as it was."""
        if status == 0:
            if self.was_changed_before(folder):
                return
            with h5py.File(folder / "out.h5") as file:
                np.testing.assert_allclose(file["y"][...], self.expected, rtol=1e-6)
                np.testing.assert_allclose(file["m"][...], self.expected.astype(np.float64).mean(axis=0), rtol=1e-6)
                assert not case.replaces or list(file["other"]) == list(range(7))
        elif case.replaces and status > 0:
            assert (folder / "out.h5").read_bytes() == (self.work / "old.h5").read_bytes(), "the old output changed"

    def was_changed_before(self, folder):
        """The source can be overwritten before the run looks at it: then its new values are what counts."""
        original = (self.work / "in.h5").read_bytes()
        now = (folder / "in.h5").read_bytes() if (folder / "in.h5").exists() else b""
        if len(now) < len(original) or now == original:
            return False
        with h5py.File(folder / "in.h5") as source, h5py.File(folder / "out.h5") as file, np.errstate(all="ignore"):
            y = np.exp(source["x"][...]) * np.float32(2) + np.float32(1)
            if np.allclose(file["y"][...], y, rtol=1e-6, equal_nan=True):
                return True
        # Or after its last task; then it has nothing to do with the result.
        return False

    def check_left(self, case, folder, *allowed):
        end = time.monotonic() + DEADLINE_SECONDS
        mark = f"BRIM_FAULT_RUN={folder}\0".encode()
        while processes_of(mark):
            assert time.monotonic() < end, "processes live on"
            time.sleep(0.002)
        left = {path.name for path in folder.iterdir()} - {"in.h5", "job.toml", "scratch", "tmp", "tokens", *allowed}
        assert not left, f"left behind: {left}"
        for name in ("scratch", "tmp"):
            assert not os.listdir(folder / name), f"left in {name}: {os.listdir(folder / name)}"
        shared = {name for name in set(os.listdir("/dev/shm")) - self.shared_before if "brim" in name}
        assert not shared, f"left in shared memory: {shared}"

    def check_error(self, status, output):
        for crash in CRASHES:
            assert crash not in output, crash
        if status > 0 and status != 127:
            message = output[output.rfind("\nbrim: ") + 1:].strip()
            assert message.startswith("brim: "), "no error message"
            assert "\n" in message, "an error without a hint"

    def run(self, number):
        case = Case(number, random.Random(SEED + number))
        folder = self.prepare(case)
        run = self.start(case, folder)
        output = self.finish(case, run, folder)
        status = run.returncode
        try:
            was_done = case.tokens == 0 or len(os.listdir(folder / "tokens")) < case.tokens
            allowed = case.hurt if was_done else {0}
            assert status in allowed, f"exit status {status}, not one of {allowed}"
            self.check_error(status, output)
            self.check_output(case, folder, status)
            has_output = {"out.h5"} if status == 0 or case.replaces or status < 0 else set()
            # A killed run leaves its unfinished file, and the next run takes it over.
            self.check_left(case, folder, *has_output, *([".out.h5.brim-partial"] if status < 0 else []))
            if status < 0:
                again = self.start(case, folder, faulty=False)
                output = again.communicate(timeout=DEADLINE_SECONDS)[0]
                assert again.returncode == 0, "the run after the killed one fails"
                self.check_output(case, folder, 0)
                self.check_left(case, folder, "out.h5")
        except AssertionError:
            print(f"run {number} ({case.deed}; deflate {case.deflate}, {case.rows} rows): exit status {status}\n{output}")
            raise
        shutil.rmtree(folder)
        return case, status, was_done


def main(bin_dir, work_dir, first="0", count=None):
    harness = Harness(bin_dir, work_dir)
    count = int(count or os.environ.get("BRIM_FAULT_RUNS", 50))
    failed = []
    statuses = {}
    done = 0
    for number in range(int(first), int(first) + count):
        try:
            _, status, was_done = harness.run(number)
            statuses[status] = statuses.get(status, 0) + 1
            done += was_done
        except AssertionError as error:
            print(f"run {number} failed: {error}", flush=True)
            failed.append(number)
    print(f"{count} runs, {done} of them hurt; by exit status: {dict(sorted(statuses.items()))}; failed: {failed}")
    assert not failed
    shutil.rmtree(harness.work)


if __name__ == "__main__":
    main(*sys.argv[1:])
