"""What stands in the files: include guards, names, left-overs, paths of one machine, docs of the public functions."""

import re

from repository import Finding
from sizes import without_comments_and_strings

BANNED_WORDS_IN_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "misc", "internal"}
FILE_NAME = re.compile(r"^[a-z0-9]+(?:_[a-z0-9]+)*\.(?:h|cpp|py)$")

# Written in pieces, so that this file does not find itself.
LEFT_OVER = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:wo" + r"rk|ho" + r"me/\w+|ro" + r"ot)/")
REGISTRY_HOST = re.compile(r"https?://[^\s)\"']*(?:regi" + r"stry|pro" + r"xy|mir" + r"ror|arti" + r"factory|"
                           r"py" + r"pi\.org|deb\.deb" + r"ian\.org)", re.IGNORECASE)


def check_header(source):
    if source.is_header and not any(line.strip() == "#pragma once" for line in source.lines):
        yield Finding(source.path, 1, "a header without #pragma once")


def check_file_name(source):
    folder, _, name = source.path.rpartition("/")
    if folder.split("/")[0] not in ("include", "src", "tools", "tests", "bench", "examples"):
        return
    if name.endswith((".h", ".cpp", ".py")):
        if not FILE_NAME.match(name):
            yield Finding(source.path, 1, "file names are lower case words joined by _")
        words = set(name.rsplit(".", 1)[0].split("_"))
        if words & BANNED_WORDS_IN_NAMES:
            yield Finding(source.path, 1, f"the name says nothing: {', '.join(sorted(words & BANNED_WORDS_IN_NAMES))}")
    if name.endswith(".cpp") and re.match(r"tests/\w+/", source.path):
        if re.search(r"^(?:TYPED_)?TEST(?:_[FP])?\(", source.text, re.MULTILINE) and not name.endswith("_test.cpp"):
            yield Finding(source.path, 1, "a file with tests ends in _test.cpp")


def check_left_overs(source):
    for number, line in enumerate(source.lines, 1):
        if LEFT_OVER.search(line):
            yield Finding(source.path, number, "a left-over note: do it, or write an issue")
        if MACHINE_PATH.search(line):
            yield Finding(source.path, number, "a path of one machine")
        if REGISTRY_HOST.search(line):
            yield Finding(source.path, number, "a package host's address")


def check_disabled_tests(source):
    if source.path.startswith("tests/") and source.path.endswith(".cpp"):
        for number, line in enumerate(source.lines, 1):
            if re.search(r"\bDISABLED_\w", line) or re.match(r"\s*//\s*(?:TEST|EXPECT|ASSERT)\w*\(", line):
                yield Finding(source.path, number, "a test that is switched off")


def check_public_docs(source):
    """A declaration in a public header has a comment above it, on its line, or above the unbroken group it stands in."""
    if not source.path.startswith("include/brim/"):
        return
    documented = False  # the group of lines since the last blank one has a comment
    code = without_comments_and_strings(source.text).split("\n")
    in_private = False
    previous_open = False
    for number, (line, bare) in enumerate(zip(source.lines, code), 1):
        stripped = line.strip()
        if not stripped:
            documented = False
            continue
        if re.match(r"\s*(?:public|protected):", line):
            in_private = False
        elif re.match(r"\s*private:", line):
            in_private = True
        elif re.match(r"\}", line):
            in_private = False
        if "//" in line:
            documented = True
        if not in_private and not previous_open and is_public_function(bare) and not documented \
                and not is_self_explaining(bare):
            yield Finding(source.path, number, f"a public function without a comment: {stripped[:60]}")
        previous_open = bare.rstrip().endswith((",", "(", "\\"))


def is_public_function(line):
    """The first line of a function declaration at namespace or class level (at most two spaces in)."""
    if not re.match(r"(?: {2})?(?:\[\[\w+\]\] )?[A-Za-z]", line) or line.lstrip().startswith(("#", "return ", "using ")):
        return False
    return re.search(r"[\w>&*] +(?:\w+|operator\s*\S+)\(", line) is not None


def is_self_explaining(line):
    """Constructors, destructors, operators and `to_string` do what they always do; a member without parameters that
    changes nothing says it by its name."""
    return re.search(r"^  .*\w\(\) const\b|operator|\bto_string\(|~\w+\(|= (?:default|delete)\b|\bfriend\b|\bexplicit\b", line) is not None


def check(repository):
    for source in repository.texts():
        yield from check_file_name(source)
        yield from check_left_overs(source)
    for source in repository.cpp_files():
        yield from check_header(source)
        yield from check_disabled_tests(source)
        yield from check_public_docs(source)
