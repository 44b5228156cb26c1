#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that the documents are true to the tree: links and file names in them exist, and every
option that `bobbin VERB --help` knows is in the verb's man page. Prose has at most 100 columns;
tables and what is indented as code may have more.

    tools/check_docs.py [BOBBIN]

Without a program only links and names are checked.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
NAME = re.compile(r"`((?:src|include|tools|tests|docs|bench|cmake)/[A-Za-z0-9_./+-]+)`")
COLUMNS = 100
ERRORS = []


def check_page(page):
    with open(page, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if len(line.rstrip()) > COLUMNS and not line.startswith(("|", "    ")):
                ERRORS.append(f"{page}:{number}: more than {COLUMNS} columns")
            for link in LINK.findall(line):
                if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
                    ERRORS.append(f"{page}:{number}: link to {link}, which does not exist")
            for name in NAME.findall(line):
                if not os.path.exists(name.rstrip(".")):
                    ERRORS.append(f"{page}:{number}: names {name}, which does not exist")


def help_of(bobbin, *words):
    p = subprocess.run((bobbin, *words, "--help"), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if p.returncode:
        ERRORS.append(f"bobbin {' '.join(words)} --help fails: {p.stderr.strip()}")
    return p.stdout


def check_verbs(bobbin):
    verbs = re.findall(r"^  ([a-z]+) +\S", help_of(bobbin), re.M)
    if not verbs:
        ERRORS.append("bobbin --help lists no verbs")
    for verb in (v for v in verbs if v != "bobbin"):
        page = f"docs/man/bobbin-{verb}.1"
        try:
            with open(page, encoding="utf-8") as f:
                text = f.read().replace("\\-", "-").replace("\\", "")
        except OSError:
            ERRORS.append(f"{page} is missing")
            continue
        for option in re.findall(r"^\s+(?:-\w, |    )?(--[a-z-]+)", help_of(bobbin, verb), re.M):
            if option not in text:
                ERRORS.append(f"{page} does not mention {option}")
    return len(verbs)


def main():
    os.chdir(ROOT)
    pages = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True))
    for page in pages:
        check_page(page)
    verbs = check_verbs(sys.argv[1]) if len(sys.argv) > 1 else 0
    print("\n".join(ERRORS) if ERRORS else f"{len(pages)} pages and {verbs} verbs are true to the tree")
    return 1 if ERRORS else 0


if __name__ == "__main__":
    sys.exit(main())
