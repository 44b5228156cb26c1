#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read what ctest --output-junit wrote; print `passed failed skipped` on the first line, then one
line for every test that failed, and for every skip that tests/skips.txt does not announce.

    tools/count_tests.py RESULT.xml [SKIPS]

An unannounced skip counts as failed: a test that silently stopped running proves nothing. The cases
that a passed script left out (its lines "skip CASE: why") are listed, a few by name.
"""
import sys
import xml.etree.ElementTree as ElementTree

CASES_SHOWN = 5


def announced(path):
    try:
        with open(path, encoding="utf-8") as f:
            lines = [line.split("#")[0].split() for line in f]
    except OSError:
        return set()
    return {words[0] for words in lines if words}


def reason(case):
    """The last line a skipped test printed: by convention it says why."""
    lines = (case.findtext("system-out") or "").strip().splitlines()
    return lines[-1] if lines else "no reason given"


def left_out(case):
    """A line for each of the first few cases that a script did not run, although it passed."""
    lines = [x[4:].strip() for x in (case.findtext("system-out") or "").splitlines()
             if x.startswith("skip ")]
    shown = [f"not run {case.get('name')}: {x}" for x in lines[:CASES_SHOWN]]
    if len(lines) > CASES_SHOWN:
        shown.append(f"not run {case.get('name')}: {len(lines) - CASES_SHOWN} more cases")
    return shown


def main():
    expected = announced(sys.argv[2]) if len(sys.argv) > 2 else set()
    passed, skipped, lines = 0, 0, []
    failed = 0
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status == "run":
            passed += 1
            lines += left_out(case)
        elif (status in ("notrun", "disabled") and case.find("skipped") is not None
              and name in expected):
            skipped += 1
            lines.append(f"skipped {name}: {reason(case)}")
        elif status in ("notrun", "disabled") and case.find("skipped") is not None:
            failed += 1
            lines.append(f"FAILED {name}: unexpected skip: {reason(case)}")
        else:
            failed += 1
            lines.append(f"FAILED {name}")
    print(passed, failed, skipped)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
