#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""Fortran components that are allocatable or pointers, access by access, wherever they are
allocated, moved and freed."""
import re

import harness as h
import test_instrument_fortran as f

h.link_fast()
suite = h.Suite("instrument_components")


def fields(m):
    """What fields.f90 does with them: memory has the name of the component that it was seen by
    first."""
    def v(n, i, j):
        m.extent = n
        return 1 + i + n * (j - 1)

    def make(name, n):
        m.set(name, v(n, 0, 1), 1)

    def local(n):
        m.set("own%w", n, n)
        if n > 2:
            m.set("own%w", 1, 1)
            m.set("own%w", 2, 2)
        m.get("own%w", 2)
        m.set("own%w", 1, 0)

    make("f%v", 3)
    m.get("f%v", v(3, 0, 1))
    m.set("f%v", v(3, 2, 3), 1)
    for k in range(3):
        m.set("f%v", v(3, k, 2), k)
    m.get("f%v", 1)                     # scale
    m.set("f%v", 9, 2)
    for k in (1, 2, 3):                 # assigned
        m.set("f%w", k, k)
    m.get("f%w", 3)
    m.set("f%w", 2, 3)
    for k in (1, 2):
        m.get("f%w", k)
    for k in (1, 2):
        m.set("f%w", k, k)
    m.set("f%w", 2, 5)                  # after MOVE_ALLOC there and back
    # what `grow` does with its dummy is not reported: it allocated that
    m.set("f%w", 4, 1)
    m.set("f%in%one", 1, 3)
    m.set("f%in%p", 2, 1)
    m.set("f%w", 1, 3)                  # by the pointer
    m.get("h%w", 4)                     # copied with all of h
    make("f%v", 2)
    m.set("f%v", v(2, 1, 2), 4)
    m.set("f%v", 1, 6)
    make("g%level%v", 1)
    make("g%level%v", 2)
    m.get("g%level%v", 1)
    m.set("g%level%v", v(2, 1, 2), 1)
    m.set("g%level%v", v(2, 1, 1), 2)
    m.set("g%now", 1, 0)
    m.set("g%old", 3, 0)                # swapped: what is there keeps its name
    m.set("g%now", 2, 1)
    local(2)
    local(3)
    m.get("f%v", 1)


UNITS = {"f": "fields%", "h": "main:", "own": "local:", "g": "main:"}
PARTS = {"f%v": 8, "f%w": 8, "f%in%p": 8, "f%in%one": 4, "h%w": 8, "own%w": 8, "g%level%v": 8,
         "g%now": 8, "g%old": 8}


@suite.case("what components lead to is traced by their names")
def components():
    for how in [], ["--in-place"], ["--flat", "--no-hold"], ["--exact"]:
        m = f.Memory(**PARTS)
        fields(m)
        f.check("fields.f90", m, [f"variable {UNITS[name.split('%')[0]]}{name}" for name in PARTS],
                how=how, flags=(("-O0", "-fcheck=all"), ("-O2",)))


class Part(f.Memory):
    """Accesses of f%v(0:1,2) alone: `extent` is what its first dimension has at the time."""
    extent = 0

    def _row(self, kind, name, index, size):
        if (name == "f%v" and self.extent > 1 and index // self.extent == 1
                and index % self.extent < 2):
            super()._row(kind, name, index, size)


@suite.case("a part of what a component leads to")
def part():
    m = Part(**PARTS)
    fields(m)
    assert len(m.rows) == 3, m.rows
    f.check("fields.f90", m, ["variable fields%f%v(0:1,2)"], flags=(("-O0",), ("-O2",)))


def owners(m):
    m.set("k", 3, 3)
    m.get("k", 3)
    m.set("x", 2, 3)
    m.set("k", 2, 2)
    m.set("k", 1, 1)
    m.set("os%k", 2, 2)
    m.get("k", 2)
    m.set("os%k", 1, 2)
    m.set("os%k", 2, 5)
    m.get("os%k", 2)
    m.set("os%x", 2, 5)
    m.set("head", 1, 7, 4)
    for i in (1, 2, 3):
        m.set("head%v", i, i)
    for i in (3, 2, 1):
        m.get("head%v", 1)
        m.get("head%next", 1, 4)
        m.set("head%v", 1, 0)
    m.set("head%v", 2, 2)               # the list has it now, and not before
    for k in (1, 2):
        m.get("k", k)
    m.get("head", 1, 4)
    m.get("head%v", 2)
    m.get("x", 2)


@suite.case("objects with procedures, arrays of them, a list")
def objects():
    for how in [], ["--flat", "--no-hold"], ["--exact"]:
        m = f.Memory(k=4, x=8, **{"os%k": 4, "os%x": 8, "head": 136, "head%next": 136, "head%v": 4})
        owners(m)
        f.check("owners.f90", m, ["variable o%k", "variable o%x", "variable os%k", "variable os%x",
                                  "variable head"], how=how,
                flags=(("-O0", "-fcheck=all"), ("-O2",)))


def mixed(m):
    for k in (1, 2, 3, 4):
        m.set("b%v", k, 1)
    m.get("b%v", 2)                     # go
    m.set("b%v", 1, 1)
    m.set("c%v", 1, 3)
    for k in (1, 2, 3, 4):
        m.set("l%v", k, 1)
    m.set("b%v", 3, 3)
    m.get("b%v", 4)
    m.set("b%v", 2, 1)
    m.set("l%v", 1, 2)
    m.set("l%v", 2, 3)
    m.get("l%v", 4)
    m.set("l%v", 3, 1)
    m.set("b%v", 4, 4)
    for k in (3, 4):
        m.get("b%v", k)
    for k in (1, 2):
        m.set("b%v", k, k + 2)
    for k in (1, 2, 3, 4):
        m.get("b%v", k)
    for k in (2, 4):                    # b%v is 3, 4, 3, 4
        m.set("b%v", k, 2)
    for k in (1, 4):
        m.set("b%v", k, 9)
    for k in (3, 4):
        m.set("b%v", k, k - 2)
    for name in ("b%v", "c%v"):
        for k in (1, 2, 3, 4):
            m.get(name, k)


@suite.case("beside what is not traced, under other names, WHERE and FORALL")
def beside():
    for how in [], ["--flat", "--no-hold"]:
        m = f.Memory(**{"b%v": 8, "c%v": 8, "l%v": 8})
        mixed(m)
        f.check("mixed.f90", m, ["variable mixed%b%v", "variable main:c%v", "variable l%v"],
                how=how, flags=(("-O0", "-fcheck=all"), ("-O2",)))


@suite.case("bounds that are components of what loops write others of")
def bounds():
    m = f.Memory(**{"f%v": 8, "f%k": 4})

    def v(i, j):
        return i + 4 * (j - 1)
    for j in (1, 2, 3, 4):
        for i in (1, 2, 3, 4):
            m.set("f%v", v(i, j), i + j)
    for i in (1, 2, 3, 4):
        m.set("f%k", i, i)
    for i in (1, 2, 3, 4):
        m.get("f%v", v(i, 1))
        m.set("f%v", v(3, i), 0)
    for i in (1, 2, 3):                 # next(2) is 3 in the first trip, then 4
        m.set("f%v", v(3 if i < 2 else 4, i), 0)
    for i in (1, 2, 3):                 # 4, then 2 by the pointer
        m.set("f%v", v(4 if i < 2 else 2, i), 0)
    for j in (1, 2, 3, 4):
        for i in (1, 2, 3, 4):
            m.get("f%v", v(i, j))
    for i in (1, 2, 3, 4):
        m.get("f%k", i)
    for how, nests in ([], 3), (["--flat", "--no-hold"], 0):
        out = f.check("bounds.f90", m, ["variable main:f%v", "variable main:f%k"], how=how,
                      flags=(("-O0", "-fcheck=all"), ("-O2",)))
        calls = re.findall(r"call bobbin_\w+_n\(", (out / "bounds.f90").read_text())
        h.check(len(calls) == nests, str(calls))


UNDEFINED = """program undefined
  implicit none
  type item
    integer, allocatable :: v(:)
    type(item), pointer :: next => null()
  end type
  integer :: n
  call dirty(n)
  call begin(n)
  print *, n
contains
  subroutine dirty(n)
    integer, intent(out) :: n
    integer(8) :: there(64)
    there = 4096 + [(n, n = 1, 64)]
    n = int(mod(sum(there), 7_8))
  end subroutine
  subroutine begin(n)
    integer, intent(inout) :: n
    type(item), pointer :: p, q, r
    n = n + 1
    call make(p)
    call make(q)
    r => p
    r%v(1) = 5
    n = n + p%v(1) + q%v(2)
    deallocate (p, q)
  end subroutine
  subroutine make(p)
    type(item), pointer :: p
    allocate (p)
    allocate (p%v(2))
    p%v = 1
  end subroutine
end program
"""


@suite.case("pointers that have no value when a procedure begins")
def undefined():
    for flags in (["-O0"], ["-O2"]):
        folder = h.fresh("undefined")
        (folder / "u.f90").write_text(UNDEFINED)
        r = h.run([h.BOBBIN, "instrument", "-o", "out"], cwd=folder,
                  stdin=b"trace file u.f90\ntrace variable *\n")
        h.check(r.status == 0, str(r))
        for argv in (["gfortran", *flags, "u.f90", "-o", "plain"],
                     ["gcc", "-Iout", "-c", "out/u_probes.c"],
                     ["gfortran", "-Wall", "-Werror=c-binding-type", *flags, "out/u.f90",
                      "u_probes.o", "-o", "u"]):
            r = h.run(argv, cwd=folder)
            h.check(r.status == 0, str(r))
        r = h.record([str(folder / "u")], ["--source"])
        h.same(h.run([folder / "plain"]), r)
        rows = re.findall(rb"(?m)^([LS]) .* [pqr]%v in [a-z]+([(].*)$",
                          h.bobbin("replay", "--mem", "--subscripts", r.trace).out)
        h.check([b" ".join(row) for row in rows]
                == [b"S (1)", b"S (2)", b"S (1)", b"S (2)", b"S (1)", b"L (1)", b"L (2)"],
                str(rows))


if __name__ == "__main__":
    raise SystemExit(suite.run())
