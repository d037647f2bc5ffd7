#!/usr/bin/python3
"""The page of `brim report` as a browser draws it, held against the history. Usage: report_page_test.py CASE BIN WORK"""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

WORKLOAD = """
[compute]
lean = "synthetic(tasks=40, memory='8MB', cpu='1ms')"
hungry = "synthetic(tasks=10, memory='30MB', cpu='2ms', after=lean)"
"""


class Page(HTMLParser):
    """What the drawn page shows: numbers by name, of the run and of each op; the ops of the plan; texts by id."""

    def __init__(self, text):
        super().__init__()
        self.drawn = False
        self.run = {}
        self.ops = defaultdict(dict)
        self.nodes = []
        self.texts = defaultdict(str)
        self.paths = 0
        self._op = None
        self._id = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "html":
            self.drawn = found.get("data-drawn") == "whole"
        if tag == "tr":
            self._op = found.get("data-op")
        if "data-value" in found:
            shown = self.run if self._op is None else self.ops[self._op]
            shown[found["data-key"]] = float(found["data-value"])
        if "data-node" in found:
            self.nodes.append(found["data-node"])
        if tag == "path":
            self.paths += 1
        self._id = found.get("id")

    def handle_endtag(self, tag):
        self._id = None

    def handle_data(self, text):
        if self._id:
            self.texts[self._id] += text


def draw(browser, page, work):
    result = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                             f"--user-data-dir={work / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
                             page.resolve().as_uri()], check=True, capture_output=True, text=True, timeout=100)
    drawn = Page(result.stdout)
    assert drawn.drawn, "the script of the page did not come to its end:\n" + result.stderr
    return drawn


def expected_ops(lines):
    """The sums of the history, made here once more."""
    ops = defaultdict(lambda: defaultdict(float))
    for task in (line for line in lines if line["event"] == "task"):
        op = ops[task["op"]]
        op["tasks"] += 1
        op["busy"] += task["end"] - task["start"]
        op["cpu"] += task["cpu"]
        op["read"] += task["bytes_read"]
        op["written"] += task["bytes_written"]
        op["minor_faults"] += task["minor_faults"]
        op["projected"] = max(op["projected"], task["projected_mem"])
        op["measured"] = max(op["measured"], task["measured_mem"])
    return ops


def compare(page, lines):
    ops = expected_ops(lines)
    assert set(page.ops) == {op["name"] for op in lines[0]["ops"]}, page.ops.keys()
    for name, expected in ops.items():
        for key, value in expected.items():
            assert abs(page.ops[name][key] - value) < 1e-4, (name, key, page.ops[name][key], value)
    assert page.run["tasks"] == sum(op["tasks"] for op in ops.values()) > 0
    assert abs(page.run["busy"] - sum(op["busy"] for op in ops.values())) < 1e-4
    assert sorted(page.nodes) == sorted(op["name"] for op in lines[0]["ops"])
    assert page.paths > 6, "the charts are empty"


def main(case, bin_dir, work):
    browser = shutil.which("chromium")
    if not browser:
        print("skipped: there is no chromium here (tools/install-packages test installs it)")
        return 77
    work = Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "job.toml").write_text(WORKLOAD)
    history, html = work / "run.jsonl", work / "run.html"
    brim = Path(bin_dir) / "brim"
    subprocess.run([brim, "run", "job.toml", "-q", "--memory", "200MiB", "--history", history], cwd=work, check=True)
    lines = history.read_text().splitlines()
    if case == "interrupted":
        # Killed while it wrote the task before the last.
        last = max(number for number, line in enumerate(lines) if '"event":"task"' in line)
        history.write_text("\n".join(lines[:last]) + "\n" + lines[last][:40])
        lines = lines[:last]
    if case == "hostile_names":
        hostile = "</script><img src=x onerror=document.title='broken'>&\\u2028"
        lines = [line.replace('"lean"', f'"{hostile}"') for line in lines]
        history.write_text("\n".join(lines) + "\n")
    subprocess.run([brim, "report", history, "-o", html], check=True)
    page = draw(browser, html, work)
    assert "http" not in html.read_text().replace("http://www.w3.org/2000/svg", ""), "the page names an address"
    lines = [json.loads(line) for line in lines]
    compare(page, lines)
    finish = lines[-1] if lines[-1]["event"] == "finish" else None
    assert page.texts["status"] == ("finished" if finish else "not finished"), page.texts["status"]
    if finish:
        assert page.run["peak_held"] == finish["peak_held"]
        assert abs(page.run["end"] - finish["wall_seconds"]) < 1e-6
        assert page.run["workers_started"] == finish["workers_started"]
    else:
        assert "without a final report" in page.texts["warning"] and "cut short" in page.texts["warning"]
    shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
