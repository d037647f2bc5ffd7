"""Every source and test file is built by some target, and clang-format has nothing to say."""

import json
import shutil
import subprocess
from pathlib import Path

from repository import Finding


def check_built(repository, compile_commands):
    """Compares the .cpp files with the compilation database of a build with everything switched on."""
    entries = json.loads(Path(compile_commands).read_text())
    built = {Path(entry["directory"], entry["file"]).resolve() for entry in entries}
    folders = ["src", "tools", "tests", "examples"]
    if any((repository.root / "bench").resolve() in path.parents for path in built):
        folders.append("bench")  # switched off in some presets
    for source in repository.cpp_files():
        if not source.path.endswith(".cpp") or source.path.split("/")[0] not in folders:
            continue
        if source.path.startswith(("tests/install/consumer/", "tests/tidy/")):
            continue  # built by the test itself
        if (repository.root / source.path).resolve() not in built:
            yield Finding(source.path, 1, "built by no target")


def check_format(repository):
    """None when this machine has no clang-format-14."""
    program = shutil.which("clang-format-14")
    if program is None:
        return None
    paths = [source.path for source in repository.cpp_files()]
    result = subprocess.run([program, "--dry-run", *paths], cwd=repository.root, capture_output=True, text=True)
    findings = {}
    for line in result.stderr.split("\n"):
        parts = line.split(":")
        if len(parts) > 3 and "-Wclang-format-violations" in line:
            findings.setdefault(parts[0], Finding(parts[0], int(parts[1]), "clang-format-14 would change this file"))
    return list(findings.values())
