"""Functions that fit on a screen, files with one subject."""

import re

from repository import Finding

MAX_FUNCTION_LINES = 75
MAX_FILE_LINES = 450

# Longer on purpose: path, or "path function" -> why.
ALLOWED = {}

# Words that open a block which is no function.
NOT_A_FUNCTION = re.compile(r"^\s*(?:\}?\s*(?:if|for|while|switch|else|do|try|catch|namespace|class|struct|enum|union|"
                            r"return|case)\b|extern\s+\"C\"|#)")


def without_comments_and_strings(text):
    """Same length and lines, with comments and literals blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    pattern = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
    return pattern.sub(blank, text)


def functions(source):
    """(first line, last line, name) of every function body that is not inside another function."""
    lines = without_comments_and_strings(source.text).split("\n")
    depth_of_function = None
    depth = 0
    start = name = None
    head_start = 0  # where the statement that may turn out a function began
    head = ""
    for number, line in enumerate(lines, 1):
        if not head.strip():
            head_start = number
        for char in line:
            if char == "{":
                if depth_of_function is None and is_function_head(head):
                    depth_of_function, start, name = depth, head_start, function_name(head)
                depth += 1
                head = ""
            elif char == "}":
                depth -= 1
                if depth == depth_of_function:
                    yield start, number, name
                    depth_of_function = None
                head = ""
            elif char == ";":
                head = ""
            else:
                head += char
        if line.lstrip().startswith("#"):
            head = ""
        head += "\n"
        if not head.strip():
            head_start = number + 1


def is_function_head(head):
    if "(" not in head or NOT_A_FUNCTION.match(head):
        return False
    return re.search(r"\)\s*(?:const|noexcept|override|final|requires\b.*|->.*|:\s.*|&+|\s)*$", head, re.DOTALL) is not None


def function_name(head):
    match = re.search(r"([\w:~]+|operator\s*\S+)\s*\(", head)
    return match.group(1) if match else "?"


def check_file(source, allowed):
    count = len(source.lines) - 1
    if count > MAX_FILE_LINES and source.path not in allowed:
        yield Finding(source.path, 1, f"{count} lines (over {MAX_FILE_LINES}): split it by subject")
    for first, last, name in functions(source):
        length = last - first + 1
        if length > MAX_FUNCTION_LINES and f"{source.path} {name}" not in allowed:
            yield Finding(source.path, first, f"{name} has {length} lines (over {MAX_FUNCTION_LINES})")


def check(repository, allowed=None):
    allowed = ALLOWED if allowed is None else allowed
    for source in repository.cpp_files():
        yield from check_file(source, allowed)
    known = {source.path for source in repository.cpp_files()}
    for entry, reason in allowed.items():
        if not reason:
            yield Finding("tests/tidy/sizes.py", 1, f"the exception for {entry} gives no reason")
        if entry.split()[0] not in known:
            yield Finding("tests/tidy/sizes.py", 1, f"the exception for {entry} has outlived its file")
