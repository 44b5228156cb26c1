# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of copies of procedures share, C and Fortran: what a trace has by site, and what
`bobbin instrument` says."""
import re

import harness as h

ACCESS = re.compile(r"(?:(\d+\.\d+) )?([LS]) \S+ (\d+) (\S+)\+0x([0-9a-f]+) ?(.*)")


def run(*argv, folder, text="", status=0):
    r = h.run(argv, env=h.environment(), cwd=folder, stdin=text.encode())
    h.check(r.status == status, str(r))
    return r.out.decode()


def replay(trace, sites):
    """Kind and bytes, variable with subscripts, line, column and function of each access; sites:
    {file: [(line, column, function)]}."""
    rows = []
    r = h.bobbin("replay", "--mem", "--subscripts", trace)
    if r.status == 1 and b"has no memory accesses" in r.err:
        return rows
    h.check(r.status == 0, str(r))
    for line in r.out.decode().splitlines():
        m = ACCESS.match(line)
        h.check(m or line.startswith("#"), line)
        if m:
            rows.append((m[1], m[2], m[3], m[6], m[4], *sites[m[4]][int(m[5], 16) - 1]))
    return rows


def said_of(text, word="copies"):
    """{file: number} of that column."""
    lines = text[re.search(r"^file +variables", text, re.M).start():].splitlines()
    column = re.split(r"  +", lines[0].strip()).index(word)
    rows = [line.split() for line in lines[1:lines.index("")]]
    return {r[0].rsplit("/", 1)[-1]: int(r[column].replace(",", "")) for r in rows}
