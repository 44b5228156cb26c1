#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory
"""Fortran statements whose probes need something around them: what each does with its variables is
computed here again, access by access."""
import re
import subprocess

import harness as h
import test_instrument as i
import test_instrument_code as code

h.link_fast()
suite = h.Suite("instrument_fortran")


class Memory:
    """Variables by name, with the values that a Python program gives them; each access is written
    down."""

    def __init__(self, **sizes):
        self.names, self.sizes, self.rows, self.at = list(sizes), sizes, [], {}

    def _row(self, kind, name, index, size):
        self.rows.append((kind, size or self.sizes[name], self.names.index(name),
                          index * (size or self.sizes[name])))

    def get(self, name, index=1, size=None):
        self._row("load", name, index - 1, size)
        return self.at.get((name, index), 0)

    def set(self, name, index, value, size=None):
        self._row("store", name, index - 1, size)
        self.at[name, index] = value

    def peek(self, name, index=1):
        return self.at.get((name, index), 0)


def check(name, memory, requests, flags=(("-O0", "-fcheck=bounds"), ("-O3",)), **kw):
    """The accesses of the program are those of the memory, whatever the compiler made of it, and
    its output is that of the plain program."""
    h.need("gfortran")
    stem = name.split(".")[0]
    out = i.instrument(stem, [f"trace file {name}", *(f"trace {w}" for w in requests)],
                       [name, f"{stem}_probes.c"], **kw)
    plain = out / "plain"
    subprocess.run(["gfortran", "-w", str(h.PROG / "source" / name), "-o", str(plain)], check=True,
                   cwd=out)
    want = subprocess.run([str(plain)], capture_output=True, text=True, check=True).stdout
    for level in flags:
        trace, text = i.accesses(i.build_fortran(out, name, level), [], "t" + "".join(level))
        assert text == want, (text, want)
        rows = i.replayed(trace)
        assert rows == memory.rows, next(((n, g, w) for n, (g,
                                                            w) in enumerate(zip(rows, memory.rows))
                                          if g != w), (len(rows), len(memory.rows)))
    return out


def where_statements(m):
    def load(name, indices):
        for k in indices:
            m.get(name, k)

    def store(name, indices, value):
        for k in indices:
            m.set(name, k, value(k))
    every = range(1, 7)
    store("a", every, lambda k: 0)
    store("b", every, lambda k: 1)
    load("a", every)
    load("b", every)
    store("a", every, lambda k: m.peek("b", k))
    m.set("a", 2, -5)
    m.set("a", 4, -7)
    a = {k: m.peek("a", k) for k in every}
    load("a", every)
    load("a", [k for k in every if a[k] > 0])
    store("b", [k for k in every if a[k] > 0], lambda k: a[k] + 1)
    load("a", [k for k in every if a[k] <= 0])
    store("b", [k for k in every if a[k] < -6], lambda k: 0)
    rest = [k for k in every if -6 <= a[k] <= 0]
    load("a", rest)
    store("b", rest, lambda k: -a[k])
    load("a", rest)
    store("a", [k for k in rest if a[k] == -5], lambda k: 9)
    load("b", every)
    load("b", every)
    bound = sum(m.peek("b", k) for k in every) // 100
    store("b", [k for k in every if m.peek("b", k) > bound], lambda k: 3)
    for j in (1, 2, 3):
        for k in (1, 2):
            m.set("m", k + 2 * (j - 1), 10 * k + j)
    picked = [k for k in (1, 2, 3) if m.peek("a", k) > 0]
    load("a", (1, 2, 3))
    store("a", picked, lambda k: k)
    for k in picked:
        m.get("a", k)
    # one statement for all indices, then the next: what it writes is reported after what it reads
    store("b", [k + 1 for k in picked], lambda k: m.peek("a", k - 1))


def lists_and_texts(m):
    for k in (1, 2):
        m.set("k", 1, k)
        for name in "ab":
            m.get("k")
            m.get(name, k)
    m.set("k", 1, 3)
    for k in range(1, 7):
        m.get("m", k)
    m.set("text", 1, "2 7 8", 8)
    m.get("text", 1, 8)
    for k in (1, 2):
        m.set("k", 1, k)
        m.get("k")
        m.set("b", k, 6 + k)
    m.set("k", 1, 3)
    for k in (3, 4, 5):
        m.set("text", k, "abc"[k - 3])
    m.get("text", 4)
    m.get("text", 3)
    m.set("text", 1, "a")
    for k in (1, 2):
        m.get("text", k)
    for k in (1, 2):
        m.set("long", k, "a ")
    for k in (5, 6, 7):
        m.set("k", 1, k)
        # after .and. and .or. what needs no other element is reported whether it is evaluated or
        # not
        m.get("k")
        m.get("k")
        if k <= 6:
            m.get("a", k)
        m.get("k")
        m.get("b", 3)
        if k <= 6:
            m.get("a", m.peek("b", 3))
    m.set("k", 1, 8)


def rest(m):
    m.get("a", 1)
    m.set("a", 2, m.peek("a", 1))
    m.get("b", 1)
    m.set("b", 2, m.peek("b", 1))
    m.get("b", 3)
    for k in (1, 2, 3):
        m.get("b", k)
        m.set("a", k, m.peek("b", k) + 1)
    for k in (1, 2, 3):
        m.get("a", k)
    # what a statement writes is reported before what the functions do that it calls
    m.set("a", 1, 0)
    m.get("a", 2)
    for k in (2, 3):
        m.set("a", k, 0)
    for k in (2, 3):
        m.get("b", k)
    for name in ("a", "b", "m"):
        for k in range(1, 7):
            m.get(name, k)
    m.get("text", 1, 8)
    for k in (1, 2):
        m.get("long", k)


@suite.case("WHERE, FORALL, implied DO, texts, .and., optional arguments, PURE, DO CONCURRENT, "
            "several statements on a line")
def masked():
    m = Memory(a=4, b=4, m=4, k=4, text=1, long=1)
    where_statements(m)
    lists_and_texts(m)
    rest(m)
    check("masked.f90", m, ["variable masked:a", "variable masked:b", "variable masked:m",
                            "variable masked:k", "variable text", "variable long"])


def entries_and_ifs(m):
    def late():
        m.get("a", 3)
        m.set("t", 2, m.peek("a", 3))
        m.get("t", 2)
        m.get("t", 2)
        m.set("a", 3, m.peek("t", 2) - 1)
    for k in (1, 2, 3):
        m.set("a", k, k)
        if k % 2:
            m.set("t", 1, 2)
            m.get("a", 2)
            m.get("t", 1)
            m.set("a", 2, 0)
            m.get("a", 1)
            late()
    late()
    m.get("a", 1)
    m.set("a", 1, 42)
    m.set("a", 3, 43)
    m.get("a", 1)
    m.set("a", 2, 42)
    m.get("a", 3)
    for k in (1, 2):
        m.set("q", k, 4 + k)
    for k in (1, 2, 3):
        m.set("q", k, 6 + k)
    for name in ("a", "q"):
        for k in (1, 2, 3):
            m.get(name, k)


def blocks_left(m):
    def loops(i):
        m.get("i")
        for k in range(1, 5):
            m.set("inner", k, i)
        m.get("inner", 3)
        m.set("k", 1, i)
        m.get("k")
        for k in range(1, i + 1):
            m.set("t", k, 2)
        m.get("s")
        m.get("t", 1)
        m.set("s", 1, m.peek("s") + 2)
        m.get("i")
        if i == 2:
            return True
        for j in (1, 2):
            m.set("j", 1, j)
            m.get("j")
            if j == 2:
                break
            m.get("j")
            m.get("j")
            m.set("inner", 1, 7)
        m.set("j", 1, j)  # reported after each loop, however it was left
        m.get("i")
        if i == 3:
            return False
        m.get("s")
        m.get("inner", 1)
        m.set("s", 1, m.peek("s") + 7)
        m.get("s")
        m.get("i")
        m.set("a", i, m.peek("s"))
        return True
    for k in range(1, 5):
        m.set("a", k, 1)
    m.set("s", 1, 0)
    m.set("n", 1, 3)
    for i in range(1, 5):
        m.set("i", 1, i)
        if not loops(i):
            break
    m.set("i", 1, i)
    m.get("n")  # the r of f has no name where f is left from within the block: it is not reported
    m.set("r", 1, 5)
    m.get("n")
    m.get("kept")
    m.set("q", 2, 3)
    m.get("q", 2)
    m.set("kept", 1, 4)
    m.get("kept")
    m.get("s")
    m.set("a", 1, 13)
    m.get("a", 1)
    m.get("s")


@suite.case("BLOCK: names that hide others, left by CYCLE, EXIT, RETURN and at its end")
def blocks():
    m = Memory(i=4, j=4, n=4, a=4, s=4, inner=4, k=4, t=4, kept=4, q=4, m=4, hidden=4, r=4)
    blocks_left(m)
    check("blocks.f90", m, ["variable *"], (("-O0", "-fcheck=all"), ("-O3",)))


@suite.case("subscripts that are arrays: an access for each element, in their order")
def vectors():
    m = Memory(a=4, b=4, kdx=4)
    idx, jdx = (5, 1, 3), (2, 4)

    def each(method, name, indices):
        for k in indices:
            getattr(m, method)(name, k, *([0] if method == "set" else []))
    each("set", "a", range(1, 7))
    each("set", "b", range(1, 21))
    each("get", "a", idx)
    each("set", "a", idx)
    each("get", "a", idx)
    each("set", "b", [2 + 4 * (j - 1) for j in idx])
    each("set", "b", [i + 4 * (j - 1) for j in idx for i in jdx])
    each("get", "b", [i + 4 for i in jdx])
    each("get", "a", [1])
    each("set", "a", jdx)
    each("get", "a", idx)
    each("set", "a", jdx)
    each("set", "b", [i + 4 for i in jdx])
    each("set", "b", [i + 4 * (j - 1) for j in jdx for i in jdx])
    each("get", "kdx", (1, 2, 3))
    each("set", "kdx", (2, 3, 1))
    each("get", "a", range(1, 7))
    out = h.fresh("instrument_fortran") / "said"
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out)],
                       input="trace file vectors.f90\ntrace variable a\ntrace variable b\n"
                       "trace variable kdx\n", text=True, capture_output=True,
                       cwd=h.PROG / "source")
    assert re.search(r"vectors\.f90:20: no probe at 2 places: a subscript is an array that is no "
                     r"name alone", r.stdout), r.stdout
    assert re.search(r"vectors\.f90:24: no probe at 1 place: a subscript is an array, under WHERE "
                     r"or FORALL", r.stdout), r.stdout
    check("vectors.f90", m, ["variable a", "variable b", "variable kdx"],
          (("-O0", "-fcheck=all"), ("-O3",)))


@suite.case("names of intrinsic functions as other names, functions that only a type declares, "
            "lengths before attributes")
def names():
    m = Memory(e=4, d=4, k=4)
    m.set("k", 1, 2)
    m.get("k")  # if (k > 2)
    m.set("e", 1, 0)
    m.get("e")
    for index in (1, 2, 2):
        m.set("d", index, 0)
    for name, index in (("d", 1), ("d", 2), ("k", 1), ("d", 1), ("d", 2)):
        m.get(name, index)
    out = check("names.f90", m, ["variable e", "variable main:d", "variable main:k",
                                 "code at subroutine level"])
    assert (out / "names.f90").read_text().count("external f") == 3
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out) + "2"],
                       input="trace file names.f90\ntrace variable hidden\n", text=True,
                       capture_output=True, cwd=h.PROG / "source")
    assert (r.returncode == 0
            and "a variable where lbound is another name" in r.stdout), r.stdout + r.stderr


@suite.case("components of whole arrays: pointers, allocatable, CLASS, a mask")
def parts():
    m = Memory(a=12, t=12, b=4)

    def each(method, name, indices, member):
        for k in indices:
            m.rows.append((method, 4, m.names.index(name), 12 * (k - 1) + 4 * member))
    three = (1, 2, 3)
    each("store", "a", three, 0)
    each("load", "a", three, 0)
    each("store", "a", three, 1)
    for k in three:
        m.set("b", k, 0)
    each("load", "a", three, 1)
    each("store", "a", three, 2)
    each("load", "a", three, 2)
    each("load", "a", (2, 3), 0)
    for k in (2, 3):
        m.set("b", k, k)
    each("store", "t", three, 0)
    each("load", "t", three, 0)
    each("load", "a", three, 0)
    each("load", "t", three, 1)
    each("store", "a", three, 1)
    each("load", "a", three, 0)
    each("load", "a", three, 1)
    for k in three:
        m.get("b", k)
    each("load", "t", three, 0)
    check("parts.f90", m, ["variable parts:a", "variable parts:t", "variable parts:b"],
          (("-O0", "-fcheck=all"), ("-O3",)))


@suite.case("SELECT TYPE: what is selected has the type that was found")
def selected():
    m = Memory(a=16, b=32, c=32, i=4, t=4)

    def at(method, name, offset, size=4):
        m.rows.append((method, size, m.names.index(name), offset))

    def w(method):
        at(method, "b", 16, 8)
        at(method, "b", 24, 8)
    at("load", "a", 0)
    at("store", "a", 8)
    at("load", "b", 0)
    at("store", "b", 16, 8)
    at("load", "b", 16, 8)
    w("load")
    w("store")
    at("store", "b", 0)
    at("load", "b", 0)
    at("store", "b", 16, 8)
    at("load", "b", 16, 8)
    for k in (5, 6):
        m.get("i", 1)
        m.set("i", 2, k)
        m.get("i", 2)
        if k == 5:
            for method in ("load", "store"):
                at(method, "i", 0)
                at(method, "i", 4)
    for k in range(4):
        at("store", "t", k, 1)
    at("load", "c", 32 + 12)
    at("store", "c", 32 + 24, 8)
    for k in (4, 8, 12):
        at("load", "a", k)
    w("load")
    for name in "it":
        for k in (1, 2):
            m.get(name, k)
    at("load", "c", 32 + 16, 8)
    at("load", "c", 32 + 24, 8)
    check("selected.f90", m, [f"variable selected:{name}" for name in "abcit"])


@suite.case("objects: variables of types with procedures, type-bound calls, generic names, "
            "operators")
def objects():
    m = Memory(a=12, b=12, h=12, w=24, c=12, k=4)

    def at(method, name, offset, size=4):
        m.rows.append((method, size, m.names.index(name), offset))

    def add(name, offset, passed=False):
        at("load", name, offset)
        if passed:
            at("load", "k", 0)
        at("store", name, offset)
        at("load", name, offset + 4)
        at("store", name, offset + 8)
        if passed:
            at("load", "k", 0)
        at("store", name, offset + 4)
    add("a", 0, True)
    add("b", 12)
    at("store", "a", 0)
    add("w", 0)
    add("w", 12)
    add("h", 12)
    at("store", "h", 0)
    at("load", "k", 0)
    for k in (2, 1):
        m.get("k", k)
        m.set("k", k, 0)
    at("load", "a", 0, 12)
    at("load", "b", 12, 12)
    at("store", "c", 0, 12)
    at("load", "a", 0)  # in the operator's function
    at("load", "b", 12)
    at("load", "c", 0, 12)
    at("store", "w", 12, 12)
    at("store", "b", 24)
    for name, offsets in (("a", (0,)), ("b", (0, 12, 24)), ("c", (0,)), ("h", (0, 12)),
                          ("w", (0, 12)), ("k", (0, 4))):
        for offset in offsets:
            at("load", name, offset)
    check("objects.f90", m, [f"variable objects:{name}" for name in "abhwck"],
          (("-O0", "-fcheck=all"), ("-O3",)))


@suite.case("an ENTRY that is called, pointers to procedures, a module with a name of the "
            "language's own")
def called():
    m = Memory(k=4)
    m.set("k", 1, 0)
    m.set("k", 2, 0)
    m.get("k", 1)  # in the function
    m.get("k", 2)
    m.set("k", 3, 0)
    for k in (1, 2, 3):
        m.get("k", k)
    out = check("called.f90", m, ["variable k", "code at subroutine level"])
    text = (out / "called.f90").read_text()
    assert "external late" not in text, text
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", str(out) + "2"],
                       input="trace file called.f90\ntrace variable *\n", text=True,
                       capture_output=True, cwd=h.PROG / "source")
    assert r.returncode == 0, r
    i.build_fortran(h.pathlib.Path(str(out) + "2"), "called.f90", ["-O1"])


def once_each(program, count, parts=()):
    """The program stores to each element of t, in their order, then to parts of others, and prints
    them: variable and offset."""
    m = Memory(t=8, **{name: 8 for name, _ in parts})
    for k in range(count):
        m.set("t", k + 1, 0)
    for name, offset in parts:
        m.set(name, offset // 8 + 1, 0)
    for k in range(count):
        m.get("t", k + 1)
    for name, offset in parts:
        m.get(name, offset // 8 + 1)
    for how in ({}, {"how": ["--in-place"]}, {"how": ["--flat"]}):
        check(program, m, [f"variable main:{v}" for v in m.names], **how)


@suite.case("procedures that are arguments, pointers, components, entries, or have other names by "
            "USE")
def reached():
    once_each("reached.f90", 11)


@suite.case("pointers that are passed in components, in arguments and from functions, and point to "
            "parts")
def pointed():
    once_each("pointed.f90", 9, (("d", 24), ("c", 40)))


@suite.case("ENTRY, and IFs of one line that call, read, return, allocate, and ask functions")
def entries():
    m = Memory(a=4, q=4, t=4)
    entries_and_ifs(m)
    check("entries.f", m, ["variable main:a", "variable q", "variable early:t",
                           "code at subroutine level"])


@suite.case("what is not understood stays as it is, and is said; so is an INCLUDE that is not "
            "there")
def mistakes():
    folder = h.fresh("instrument_fortran")
    broken = ("      subroutine broken(a)\n      include 'nowhere.inc'\n      integer a(3)\n"
              "      a(1 = 3\n      a(2) = 4\n      end\n")
    (folder / "two.f").write_text(broken
                                  + "      subroutine good(a)\n      integer a(3), b\n      b = 1\n"
                                  "      a(2) = b\n      end\n")
    r = subprocess.run([str(h.BOBBIN), "instrument", "-o", "out"],
                       input="trace file two.f\ntrace variable *\n", text=True, capture_output=True,
                       cwd=folder)
    assert r.returncode == 0, r.stderr
    assert "two.f:4: unknown statement: its unit is not instrumented" in r.stdout, r.stdout
    assert "two.f:2: this INCLUDE was not found" in r.stdout, r.stdout
    text = (folder / "out" / "two.f").read_text()
    assert text.startswith(broken) and text.count("call bobbin_") > 3, text


@suite.case("functions in subscripts and expressions are called once, and are events")
def functions():
    m = Memory(a=4)
    m.at = {("a", k): k for k in range(1, 5)}
    m.get("a", 1)
    m.set("a", 2, 4)
    for k in (1, 2):
        m.set("a", k, 0)
    m.get("a", 3)  # take
    m.set("a", 3, 8)
    for _ in range(2):
        for k in (1, 2, 3, 4):
            m.get("a", k)
        if _ == 0:
            m.set("a", 4, 0)
    out = check("functions.f90", m, ["variable functions:a", "code at subroutine level"])
    trace = str(out / "t-O3.trace")
    # pick is called 14 times, but once in another's arguments, and once after .and.
    for name, last in (("pick", 12), ("half", 3), ("take", 1)):
        for n in (last, last + 1):
            r = subprocess.run([str(h.BOBBIN), "replay", "--mem", f"--between=..{name}:{n}", trace],
                               capture_output=True, text=True)
            assert (r.returncode == 0) == (n == last), (name, n, r)


class Turns(Memory):
    """`a` of turns.f90 and turns.f, and how often what is called is."""

    def __init__(self):
        super().__init__(a=4)
        self.at = {("a", k): k for k in range(1, 7)}
        self.calls, self.trips = 0, {}

    def a(self, k):
        return self.get("a", k)

    def add(self, k, n):
        self.set("a", k, self.a(k) + n)

    def pick(self, n):
        self.calls += 1
        return n

    def trip(self, line):
        self.trips[line] = self.trips.get(line, 0) + 1
        return True


def turns_free():
    t = Turns()
    a, pick, trip = t.a, t.pick, t.trip
    for i in (1, 2, 3, 4):
        trip(6)
        if a(i) != 1 and a(pick(i)) != 2:
            a(5)
            if a(i) != 3:
                pick(i)
    for i in (2, 4, 6):
        trip(16)
        if a(i) == 2:
            continue
        if a(i) == 4:
            a(1)
            a(2)
            break_at = True
        else:
            break_at = pick(6) != 6
        if not break_at:
            a(2)
    k = 0
    while a(pick(k + 1)) < 6 and trip(30):
        k += 1
        if a(k) != 2 and a(k) == 4:
            break
    while a(k) > 1 and trip(35):
        k -= 1
        if k == 3:
            continue
        if k == 2:
            break
        t.add(6, k)
    while True:
        a(4)  # after .or., reported in any case
        if not (k < 3 or t.peek("a", 4) == 0):
            break
        trip(41)
        while a(3) == 3 and trip(44):
            t.set("a", 3, 0)
        k += 1
    if a(1) != 0 and pick(2) != 1 and a(1) == 1:
        pass
    pick(k)
    a(4)
    a(pick(2))
    for i in range(pick(2), pick(3) + 2, pick(1)):
        trip(68)
        t.add(i, i)
    for i in range(1, pick(2) + 1):
        trip(71)
        for k in range(1, pick(1) + 1):
            trip(72)
            t.add(k, 1)
    pick(4)
    pick(2)
    pick(1)
    for k in range(1, 7):
        a(k)
    return t


def turns_fixed():
    t = Turns()
    a, pick, trip = t.a, t.pick, t.trip
    for i in (1, 2, 3, 4):
        trip(9)
        if a(i) == 1 or a(pick(i)) == 2:
            continue
        a(5)
        if a(i) != 3 and pick(i) != 4:
            a(4)
    k = 0
    while a(pick(k + 1)) < 6 and trip(31):
        k += 1
        if a(k) != 2 and a(k) == 4:
            break
    for i in (1, 2):
        trip(36)
        while a(i) < 3 and trip(37):
            t.add(i, 1)
    for i in range(pick(1), pick(2) + 1):
        trip(39)
        t.add(i, 1)
    for k in range(1, 7):
        a(k)
    return t


@suite.case("ELSE IF, DO WHILE, SELECT, DO, ALLOCATE that call functions: each is an event, once")
def turned():
    for name, unit, t, left_out in (("turns.f90", "turns", turns_free(), 2),
                                    ("turns.f", "turnsf", turns_fixed(), 1)):
        out = check(name, t, ["variable a", "code at loop level", "code at subroutine level"])
        subprocess.run([str(h.BOBBIN), "record", "-q", "--source", "--events", "-o", "t", "--",
                        "./turns-O3"], check=True, cwd=out, stdout=subprocess.DEVNULL)
        got = code.report(out)
        assert got.pop("pick")[0] == t.calls - left_out, (got, t.calls)
        assert {k: v[1] for k, v in got.items()} == {f"loop {line} in {unit}": n
                                                     for line, n in t.trips.items()}, (got, t.trips)


@suite.case("components: by names of ASSOCIATE, and of what CLASS passes")
def components():
    m = Memory(b=4)

    def i(at=0):  # of the wide itself, or of its points: which element of b
        return 5 * at + 1

    def v(k, at=0):
        return i(at) + k
    for read, written in ((i(), v(1)), (v(3), v(2, 2)), (v(4), v(3, 2)), (v(2, 2), i(2)),
                          (i(1), v(4, 1)), (i(), v(3, 1)), (v(2), i()), (v(2, 2), i(2))):
        m.get("b", read)
        m.set("b", written, 0)
    for at in (0, 1, 2):
        for k in (i(at), *(v(n, at) for n in (1, 2, 3, 4))):
            m.get("b", k)
    check("components.f90", m, ["variable b"])


def several_files():
    """Name, element, bytes and kind of each access of the program in several/."""
    rows = []

    def touch(kind, name, index=1, size=8):
        rows.append((kind, f"{name}({index})" if name in ("w", "c", "field::grid", "field::limits")
                     else name, size))
    for k in (1, 2, 3, 4):
        touch("S", "field::grid", k)
        touch("S", "w", k)
    touch("S", "/blk/first")
    touch("L", "field::limits", 2)
    for k in (1, 2, 3, 4):  # scale
        touch("L", "w", k)
        touch("L", "/blk/first")
        touch("S", "w", k)
    touch("S", "field::grid", 4)
    touch("L", "w", 2)  # inner
    touch("S", "w", 2)
    touch("L", "w", 3)
    touch("S", "c", 2, 16)
    touch("L", "c", 2, 16)
    touch("S", "c", 1, 16)
    touch("L", "c", "1) +8")  # update
    touch("S", "c", "1) +8")
    for name in ("w", "field::grid"):
        for k in (1, 2, 3, 4):
            touch("L", name, k)
    touch("L", "/blk/first")
    touch("L", "c", "1) +8")
    return [(k, n.replace("+8)", "+8"), s) for k, n, s in rows]


@suite.case("several files: modules under other names, COMMON, what is passed to procedures of "
            "another file")
def files():
    h.need("gfortran")
    folder = h.PROG / "source" / "several"
    names = ("field.f90", "driver.f90", "kernel.f")
    requests = ["trace file several/field.f90", "trace variable grid", "trace variable limits",
                "trace file several/driver.f90", "trace variable w", "trace variable /blk/first",
                "trace variable c", "trace file several/kernel.f"]
    for order in (requests, requests[3:7] + requests[:3] + requests[7:]):
        out = i.instrument("several", order, names)
        subprocess.run(["gfortran", "-w", *[str(folder / n) for n in names], "-o", "plain"],
                       check=True, cwd=out)
        want = subprocess.run(["./plain"], capture_output=True, text=True, check=True,
                              cwd=out).stdout
        probes = [f"{n.split('.')[0]}_probes.c" for n in names]
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", f"-I{out}", "-c", *probes],
                       check=True, cwd=out)
        subprocess.run(["gfortran", "-w", "-O2", "-fcheck=all", *names,
                        *[p.replace(".c", ".o") for p in probes], "-o", "program"], check=True,
                       cwd=out)
        trace, text = i.accesses(out / "program", [], "several")
        assert text == want, (text, want)
        shown = subprocess.run([str(h.BOBBIN), "replay", "--mem", "--subscripts", str(trace)],
                               capture_output=True, text=True, check=True).stdout
        got = [(r[0], r[4], int(r[2]))
               for r in (line.split(" ", 4) for line in shown.splitlines() if line[0] in "LS")]
        assert got == several_files(), next(((n, g, w) for n, (g,
                                                               w) in enumerate(zip(got,
                                                                                   several_files()))
                                             if g != w), (len(got), shown))


@suite.case("EQUIVALENCE: what begins before a variable and shares its storage")
def equivalence():
    """Each access is in the tables, as an element, or as one before or after the elements of what
    was declared first of the storage."""
    h.need("gfortran")
    out = i.instrument("equivalence",
                       ["trace file equivalence.f", *(f"trace variable {v}" for v in "zxyvu")],
                       ["equivalence.f", "equivalence_probes.c"])
    trace, text = i.accesses(i.build_fortran(out, "equivalence.f", ("-O0", "-std=legacy")), [], "t")
    said = h.bobbin("arrays", trace).out.decode()
    total = int(re.search(r": ([\d,]+) access", said)[1].replace(",", ""))
    rows = [(m[1], int(m[2]), int(m[3])) for m in re.finditer(r"^\S*(\w)\(.*\n  (\d+) reads?, "
                                                              r"(\d+) writes?;", said, re.M)]
    counted = sum(r + w for _, r, w in rows)
    h.check(total == counted == 25 + 4 + 6 + 7,
            f"{total} accesses, {counted} in the tables\n{said}")
    of_x = said.split("\nx(")[1].split("\n\n")[0]
    # Y(1,1), Y(2,1), Y(3,1), and Y(1,1) again
    h.check("  4 of them before its elements" in of_x, said)
    places = h.bobbin("replay", "--mem", "--subscripts", trace).out.decode()
    h.check(all(f"x{{{k} before}}" in places for k in (1, 2, 3)), places)


if __name__ == "__main__":
    raise SystemExit(suite.run())
