"""README code blocks are the examples, byte for byte, so that they cannot grow old."""

import re

from repository import Finding


def blocks(text):
    """(line number of the opening fence, language, content) of every fenced block."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text[:match.start()].count("\n") + 1, match.group(1), match.group(2)


def check(repository):
    text = (repository.root / "README.md").read_text()
    examples = {path.name: path.read_text() for path in (repository.root / "examples").rglob("*") if path.is_file()}
    for line, language, content in blocks(text):
        if language not in ("cpp", "toml", "cmake", "sh"):
            continue  # output and tables are no code
        if content not in examples.values():
            yield Finding("README.md", line, f"this {language} block is not the content of a file in examples/")
