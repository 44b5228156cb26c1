#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that every #include follows tools/layers.txt: parts may only look down.

    tools/check_layers.py [ROOT]

A line of the table is `part: what it may include`, lowest part first; an entry with a slash allows
one header instead of a part. Also checked: a quoted include names a file that exists, the installed
headers include nothing but each other, and the libraries that read images and disassemble stay in
plan. Prints file:line: reason and exits 1 if anything is wrong.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PLAN_ONLY = re.compile(r"^(Zydis/|elfutils/|libelf\.h|gelf\.h|dwarf\.h)")


ERRORS = []


def wrong(path, number, text):
    ERRORS.append(f"{path}:{number}: {text}")


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            part, _, allowed = line.partition(":")
            allowed = allowed.split()
            for entry in allowed:
                if entry.split("/")[0] not in table:
                    wrong(path, number, f"{part} may include {entry}, which is not below it")
            table[part] = allowed
    return table


def sources(folder):
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".S", ".def", ".inc")):
                yield os.path.join(base, name)


def includes(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        for number, line in enumerate(f, 1):
            found = INCLUDE.match(line)
            if found:
                yield number, found.group(1), found.group(2)


def check_part_include(root, part, allowed, path, number, quote, name):
    if PLAN_ONLY.match(name) and part != "plan":
        wrong(path, number, f"{name} belongs to part plan alone")
    if name.startswith("bobbin/"):
        if not os.path.exists(os.path.join(root, "include", name)):
            wrong(path, number, f"{name} does not exist")
        return
    target = name.split("/")[0]
    in_tree = os.path.exists(os.path.join(root, "src", name))
    if in_tree and target != part and target not in allowed and name not in allowed:
        wrong(path, number, f"{part} may not include {name}")
    beside = os.path.exists(os.path.join(os.path.dirname(path), name))
    if quote == '"' and not in_tree and not beside:
        wrong(path, number, f"{name} does not exist")
    if ".." in name.split("/"):
        wrong(path, number, f"{name} climbs out of its folder; name it from src/")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, ".."))
    table = read_table("tools/layers.txt")
    count = 0
    for part in sorted(os.listdir("src")):
        if part not in table and any(sources(f"src/{part}")):
            wrong(f"src/{part}", 0, "part is not in tools/layers.txt")
    for part, allowed in table.items():
        for path in sources(f"src/{part}"):
            count += 1
            for number, quote, name in includes(path):
                check_part_include(".", part, allowed, path, number, quote, name)
    for path in sources("include"):
        count += 1
        for number, quote, name in includes(path):
            if quote == '"' and not name.startswith("bobbin/"):
                wrong(path, number, f"an installed header may not include {name}")
    print("\n".join(ERRORS) if ERRORS else f"{count} files respect tools/layers.txt")
    return 1 if ERRORS or not count else 0


if __name__ == "__main__":
    sys.exit(main())
