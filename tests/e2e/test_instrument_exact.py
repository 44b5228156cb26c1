#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""bobbin instrument --exact: what expressions read is reported when it is evaluated, if it is, and
what they write after that. Programs whose functions change what is around them, and every access of
them, in order, written down here by hand."""
import re
import shutil
import subprocess

import harness as h
import test_instrument as i
import test_source_clones as clones

h.link_fast()
suite = h.Suite("instrument_exact")


def instrument(name, requests, how="--exact"):
    """A directory with the instrumented copy, and what was said."""
    out = h.fresh("exact") / "out"
    r = subprocess.run([str(h.BOBBIN), "instrument", how, "-o", str(out)],
                       input="\n".join([f"trace file {name}", *(f"trace {w}" for w in requests)])
                       + "\n", text=True, capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r.stderr
    return out, r.stdout


def lines_of_sites(text):
    rows = re.search(r"bob_probe_site \w+\[\] ?= ?\{\n(.*?)\n\{0,", text, re.S)[1].splitlines()
    return [int(row[1:].split(",")[0]) for row in rows]


def reported(exe, sites, name):
    """"12 L a(3)" of each access; the program's output is that of the plain one."""
    trace, text = i.accesses(exe, [], name)
    out = subprocess.run([str(h.BOBBIN), "replay", "--mem", "--subscripts", str(trace)],
                         capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^([LS]) 0x[0-9a-f]+ \d+ \S+\+0x([0-9a-f]+) (.*)$", out, re.M)
    return [f"{sites[int(pc, 16) - 1]} {kind} {what.split('::')[-1]}"
            for kind, pc, what in rows], text


def fortran(name, requests, level):
    """What is reported of the program, in order."""
    h.need("gfortran")
    out, said = instrument(name, requests)
    subprocess.run(["gfortran", "-w", str(h.PROG / "source" / name), "-o", "plain"], check=True,
                   cwd=out)
    want = subprocess.run([str(out / "plain")], capture_output=True, text=True, check=True).stdout
    exe = i.build_fortran(out, name, [level])
    stem = name.split(".")[0]
    rows, text = reported(exe, lines_of_sites((out / f"{stem}_probes.c").read_text()), "t" + level)
    assert text == want, (text, want)
    return rows, said


def compare(rows, text, **shorts):
    """The text has an access after the other, `;` between; `B` is what shorts says
    that it represents."""
    want = [w.strip() for part in text.replace("\n", " ").split(";")
            for w in shorts.get(part.strip(), part).split(";") if w.strip()]
    assert rows == want, next(((k, g, w) for k, (g, w) in enumerate(zip(rows, want)) if g != w),
                              (rows[len(want):], want[len(rows):]))


# bump(): n = n + by; bump = n
BUMP = "8 L n; 8 S n; 9 L n"
FREE = """36 L a(1); B; 36 L a(3); 36 S b(2); B; 37 S a(3); B; 38 L a(4); B; 38 L a(1); 38 S b(1);
39 L idx(1); 39 S idx(3); 40 S i; 41 L i; %s 42 L i; %s 42 L a(2); 42 S b(3); 18 L a(1); 43 L l(1);
B; 45 L a(2);
47 L idx(2); 47 L a(1); 47 L l(2); 48 S b(4); B; 50 L a(3); 51 L n;
53 L a(6); 53 L idx(2); 14 L a(1); 14 S a(1);
54 S i; 54 L i; 54 S i; 54 L i; 54 S i; 54 L idx(2); 54 L c(1); 54 L a(2); B; 54 L a(3); B;
B; 55 L a(3); 57 L t(1) +8; 57 L z(1); 57 L z(2); 57 L idx(2); 57 S t(2);
59 L t(2) +16; 59 L a(2); 59 S t(1) +16;
B; 60 L idx(2); 60 L c(2); 60 L c(2) +1; 60 S c(1) +2;
61 L idx(2); 61 L a(2); B; 61 S i; 62 L i; 62 L l(1); 62 L i; 62 L a(1); 62 L i; 62 S b(1); 61 S i;
64 L a(1); 64 L a(2); 64 L l(2); 64 S l(1); 71 L p in most; 71 L q in most; 71 S most in most"""


@suite.case("Fortran: operands, functions in subscripts, conditions, short circuit, left sides")
def free_form():
    requests = ["variable n from 1 to 64", "variable * from 36 to 64", "variable most:*"]
    for level in ("-O2", "-O1", "-O3"):
        rows, said = fortran("exact.f90", requests, level)
        compare(rows, FREE % ("", ""), B=BUMP)
    assert "no probe at" not in said, said
    assert re.search(r"exact\.f90:54: reported before the statement at 1 place: the index of an "
                     r"implied DO", said), said
    # without optimization gfortran evaluates both operands of .and. and .or.
    rows, _ = fortran("exact.f90", requests, "-O0")
    compare(rows, FREE % ("41 L i; 41 L l(4);", "42 L i; 42 L l(4);"), B=BUMP)


NEXT = "33 L /c/n; 33 S /c/n; 34 L /c/n"
FIXED = """8 S /c/n; B; 12 S j; 13 S a(1); B; 13 L a(2); B; 12 S j; 13 S a(2); B; 13 L a(4); B;
14 L a(3); B; 16 L idx(2); 17 S a(2);
18 L idx(3); 18 L x(2); 18 L idx(2); 18 L a(1); 18 L idx(2); 18 L a(1); 18 L x(1); 18 L x(1);
18 L x(2); 18 L x(3); 19 L x(4); 18 L idx(2); 18 S x(1);
21 L a(1); 21 L a(2); 21 L a(3); 21 L a(4); 21 L a(5); 21 L a(6); 22 L a(7); 22 L a(8);
22 L a(1); 22 L a(2); 22 L a(3); 22 L a(4); 22 L a(5); 22 L a(6);
22 L a(7); 23 L a(8); 21 S verylongnameofanarrayone(1); 24 L a(1); B; B; 24 L a(2); B;
26 L a(2); B; 27 L a(3); B; 27 L a(8); 27 S a(3);
28 L idx(2); B; 29 L verylongnameofanarrayone(1)"""


@suite.case("Fortran: fixed form, lines up to column 72 and continued ones, labels, jumps")
def fixed_form():
    for level in ("-O0", "-O2"):
        rows, said = fortran("exact_fixed.f",
                             ["variable n", "variable j", "variable verylongnameofanarrayone",
                              "variable idx", "variable a from 11 to 27",
                              "variable x from 11 to 27"], level)
        compare(rows, FIXED, B=NEXT)
    assert ("exact_fixed.f:13: reported before the statement at 1 place: no line can follow this "
            "assignment") in said, said


@suite.case("Fortran: what cannot be reported within its expression is reported before the "
            "statement, with a note")
def the_rest():
    said = instrument("masked.f90", ["variable *"])[1]
    found = {why: int(n) for n, why in re.findall(r"reported before the statement at (\d+) "
                                                  r"places?: (.*)", said)}
    for why in ("in a pure procedure or DO CONCURRENT", "under WHERE or FORALL",
                "an array, or a part of one", "the index of an implied DO"):
        assert found.get(why, 0) > 0, said
    plain = instrument("masked.f90", ["variable *"], "--flat")[1]
    assert "reported before" not in plain, plain
    # nothing is lost: as many references have probes
    counts = [[int(n) for n in re.search(r"^masked\.f90 +\d+ +(\d+) +(\d+)", text, re.M).groups()]
              for text in (said, plain)]
    assert sum(counts[0]) >= sum(counts[1]), counts


def all_reported(folder, name, how):
    """Everything that is reported of the program's `a`, without its order."""
    out, said = instrument(folder / name, ["variable a"], how)
    # copies of procedures
    assert clones.said_of(said) and sum(clones.said_of(said).values()) > 0, said
    exe = i.build_fortran(out, name, ["-O2"])
    rows, text = reported(exe, lines_of_sites((out / f"{name.split('.')[0]}_probes.c").read_text()),
                          "t")
    return sorted(rows), text


@suite.case("Fortran: procedures with copies: the same accesses as without --exact")
def copies():
    h.need("gfortran")
    folder = h.fresh("exact")
    for name, text in (("internal.f90", clones.INTERNAL), ("fixed.f", clones.FIXED)):
        (folder / name).write_text(text)
        flat, exact = (all_reported(folder, name, how) for how in ("--flat", "--exact"))
        assert flat[1] == exact[1], (flat[1], exact[1])
        assert len(flat[0]) > 50 and flat[0] == exact[0], (len(flat[0]), len(exact[0]),
                                                           [x for x in zip(flat[0], exact[0])
                                                            if x[0] != x[1]][:3])


OBJECTS = """module m
  type base
    integer :: n = 0
  contains
    procedure :: up
  end type
contains
  subroutine up(this)
    class(base) :: this
    this%n = this%n + 1
  end subroutine
  integer function next(k)
    integer :: k
    k = k + 1
    next = k
  end function
end module
program main
  use m
  type(base) :: a, arr(3)
  integer :: k = 1
  arr = a
  a = arr(2)
  arr(2:3) = arr(1:2)
  arr(next(k)) = a
  arr(k)%n = 5
  arr%n = 6
  print *, a%n, arr(2)%n
end program
"""


@suite.case("Fortran: arrays of types with procedures, as a whole, have no probe, as without "
            "--exact; one of them has")
def arrays_of_objects():
    h.need("gfortran")
    folder = h.fresh("exact")
    (folder / "arrays.f90").write_text(OBJECTS)
    refused = "an array of a type with procedures, as a whole"
    for how in ("--flat", "--exact"):
        out, said = instrument(folder / "arrays.f90", ["variable a", "variable arr"], how)
        assert f":22: no probe at 3 places: {refused}" in said, (how, said)
        rows, _ = reported(i.build_fortran(out, "arrays.f90", ["-O2"]),
                           lines_of_sites((out / "arrays_probes.c").read_text()), "t")
        compare(rows, "22 L a; 23 L arr(2); 23 S a; 25 L a; 25 S arr(2); 26 S arr(2); 27 S arr(1); "
                "27 S arr(2); 27 S arr(3); 28 L a; 28 L arr(2)")


ADD = "9 L n; 9 S n; 10 L n"
EXPRESSIONS = """22 L a[0]; 22 L a[3]; 22 S b[0]; 23 L a[1]; 23 S b[1]; 24 L a[4]; B;
24 L a[1]; 24 L a[5]; 24 S b[2]; B; 25 L a[2]; 25 S a[2]; 26 S n; %s
29 L a[1]; 29 S b[0]; 29 L a[2]; 29 S b[1]"""
# by what their sum was: from the left, or from the right
ARGUMENTS = {6: "B; 27 L a[1]; B; 27 L b[2];", 4: "B; 27 L b[1]; B; 27 L a[2];"}


@suite.case("C: &&, ||, ?:, the comma, +=, arguments, and loops, none of which is reported at once")
def in_c():
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    assert compilers
    for cc in compilers:
        for level in ("-O0", "-O2"):
            out, said = instrument("exact.c", ["variable n", "variable a from 22 to 29",
                                               "variable b from 22 to 29"])
            assert re.search(r"^exact\.c +3 +\d+ +\d+ +0 +0 ", said, re.M), said  # no nests
            plain = i.build(out, [h.PROG / "source" / "exact.c"], "plain", cc, [level])
            want = subprocess.run([str(plain)], capture_output=True, text=True, check=True).stdout
            rows, text = reported(i.build(out, ["exact.c"], "x", cc, [level]),
                                  lines_of_sites((out / "exact.c").read_text()), "t")
            assert text == want, (text, want)
            compare(rows, EXPRESSIONS % ARGUMENTS[int(text.split()[-1])], B=ADD)


def main():
    i.add_torture(suite, "--exact")
    return suite.run()


if __name__ == "__main__":
    raise SystemExit(main())
