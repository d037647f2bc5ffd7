#!/usr/bin/python3
"""A checker that finds nothing is no checker: every rule must catch a broken sample and pass a sound one."""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

import build_coverage
import layers
import readme
import sizes
import text
from repository import Repository

LAYERS = """brim_module(core LIBRARIES fmt::fmt)
brim_module(machine DEPENDS core)
brim_module(storage DEPENDS core LIBRARIES hdf5)
brim_module(array DEPENDS core storage)
brim_module(runtime DEPENDS core array)
"""

LAYER_ROWS = """| `core` | - | values |
| `machine` | core | this machine |
| `storage` | core | files |
| `array` | core storage | the graph |
| `runtime` | core array | runs |
"""


class Canary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.write("src/CMakeLists.txt", LAYERS)
        self.write("docs/architecture.md", LAYER_ROWS)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, content):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def found(self, check, *arguments):
        return [str(finding) for finding in check(Repository(self.root), *arguments)]

    def assert_found(self, check, part, *arguments):
        findings = self.found(check, *arguments)
        self.assertTrue(any(part in finding for finding in findings), f"nothing about '{part}' in {findings}")

    def assert_clean(self, check, *arguments):
        self.assertEqual(self.found(check, *arguments), [])


class Layers(Canary):
    def test_a_module_that_includes_one_above_it(self):
        self.write("src/core/a.cpp", '#include "array/graph.h"\n')
        self.assert_found(layers.check, "src/core/a.cpp:1: core may not include array/graph.h")

    def test_a_module_that_includes_a_public_header_above_it(self):
        self.write("src/machine/a.cpp", '#include "brim/array.h"\n')
        self.assert_found(layers.check, "machine may not include brim/array.h")

    def test_a_module_that_includes_one_below_but_not_in_its_row(self):
        self.write("src/runtime/a.cpp", '#include "storage/source.h"\n')
        self.assert_found(layers.check, "runtime may not include storage/source.h")

    def test_a_sound_module(self):
        self.write("src/array/a.cpp", '#include <array>\n#include "array/graph.h"\n#include "brim/bytes.h"\n'
                   '#include "storage/source.h"\n')
        self.assert_clean(layers.check)

    def test_a_cycle_in_the_table(self):
        self.write("src/CMakeLists.txt", "brim_module(core DEPENDS array)\nbrim_module(array DEPENDS core)\n")
        self.assert_found(layers.check, "module core depends on itself")

    def test_a_page_that_shows_another_table(self):
        self.write("docs/architecture.md", LAYER_ROWS.replace("core storage", "core machine"))
        self.assertEqual(self.found(layers.check), ["docs/architecture.md:1: the layer table's row of array is not that "
                                                    "of src/CMakeLists.txt"])

    def test_a_folder_outside_the_table(self):
        self.write("src/attic/a.cpp", "")
        self.assert_found(layers.check, "src/attic is in no brim_module() line")

    def test_a_public_header_that_includes_one_above_its_owner(self):
        self.write("include/brim/bytes.h", '#pragma once\n#include "brim/array.h"\n')
        self.assert_found(layers.check, "a header of core may not include brim/array.h")

    def test_a_public_header_that_leaks_a_library(self):
        self.write("include/brim/bytes.h", "#pragma once\n#include <hdf5.h>\n")
        self.assert_found(layers.check, "only the standard library is promised")

    def test_a_public_header_without_an_owner(self):
        self.write("include/brim/surprise.h", "#pragma once\n")
        self.assert_found(layers.check, "a public header without an owner")

    def test_a_subcommand_that_looks_inside(self):
        self.write("tools/brim/run.cpp", '#include "array/graph.h"\n')
        self.assert_found(layers.check, "tools/brim includes only include/brim")


class Sizes(Canary):
    def function_of(self, lines, head="int long_one(int x)"):
        return head + " {\n" + "  x += 1;\n" * (lines - 2) + "}\n"

    def test_a_function_that_does_not_fit_on_a_screen(self):
        self.write("src/core/a.cpp", "namespace brim {\n" + self.function_of(76) + "}\n")
        self.assert_found(sizes.check, "src/core/a.cpp:2: long_one has 76 lines", {})

    def test_a_long_member_of_a_class(self):
        self.write("src/core/a.h", "struct A {\n" + self.function_of(80, "int A(int x) const noexcept") + "};\n")
        self.assert_found(sizes.check, "A has 80 lines", {})

    def test_a_long_constructor_with_initialisers(self):
        self.write("src/core/a.cpp", self.function_of(80, "A::A(int x)\n    : a_(x), b_(f(x))"))
        self.assert_found(sizes.check, "has 81 lines", {})

    def test_a_function_that_just_fits(self):
        self.write("src/core/a.cpp", "namespace brim {\nstruct A {\n" + self.function_of(75) + self.function_of(75)
                   + "};\n}\n")
        self.assert_clean(sizes.check, {})

    def test_braces_in_text_do_not_count(self):
        self.write("src/core/a.cpp", 'void f() { puts("{"); }  // {\n' + "int x;\n" * 100)
        self.assert_clean(sizes.check, {})

    def test_a_file_with_too_many_lines(self):
        self.write("src/core/a.cpp", "int x;\n" * 451)
        self.assert_found(sizes.check, "451 lines", {})
        self.assert_clean(sizes.check, {"src/core/a.cpp": "a table"})

    def test_an_exception_without_a_reason_or_a_file(self):
        self.assert_found(sizes.check, "gives no reason", {"src/core/a.cpp": ""})
        self.assert_found(sizes.check, "has outlived its file", {"src/core/a.cpp": "a table"})


class Text(Canary):
    def test_a_header_without_a_guard(self):
        self.write("src/core/a.h", "int x;\n")
        self.assert_found(text.check, "without #pragma once")

    def test_names_that_say_nothing(self):
        for name in ("string_utils.h", "helpers.h", "pool_manager.h"):
            self.write(f"src/core/{name}", "#pragma once\n")
            self.assert_found(text.check, f"src/core/{name}:1: the name says nothing")

    def test_names_in_another_style(self):
        self.write("src/core/ChunkGrid.cpp", "")
        self.assert_found(text.check, "lower case words")

    def test_a_test_file_under_another_name(self):
        self.write("tests/core/bytes.cpp", "TEST(A, B) {}\n")
        self.assert_found(text.check, "ends in _test.cpp")
        self.write("tests/core/bytes.cpp", "int main() { return RUN_ALL_TESTS(); }\n")
        self.assert_clean(text.check)

    def test_left_over_notes(self):
        for word in ("TO" + "DO", "FIX" + "ME"):
            self.write("src/core/a.cpp", f"int x;  // {word}: later\n")
            self.assert_found(text.check, "src/core/a.cpp:1: a left-over note")

    def test_paths_of_one_machine(self):
        self.write("tools/test", "cd /ho" + "me/somebody/brim\n")
        self.assert_found(text.check, "a path of one machine")

    def test_package_hosts(self):
        self.write("tools/test", "curl https://regi" + "stry.example.com/x\n")
        self.assert_found(text.check, "a package host's address")

    def test_tests_that_are_switched_off(self):
        self.write("tests/core/a_test.cpp", "TEST(A, DISABLED_B) {}\n")
        self.assert_found(text.check, "switched off")
        self.write("tests/core/a_test.cpp", "  // EXPECT_EQ(1, 2);\n")
        self.assert_found(text.check, "switched off")

    def test_a_public_function_without_a_comment(self):
        self.write("include/brim/bytes.h", "#pragma once\n\n/// Fine.\nint one();\n\nint two();\n")
        self.assert_found(text.check, "bytes.h:6: a public function without a comment")

    def test_a_member_function_without_a_comment(self):
        self.write("include/brim/bytes.h", "#pragma once\n\n/// A.\nclass A {\n public:\n  /// Fine.\n  int a();\n\n"
                   "  int b(int);\n private:\n\n  int c(int);\n};\n")
        self.assertEqual(self.found(text.check), ["include/brim/bytes.h:9: a public function without a comment: "
                                                  "int b(int);"])

    def test_a_group_of_functions_under_one_comment(self):
        self.write("include/brim/bytes.h", "#pragma once\n\n// Sizes.\nint one();\nint two(int a,\n        int b);\n\n"
                   "bool operator==(int, int);\n\n/// A.\nclass A {\n public:\n\n  int size() const;\n};\n")
        self.assert_clean(text.check)


class Build(Canary):
    def test_a_file_that_nobody_builds(self):
        self.write("src/core/a.cpp", "")
        self.write("src/core/b.cpp", "")
        database = self.root / "compile_commands.json"
        database.write_text(json.dumps([{"directory": str(self.root), "file": "src/core/a.cpp"}]))
        self.assertEqual(self.found(build_coverage.check_built, database), ["src/core/b.cpp:1: built by no target"])

    @unittest.skipUnless(shutil.which("clang-format-14"), "no clang-format-14")
    def test_a_file_in_another_format(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("src/core/a.cpp", "int  x ;\n")
        self.write("src/core/b.cpp", "int x;\n")
        self.assertEqual(self.found(build_coverage.check_format),
                         ["src/core/a.cpp:1: clang-format-14 would change this file"])


class Readme(Canary):
    def test_a_block_that_differs_from_its_example(self):
        self.write("examples/a.cpp", "int x = 1;\n")
        self.write("README.md", "# a\n\n```cpp\nint x = 2;\n```\n")
        self.assert_found(readme.check, "README.md:3: this cpp block")

    def test_a_block_that_is_its_example(self):
        self.write("examples/a.cpp", "int x = 1;\n")
        self.write("README.md", "# a\n\n```cpp\nint x = 1;\n```\n\n```\nany output\n```\n")
        self.assert_clean(readme.check)


if __name__ == "__main__":
    unittest.main()
