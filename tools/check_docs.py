#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that the documents are true to the tree: the files, headings and names that they refer to
exist, links lead from README.md to every page of docs/, and every option that `bobbin VERB --help`
knows is in the verb's man page. Lines have at most 100 columns, except for table rows, code blocks
and lines with a URL.

    tools/check_docs.py [BOBBIN]

Without a program only the pages themselves are checked.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"#{1,6} +(.*)")
NAME = re.compile(r"`((?:src|include|tools|tests|docs|bench|cmake)/[A-Za-z0-9_./+-]+)`")
COLUMNS = 100
ERRORS = []
ANCHORS = {}
TARGETS = {}


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read().splitlines()


def blocks(lines):
    """(number, line, whether it is code) of each line.

    A fence, or indentation after a blank line, begins code."""
    fenced, code, blank = False, False, True
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith("```")
        if line.strip():
            code = line.startswith("    ") and (code or blank)
        blank = not line.strip()
        yield number, line, code or fenced or fence
        fenced ^= fence


def anchors(page):
    """The anchors that the headings of a page have, as GitHub makes them."""
    if page not in ANCHORS:
        found = {}
        for _, line, code in blocks(lines_of(page)):
            heading = None if code else HEADING.fullmatch(line)
            if heading:
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
                name = re.sub(r"[^\w -]", "", text).replace(" ", "-")
                found[name] = found.get(name, -1) + 1
        ANCHORS[page] = {f"{name}-{n}" if n else name
                         for name, most in found.items() for n in range(most + 1)}
    return ANCHORS[page]


def check_link(page, number, path, anchor):
    if "://" in path or path.startswith("mailto:"):
        return
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    TARGETS.setdefault(page, set()).add(target)
    if not os.path.exists(target):
        ERRORS.append(f"{page}:{number}: link to {path}, which does not exist")
    elif anchor and target.endswith(".md") and anchor not in anchors(target):
        ERRORS.append(f"{page}:{number}: link to {path}#{anchor}, but {target} has no such heading")


def check_columns(page, number, line):
    if len(line.rstrip()) > COLUMNS:
        ERRORS.append(f"{page}:{number}: more than {COLUMNS} columns")


def check_page(page):
    for number, line, code in blocks(lines_of(page)):
        if not code and not line.startswith("|") and "://" not in line:
            check_columns(page, number, line)
        for path, anchor in LINK.findall(line):
            check_link(page, number, path, anchor)
        for name in NAME.findall(line):
            if not os.path.exists(name.rstrip(".")):
                ERRORS.append(f"{page}:{number}: names {name}, which does not exist")


def check_reach(pages):
    reached, new = set(), {"README.md"}
    while new:
        reached |= new
        new = set().union(*(TARGETS.get(page, ()) for page in new)) - reached
    ERRORS.extend(f"{page}: no links lead there from README.md"
                  for page in pages if page not in reached)


def help_of(bobbin, *words):
    p = subprocess.run((bobbin, *words, "--help"), capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
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
    check_reach(pages)
    for page in sorted(glob.glob("docs/man/*.1")):
        for number, line in enumerate(lines_of(page), 1):
            check_columns(page, number, line)
    verbs = check_verbs(sys.argv[1]) if len(sys.argv) > 1 else 0
    print("\n".join(ERRORS) if ERRORS else
          f"{len(pages)} pages and {verbs} verbs are true to the tree")
    return 1 if ERRORS else 0


if __name__ == "__main__":
    sys.exit(main())
