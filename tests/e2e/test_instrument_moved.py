#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""Fortran variables that procedures allocate, free and move for their callers, access by access."""
import harness as h
import test_instrument_fortran as f

h.link_fast()
suite = h.Suite("instrument_moved")


def moved(m):
    """What moved.f90 does with them: names are those of the program, whatever a procedure calls
    them."""
    def field(i, j):
        return 1 + i + 4 * (j - 1)

    def make(name, n):
        m.set(name, 1, n)

    def local(n):
        make("own", n)
        m.set("own", 2, n)
        if n > 2:
            m.get("own", 1)
            m.set("own", 2 * n, 4)
        m.get("own", 2)
        m.set("own", 1, 0)

    m.set("field", field(0, 1), 1)
    m.set("field", field(1, 1), 2)
    m.set("field", field(0, 1), 1)
    for _ in range(2):
        make("g", 3)
        m.set("g", 3, 2)
        make("f", 5)
        m.set("f", 5, 3)
        m.get("g", 1)
        m.set("f", 2, 0)
    m.get("g", 1)                       # grow
    m.set("g", 8, 4)
    m.set("g", 2, 1)
    for k in range(1, 8):               # assigned
        m.set("g", k, 4 + k)
    m.get("g", 6)
    m.set("g", 7, 10)
    m.get("g", 7)
    m.set("g", 1, 10)
    m.set("g", 7, 7)                    # plain
    m.set("f", 1, 1)
    m.set("p", 2, 4)
    m.set("p", 1, 3)
    m.set("p", 2, 0)
    m.get("p", 1)
    m.set("p", 2, 0)                    # by another pointer, which then gives it back
    local(2)
    local(3)
    m.set("f", 6, 1)                    # quiet
    m.get("f", 6)
    m.set("f", 1, 1)
    m.get("field", field(1, 1))
    m.get("g", 1)
    m.get("f", 1)


REQUESTS = ["variable moved:field", "variable moved:f", "variable moved:g", "variable moved:p",
            "variable local:own"]


@suite.case("allocated, freed and moved by procedures that are passed it")
def procedures():
    for how in [], ["--in-place"], ["--flat", "--no-hold"], ["--exact"]:
        m = f.Memory(field=8, f=8, g=8, p=8, own=8)
        moved(m)
        f.check("moved.f90", m, REQUESTS, how=how)


if __name__ == "__main__":
    raise SystemExit(suite.run())
