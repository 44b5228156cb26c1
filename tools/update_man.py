#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Update the OPTIONS sections of the man pages from the program's option tables.

    tools/update_man.py [--check] BOBBIN

BOBBIN is the built program. Rewrites docs/man/bobbin-VERB.1 between .SH OPTIONS and the next
.SH; with --check changes nothing and exits 1 if a page would change or is missing.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = os.path.join(ROOT, "docs", "man")
COLUMNS = 100
# Where a line can break without another rendering: not after the end of a sentence, where groff
# would add a space, and not before what it reads as a request.
BREAK = re.compile(r"(?<=\S) (?=[^ .'])")
SENTENCE_END = re.compile(r"[.?!][]\"')*]*(?:\\f[A-Z])?$")


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def verbs(bobbin):
    """Names of the verbs, as the overview lists them: two spaces, name, spaces, summary."""
    return re.findall(r"^  ([a-z]+) +\S", output(bobbin, "--help").split("First steps")[0], re.M)


def wrapped(text):
    """Roff with its filled text in lines of at most 100 columns. Tags of .TP stay whole."""
    lines, before = [], ""
    for line in text.split("\n"):
        while len(line) > COLUMNS and before != ".TP" and line[0] not in ".'":
            ends = [m.start() for m in BREAK.finditer(line)
                    if not SENTENCE_END.search(line[:m.start()])]
            end = max((e for e in ends if e <= COLUMNS), default=None)
            if end is None:
                break
            lines.append(line[:end])
            line = line[end + 1:]
        lines.append(line)
        before = line
    return "\n".join(lines)


def updated(page, options):
    return re.sub(r"^\.SH OPTIONS\n(?:(?!\.SH ).*\n)*", lambda m: options, page, flags=re.M)


def main():
    check = "--check" in sys.argv[1:]
    words = [w for w in sys.argv[1:] if w != "--check"]
    if len(words) != 1:
        sys.exit(__doc__)
    bobbin, bad = words[0], 0
    names = [v for v in verbs(bobbin) if v != "help"]
    overview = open(os.path.join(PAGES, "bobbin.1"), encoding="utf-8").read()
    for verb in names:
        path = os.path.join(PAGES, f"bobbin-{verb}.1")
        if not os.path.exists(path):
            print(f"{path}: missing")
            bad = 1
            continue
        page = open(path, encoding="utf-8").read()
        for need in (".SH OPTIONS", ".SH WHAT THIS TOOL CANNOT SEE", ".SH EXIT STATUS"):
            if need not in page:
                print(f"{path}: no section {need[4:]}")
                bad = 1
        if f"bobbin\\-{verb} (1)" not in overview:
            print(f"bobbin.1: does not name bobbin-{verb}(1)")
            bad = 1
        new = updated(page, wrapped(output(bobbin, "help", "--roff", verb)))
        if new == page:
            continue
        bad = bad or check
        print(f"{path}: OPTIONS "
              f"{'differs from the program; run tools/update_man.py' if check else 'updated'}")
        if not check:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
