#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that no file uses a retired word: in identifiers, comments, strings, prose, names of files.

    tools/check_words.py [ROOT]

tools/words.txt is the list. Data is not checked: golden traces, fuzz corpora, the list itself. In
docs/GLOSSARY.md the words in quotes after `Retired:` must be in the list. Prints file:line: reason,
with line 0 for a file's name, and exits 1 if anything is wrong.
"""
import os
import re
import subprocess
import sys

LIST = "tools/words.txt"
GLOSSARY = "docs/GLOSSARY.md"
DATA = ("tests/golden/", "tests/fuzz/corpus/", "LICENSE", LIST)
# A word begins and ends next to anything but a letter, or where camelCase changes case.
EDGE = re.compile(r"(?<![A-Za-z])|(?![A-Za-z])|(?<=[a-z])(?=[A-Z])")
LOWER = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}     # keeps offsets, str.lower does not
# What may separate the words of a phrase: blanks, the start of a comment's next line, underscores.
BETWEEN = r"[\s*#/_]+"
ESCAPE = re.compile(r"\\[abfnrtv]")
RETIRED = re.compile(r"Retired:.*?(?=\||\n\s*\n|\Z)", re.S)


def split(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def read_lines(path):
    """(number, text) of each entry, which lines that begin with blanks continue; no comments."""
    number, text = 0, ""
    with open(path, encoding="utf-8") as f:
        for at, line in enumerate(f, 1):
            if not line.strip() or line.startswith("#"):
                continue
            if text and line[0].isspace():
                text += " " + line.strip()
                continue
            if text:
                yield number, text
            number, text = at, line.strip()
    if text:
        yield number, text


class Words:
    """The list: what to write instead of each spelling, and the permitted texts."""

    def __init__(self, path):
        self.entry = {}      # spelling: what to write instead
        permitted = []
        for number, line in read_lines(path):
            fields = [f.strip() for f in line.split(" | ")]
            if len(fields) not in (2, 3) or not all(fields):
                sys.exit(f"{path}:{number}: "
                         "not `spellings | what to write instead | permitted texts`")
            spellings = split(fields[0])
            for spelling in spellings:
                if spelling in self.entry:
                    sys.exit(f"{path}:{number}: {spelling} is in the list twice")
                self.entry[spelling] = fields[1]
            permitted += split(fields[2]) if len(fields) == 3 else []
        longest_first = sorted(self.entry, key=len, reverse=True)
        any_of = "|".join(BETWEEN.join(map(re.escape, s.split())) for s in longest_first)
        self.pattern = re.compile(f"({any_of})")
        self.permitted = re.compile("|".join(map(re.escape, permitted)) or "(?!)")

    def find(self, text):
        """(offset, spelling) of each retired word."""
        allowed = [m.span() for m in self.permitted.finditer(text)]
        text = ESCAPE.sub("  ", text)
        lower = text.translate(LOWER)
        at = 0
        while m := self.pattern.search(lower, at):
            whole = EDGE.match(text, m.start()) and EDGE.match(text, m.end())
            at = m.end() if whole else m.start() + 1
            if whole and not any(lo <= m.start() < hi for lo, hi in allowed):
                yield m.start(), " ".join(re.split(BETWEEN, m.group()))


def files():
    listed = subprocess.run(("git", "ls-files", "-z"), capture_output=True, text=True, check=True)
    for path in listed.stdout.split("\0"):
        if path and not path.startswith(DATA) and os.path.isfile(path):
            try:
                with open(path, encoding="utf-8") as f:
                    yield path, f.read()
            except UnicodeDecodeError:
                pass     # a binary


def blank_retired(words, text, errors):
    """The glossary without its notes of retired words, all of which the list must have."""
    for note in RETIRED.finditer(text):
        for word in re.findall(r'"([^"]+)"', note.group()):
            if " ".join(word.split()) not in words.entry:
                errors.append(f"{GLOSSARY}: retires \"{word}\", which is not in {LIST}")
    return RETIRED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check(words):
    errors = []
    checked = 0
    for path, text in files():
        checked += 1
        if path == GLOSSARY:
            text = blank_retired(words, text, errors)
        found = [(text.count("\n", 0, at) + 1, word) for at, word in words.find(text)]
        found += [(0, word) for _, word in words.find(path)]
        for number, word in found:
            errors.append(f"{path}:{number}: retired word \"{word}\"; write: {words.entry[word]}")
    return errors, f"{checked} files use no retired word"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(sys.argv[1] if sys.argv[1:] else os.path.dirname(here))
    errors, summary = check(Words(LIST))
    print("\n".join(errors) if errors else summary)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
