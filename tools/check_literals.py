#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check that no code is hidden from the compilers in string literals.

    tools/check_literals.py [ROOT]

Code that Bobbin writes into other files is a file of its own, compiled and tested as it is, and
embedded by BOB_EMBED (src/base/host/embed.h). So src and include may have no literal of 8 or more
source lines whose text is C or Fortran: 3 or more of its lines, or of the strings that it consists
of, end in a brace or semicolon, or begin or end a procedure of Fortran. Exit 1 and a line for each
such place.
"""
import os
import re
import sys

LINES_MAX = 7
CODE_MIN = 3
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|\w+|\s+|.', re.S)
C = r"[;{}][)\\]*\s*$"
FORTRAN = r"^\s*(?:end\s*)?(?:subroutine|function|module|interface|program)\b|^\s*end\s*$"
CODE = re.compile(f"{C}|{FORTRAN}", re.I)


def literals(text):
    """(first line, source lines, text) of each literal.

    Adjacent strings, and names between them, are one literal."""
    line, first, last, parts = 1, 0, 0, []
    for token in TOKEN.findall(text):
        if token[0] == '"':
            first, last = first or line, line
            parts.append(token[1:-1])
        elif not re.match(r"\s|\w|/[*/]", token) and parts:
            yield first, last - first + 1, "\\n".join(parts)
            first, parts = 0, []
        line += token.count("\n")


def is_code(text):
    return sum(bool(CODE.search(line)) for line in re.split(r"\\n", text)) >= CODE_MIN


def files(root):
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith((".c", ".h")))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(here)
    count = bad = 0
    for path in sorted(files(root)):
        count += 1
        with open(path, encoding="utf-8") as f:
            for first, lines, text in literals(f.read()):
                if lines > LINES_MAX and is_code(text):
                    bad += 1
                    print(f"{os.path.relpath(path, root)}:{first}: {lines} lines of code in a "
                          "string literal; make it a file and embed it")
    if not bad:
        print(f"{count} files without code in string literals")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
