"""The source tree as the checks see it: files by kind, their lines, the layer table."""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


@dataclass
class SourceFile:
    path: str  # relative to the root, with forward slashes
    text: str
    lines: list = field(init=False)

    def __post_init__(self):
        self.lines = self.text.split("\n")

    @property
    def is_header(self):
        return self.path.endswith(".h")

    def includes(self):
        """(line number, what stands between the quotes or brackets)"""
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
            if match:
                yield number, match.group(1)


class Repository:
    """Everything below `root` that is written by hand."""

    TOP_FOLDERS = ("include", "src", "tools", "tests", "bench", "examples", "cmake", "docs", ".ci")
    CPP_FOLDERS = ("include", "src", "tools", "tests", "bench", "examples")

    def __init__(self, root):
        self.root = Path(root)
        self._cpp = None

    def texts(self):
        """All text files, those at the top included."""
        paths = [p for p in self.root.iterdir() if p.is_file()]
        for folder in self.TOP_FOLDERS:
            paths += [p for p in (self.root / folder).rglob("*") if p.is_file()]
        for path in sorted(paths):
            if "__pycache__" in path.parts:
                continue
            try:
                yield SourceFile(path.relative_to(self.root).as_posix(), path.read_text())
            except UnicodeDecodeError:
                continue  # not text

    def cpp_files(self):
        if self._cpp is None:
            self._cpp = [f for f in self.texts()
                         if f.path.endswith((".h", ".cpp")) and f.path.split("/")[0] in self.CPP_FOLDERS]
        return self._cpp

    def layer_table(self):
        """module -> modules it may include, from the brim_module() lines of src/CMakeLists.txt"""
        table = {}
        text = (self.root / "src" / "CMakeLists.txt").read_text()
        for call in re.finditer(r"^brim_module\(([^)]*)\)", text, re.MULTILINE):
            words = call.group(1).split()
            depends = []
            if "DEPENDS" in words:
                rest = words[words.index("DEPENDS") + 1:]
                depends = rest[:rest.index("LIBRARIES")] if "LIBRARIES" in rest else rest
            table[words[0]] = set(depends)
        return table
