#!/usr/bin/python3
"""Holds the repository to its own rules. Usage: tidy.py ROOT [--compile-commands FILE]"""

import argparse
import sys

import build_coverage
import layers
import readme
import sizes
import text
from repository import Repository


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--compile-commands", help="compile_commands.json of a build with everything switched on")
    arguments = parser.parse_args()
    repository = Repository(arguments.root)

    findings = list(layers.check(repository)) + list(sizes.check(repository)) + list(text.check(repository))
    findings += readme.check(repository)
    if arguments.compile_commands:
        findings += build_coverage.check_built(repository, arguments.compile_commands)
    formatting = build_coverage.check_format(repository)
    if formatting is None:
        print("note: no clang-format-14 here, the format was not checked")
    findings += formatting or []

    for finding in findings:
        print(finding)
    print(f"{len(repository.cpp_files())} C++ files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
