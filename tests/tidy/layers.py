"""Who may include whom: the layer table of src/CMakeLists.txt, held against every #include."""

import re

from repository import Finding

# Each public header belongs to one module: that module and those above it may include it.
PUBLIC_HEADER_OWNERS = {
    "array.h": "array",
    "brim.h": "runtime",
    "bytes.h": "core",
    "chunk_grid.h": "core",
    "dataset.h": "storage",
    "dtype.h": "core",
    "error.h": "core",
    "executor.h": "runtime",
    "lower_bound.h": "schedule",
    "machine.h": "machine",
    "plan.h": "plan",
    "read.h": "runtime",
    "report.h": "runtime",
    "report_page.h": "runtime",
    "shape.h": "core",
    "simulate.h": "runtime",
    "workload.h": "lang",
}


def cycles(table):
    """Modules that can reach themselves."""
    def reach(module, seen):
        for other in table.get(module, ()):
            if other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen
    return sorted(m for m in table if m in reach(m, set()))


def module_of(include, table):
    """The module an include path belongs to, or None for headers of others."""
    folder, slash, name = include.partition("/")
    if not slash:
        return None  # <array> is not our array/
    if folder == "brim":
        return PUBLIC_HEADER_OWNERS.get(name, "?")
    return folder if folder in table else None


def check_source(source, module, table):
    allowed = table[module] | {module}
    for line, include in source.includes():
        other = module_of(include, table)
        if other == "?":
            yield Finding(source.path, line, f"no owner for the public header {include}: add it to layers.py")
        elif other is not None and other not in allowed:
            yield Finding(source.path, line, f"{module} may not include {include} (module {other})")


def check_public_header(source, table):
    name = source.path.removeprefix("include/brim/")
    owner = PUBLIC_HEADER_OWNERS.get(name)
    if owner is None:
        yield Finding(source.path, 1, "a public header without an owner: add it to layers.py")
        return
    allowed = reachable(owner, table)
    for line, include in source.includes():
        if include.startswith("brim/"):
            other = module_of(include, table)
            if other not in allowed:
                yield Finding(source.path, line, f"a header of {owner} may not include {include} (module {other})")
        elif "/" in include or include.endswith(".h"):
            yield Finding(source.path, line, f"a public header includes {include}: only the standard library is promised")


def reachable(module, table):
    """The module and everything below it: a public header is seen by all modules above its owner."""
    seen = {module}
    todo = [module]
    while todo:
        for other in table.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def check_tool(source, table):
    for line, include in source.includes():
        if "/" in include and include.split("/")[0] in table:
            yield Finding(source.path, line, f"tools/brim includes only include/brim, not {include}")


def check_documented(repository, table):
    """The rows of docs/architecture.md are those of CMake."""
    page = "docs/architecture.md"
    if not (repository.root / page).exists():
        yield Finding(page, 1, "there is no page that shows the layer table")
        return
    rows = re.findall(r"^\| `(\w+)` \| ([a-z -]+) \|", (repository.root / page).read_text(), re.MULTILINE)
    documented = {module: set(allowed.replace("-", "").split()) for module, allowed in rows}
    for module in sorted(table.keys() | documented.keys()):
        if documented.get(module) != table.get(module):
            yield Finding(page, 1, f"the layer table's row of {module} is not that of src/CMakeLists.txt")


def check(repository):
    table = repository.layer_table()
    yield from check_documented(repository, table)
    for module in cycles(table):
        yield Finding("src/CMakeLists.txt", 1, f"module {module} depends on itself by a cycle")
    for source in repository.cpp_files():
        parts = source.path.split("/")
        if parts[0] == "src" and parts[1] not in table:
            yield Finding(source.path, 1, f"src/{parts[1]} is in no brim_module() line")
        elif parts[0] == "src":
            yield from check_source(source, parts[1], table)
        elif source.path.startswith("include/brim/"):
            yield from check_public_header(source, table)
        elif source.path.startswith("tools/brim/"):
            yield from check_tool(source, table)
