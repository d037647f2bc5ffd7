#!/usr/bin/python3
"""The programs from end to end, as a user runs them. Usage: end_to_end_test.py CASE BIN_DIR SOURCE_DIR WORK_DIR"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

import dew_point_oracle


class EndToEnd:
    """One case in a folder of its own, which is removed when it passes."""

    def __init__(self, bin_dir, source_dir, work_dir):
        self.bin = Path(bin_dir)
        self.examples = Path(source_dir) / "examples"
        self.work = Path(work_dir)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def run(self, *command):
        environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}")
        result = subprocess.run([str(word) for word in command], cwd=self.work, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print("$", *command)
        print(result.stdout)
        if result.returncode != 0:
            raise AssertionError(f"ended with status {result.returncode}")
        return result.stdout

    def convert_real_file(self, name="coads_climatology.nc"):
        files = subprocess.run(["dpkg", "-L", "ferret-datasets"], check=True, capture_output=True, text=True).stdout
        source = next(line for line in files.split("\n") if line.endswith("/coads_climatology.cdf"))
        self.run("nccopy", "-4", source, name)

    def check_dew_point(self):
        if dew_point_oracle.main(self.work / "coads_climatology.nc", self.work / "dew_point.h5") != 0:
            raise AssertionError("the dew point differs from NumPy's")

    # The cases.

    def oracle_canary(self):
        """The comparison itself notices one value off by 4e-6, one NaN too many, one too few, and a wrong dtype."""
        expected = np.linspace(230, 300, 24).reshape(4, 6)
        expected[1, 2] = np.nan
        found = expected.astype(np.float32)
        assert not dew_point_oracle.compare("sound", found, expected)
        for index, value in (((0, 0), expected[0, 0] * (1 + 4e-6)), ((0, 0), np.nan), ((1, 2), 0), ((0, 0), np.inf)):
            broken = found.copy()
            broken[index] = value
            assert dew_point_oracle.compare("broken", broken, expected), (index, value)
        assert dew_point_oracle.compare("dtype", expected, expected)
        assert dew_point_oracle.compare("nothing", np.full_like(found, np.nan), np.full_like(expected, np.nan))

    def real_file(self):
        self.convert_real_file()
        shutil.copy(self.examples / "dew_point.toml", self.work)
        self.run("brim", "run", "dew_point.toml")
        self.check_dew_point()

    def repeated_contiguous(self):
        """More input than the budget holds."""
        self.repeated("--size", "192MiB", "--layout", "contiguous")

    def repeated_chunked(self):
        self.repeated("--size", "64MiB", "--layout", "chunked")

    def repeated_compressed(self):
        """Storage chunks that divide neither the period nor the whole."""
        self.repeated("--size", "48MiB", "--layout", "chunked", "--deflate", "4", "--chunk-time", "7")

    def repeated(self, *options):
        self.convert_real_file("one_period.nc")
        datasets = [word for name in ("AIRT", "SPEH", "SLP") for word in ("--dataset", name)]
        self.run("brim-repeat-time", "one_period.nc", "coads_climatology.nc", *datasets, *options)
        shutil.copy(self.examples / "dew_point.toml", self.work)
        self.run("brim", "run", "dew_point.toml", "--memory", "160MiB")
        self.check_dew_point()

    def cpp_example(self):
        self.convert_real_file()
        self.run("example_dew_point")
        self.check_dew_point()

    def embed_example(self):
        printed = self.run("example_embed")
        if "pi = 3.14159265" not in printed:
            raise AssertionError(printed)

    def command_line_example(self):
        self.convert_real_file()
        shutil.copy(self.examples / "dew_point.toml", self.work)
        self.run("sh", "-e", self.examples / "command_line.sh")
        self.check_dew_point()
        with h5py.File(self.work / "coads_climatology.nc") as file:
            expected = dew_point_oracle.read_decoded(file, "SST").mean(axis=0)
        with h5py.File(self.work / "sst.h5") as file:
            np.testing.assert_allclose(file["mean"][...], expected, rtol=2e-6, equal_nan=True)

    def two_ops_example(self):
        """The founding case: 16 GB free for tasks of 500 MB and of 2 GB."""
        plan = json.loads(self.run("brim", "plan", self.examples / "two_ops.toml", "--json"))
        widths = {op["name"]: op["width"] for op in plan["ops"]}
        if sorted(widths.values(), reverse=True) != [32, 8]:
            raise AssertionError(f"planned widths {widths} instead of 32 and 8")


if __name__ == "__main__":
    name, *folders = sys.argv[1:]
    case = EndToEnd(*folders)
    getattr(case, name)()
    shutil.rmtree(case.work)
