#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that no file uses a retired word: in identifiers, comments, strings, prose, names of files.

    tools/check_words.py [ROOT]            the check
    tools/check_words.py --count [ROOT]    the words left in the paths that are not yet checked

tools/words.txt is the list. tools/words_pending.txt has the prefixes of paths that are not yet
checked; a prefix under which no retired word is left is an error, so that list only shrinks. Data is
not checked: golden traces, fuzz corpora, the list itself. In docs/GLOSSARY.md the words in quotes
after `Retired:` must be in the list. Prints file:line: reason and exits 1 if anything is wrong.
"""
import collections
import os
import re
import subprocess
import sys

LIST = "tools/words.txt"
PENDING = "tools/words_pending.txt"
GLOSSARY = "docs/GLOSSARY.md"
DATA = ("tests/golden/", "tests/fuzz/corpus/", "LICENSE", LIST, PENDING)
# A word begins and ends next to anything but a letter, or where camelCase changes case.
EDGE = re.compile(r"(?<![A-Za-z])|(?![A-Za-z])|(?<=[a-z])(?=[A-Z])")
LOWER = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}     # keeps offsets, str.lower does not
# What may be between the words of a phrase: blanks, the start of a comment's next line, an underscore.
BETWEEN = r"[\s*#/_]+"
ESCAPE = re.compile(r"\\[abfnrtv]")
RETIRED = re.compile(r"Retired:.*?(?=\||\n\s*\n|\Z)", re.S)
C_TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*")', re.S)
SCRIPT_TOKEN = re.compile(r'(?P<string>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
                          r'|(?P<comment>#[^\n]*)')
C_NAMES = (".c", ".h", ".S", ".def", ".inc", ".cc", ".cpp", ".cl")
PROSE_NAMES = (".md", ".1", ".txt", ".svg")


def split(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def read_lines(path):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.strip()


class Words:
    """The list: what to write instead of each spelling, and the permitted texts."""

    def __init__(self, path):
        self.entry = {}      # spelling: (first spelling of its line, what to write instead)
        permitted = []
        for number, line in read_lines(path):
            fields = [f.strip() for f in line.split(" | ")]
            if len(fields) not in (2, 3) or not all(fields):
                sys.exit(f"{path}:{number}: not `spellings | what to write instead | permitted texts`")
            spellings = split(fields[0])
            for spelling in spellings:
                if spelling in self.entry:
                    sys.exit(f"{path}:{number}: {spelling} is in the list twice")
                self.entry[spelling] = (spellings[0], fields[1])
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
    listed = subprocess.run(("git", "ls-files", "-z"), capture_output=True, text=True, check=True).stdout
    for path in listed.split("\0"):
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


def kind_of(path, text, at):
    """Where an offset is: comment, string, identifier or prose."""
    if path.endswith(PROSE_NAMES):
        return "prose"
    for token in (C_TOKEN if path.endswith(C_NAMES) else SCRIPT_TOKEN).finditer(text):
        if token.start() <= at < token.end():
            return token.lastgroup
        if token.start() > at:
            break
    return "identifier"


def folder_of(path):
    parts = path.split("/")[:-1]
    return "/".join(parts[:2]) or path


def check(words, counts=False):
    errors = []
    pending = {prefix: 0 for _, prefix in read_lines(PENDING)} if os.path.exists(PENDING) else {}
    count = collections.defaultdict(collections.Counter)
    checked = 0
    for path, text in files():
        if path == GLOSSARY:
            text = blank_retired(words, text, errors)
        found = [(0, text.count("\n", 0, at) + 1, at, word) for at, word in words.find(text)]
        found += [(1, 0, at, word) for at, word in words.find(path)]
        under = [prefix for prefix in pending if path.startswith(prefix)]
        checked += not under
        for prefix in under:
            pending[prefix] += len(found)
        for is_name, number, at, word in found:
            first, instead = words.entry[word]
            if under and counts:
                kind = "file name" if is_name else kind_of(path, text, at)
                count[first][folder_of(path), kind] += 1
            elif not under:
                errors.append(f"{path}:{number}: retired word \"{word}\"; write: {instead}")
    errors += [f"{PENDING}: no retired word is left in {prefix}; remove the line"
               for prefix, left in pending.items() if not left]
    return errors, count, f"{checked} files use no retired word; {sum(pending.values())} are left in {PENDING}"


def print_count(count):
    for title, key in (("by word and kind", lambda first, folder, kind: (first, kind)),
                       ("by folder and kind", lambda first, folder, kind: (folder, kind))):
        rows = collections.defaultdict(collections.Counter)
        for first, places in count.items():
            for (folder, kind), n in places.items():
                row, column = key(first, folder, kind)
                rows[row][column] += n
        kinds = ("identifier", "comment", "string", "prose", "file name")
        print(f"{title:<28}" + "".join(f"{k:>12}" for k in (*kinds, "all")))
        for row, n in sorted(rows.items(), key=lambda item: -sum(item[1].values())):
            print(f"  {row:<26}" + "".join(f"{n[k]:>12,}" for k in kinds) + f"{sum(n.values()):>12,}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--count"]
    os.chdir(arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    errors, count, summary = check(Words(LIST), "--count" in sys.argv)
    if "--count" in sys.argv:
        print_count(count)
        return 0
    print("\n".join(errors) if errors else summary)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
