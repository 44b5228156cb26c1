#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inlined functions of accesses and of calls on the paths of events: all frames, their files and
lines against addr2line, for C and C++, two compilers, two versions of DWARF, split and compressed
debug information; traces of killed programs, and images with a part of their names."""

import functools
import os
import pathlib
import re
import subprocess
import sys

import harness as h

suite = h.Suite("mem_inlined")
BUILD = os.environ.get("BOBBIN_BUILD", str(h.ROOT / "build" / "release"))
COMPILERS = {"mem_inlined.c": ("gcc", "clang"), "mem_inlined.cc": ("g++", "clang++")}


@functools.cache
def reader():
    return str(h.compile("inlined_frames", ["inlined_frames.c"], "cc",
                         ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", h.ROOT / "include"],
                         [f"{BUILD}/lib/libbobbin.a", "-lzstd", "-pthread"]))


def demangled(names):
    r = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                       check=True)
    return dict(zip(names, r.stdout.splitlines()))


def frames(trace, path):
    """{pc: (location, [(function, location of its call)])} of the image, innermost first; a
    location is (file, line)."""
    r = h.run([reader(), str(trace)], timeout=240)
    h.check(r.status == 0, f"{r}")
    found, pc = {}, None
    for line in r.out.decode().splitlines():
        if not line.startswith("\t"):
            image, at, number, file = re.match(r"(\S+) 0x(\S+) (\d+) (.*)", line).groups()
            pc = int(at, 16) if image == str(path) else None
            if pc is not None:
                found[pc] = ((file, int(number)), [])
        elif pc is not None:
            where, function = line[1:].split("\t")
            number, file = where.split(" ", 1)
            found[pc][1].append((function, (file, int(number))))
    names = demangled(sorted({f for _, chain in found.values() for f, _ in chain}))
    return {pc: (at, [(names[f], where) for f, where in chain])
            for pc, (at, chain) in found.items()}


def location(text):
    m = re.match(r"(.*):(\d+|\?)", text)
    file, line = m[1], 0 if m[2] == "?" else int(m[2])
    return ("", 0) if file == "??" or not line else (os.path.normpath(file), line)


def by_addr2line(path, pcs):
    """{pc: ([functions], [locations])}, innermost first; the last function is not inlined. Each is
    asked for twice: if a function has no linkage name, GNU addr2line's first answer may have the
    name of the function around it."""
    r = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", str(path)],
                       input="\n".join(map(hex, [*pcs, *pcs])), capture_output=True, text=True,
                       check=True)
    found = {}
    for part in re.split(r"^0x", r.stdout, flags=re.M)[1:]:
        at, *lines = part.splitlines()
        found[int(at, 16)] = lines[::2], [location(line) for line in lines[1::2]]
    return found


def same_function(got, want):
    """addr2line omits the scope of functions without a linkage name."""
    return got == want or got.endswith("::" + want)


@functools.cache
def lines_in(file):
    path = pathlib.Path(file)
    return path.read_text(errors="replace").count("\n") if path.exists() else sys.maxsize


def is_possible(locations):
    """GNU addr2line 2.40 may have a line with another file."""
    return all(line <= lines_in(file) and not file.endswith("<artificial>")
               for file, line in locations if line)


def compare(trace, path, least):
    """The number of inlined frames."""
    got = frames(trace, path)
    want = by_addr2line(path, sorted(got))
    deepest, count, skipped, wrong = 0, 0, 0, []
    for pc, (at, chain) in got.items():
        functions, locations = want[pc]
        have = [at, *(where for _, where in chain)]
        have = [(os.path.normpath(file) if line else "", line) for file, line in have]
        if not is_possible(locations):
            skipped += 1
        elif have != locations or len(chain) != len(functions) - 1 or not all(
                same_function(f, w) for (f, _), w in zip(chain, functions)):
            wrong.append(f"{pc:#x}: {chain} {have}\n  not {functions} {locations}")
        deepest = max(deepest, len(chain))
        count += len(chain)
    h.check(skipped <= len(got) / 25 and is_possible(at for at, _ in got.values()),
            f"{path}: {skipped} of {len(got)} have impossible lines")
    h.check(not wrong, f"{path}: {len(wrong)} of {len(got)}:\n" + "\n".join(wrong[:4]))
    h.check(deepest >= least, f"{path}: {deepest} frames at most, of {len(got)} instructions")
    return count


def same(trace, path, other_trace, other_path):
    """Two programs whose code is the same; the number of inlined frames."""
    got, want = frames(trace, path), frames(other_trace, other_path)
    wrong = [(hex(pc), got[pc], want.get(pc)) for pc in got if got[pc] != want.get(pc)]
    h.check(not wrong, f"{path}: {len(wrong)} of {len(got)}, such as {wrong[:1]}")
    return sum(len(chain) for _, chain in got.values())


def program(source, compiler, *flags):
    h.need(compiler, "addr2line", "c++filt")
    return h.compile("mem_inlined", [source], compiler, ["-g", *flags])


def record(path, *options, status=0):
    r = h.record([path], ["--mem", *options], timeout=240)
    h.check(r.status == status, f"{r}")
    return r.trace


@suite.case("all frames of every access are those of addr2line: C and C++, GCC and clang, DWARF 4 "
            "and 5")
def chains():
    counts = []
    for source, least in (("mem_inlined.c", 3), ("mem_inlined.cc", 4)):
        for compiler in COMPILERS[source]:
            for flags in (["-O2", "-gdwarf-5"], ["-O3", "-gdwarf-4"], ["-O3", "-gdwarf-5"],
                          ["-O1", "-g1"]):
                if "clang" in compiler and "-g1" in flags:
                    continue  # no linkage names: GNU addr2line 2.40 has other functions' names
                path = program(source, compiler, *flags)
                if "clang" in compiler and "-gdwarf-4" not in flags:
                    # GNU addr2line 2.40 ignores some of clang's ranges in DWARF 5
                    other = program(source, compiler, "-gdwarf-4",
                                    *(f for f in flags if f != "-gdwarf-5"))
                    counts.append(same(record(path), path, record(other), other))
                    path = other
                counts.append(compare(record(path), path, least if flags[0] != "-O1" else 1))
    return f"{counts} frames"


@suite.case("compressed debug information, link-time optimisation, OpenMP, engine valgrind")
def kinds():
    counts = []
    for flags in (["-gz"], ["-flto"], ["-no-pie"]):
        path = program("mem_inlined.cc", "g++", "-O2", *flags)
        counts.append(compare(record(path), path, 4))
    for flags in (["-O2", "-fopenmp"], ["-O3", "-fopenmp", "-gdwarf-4"]):
        path = program("mem_inlined.c", "gcc", *flags)
        counts.append(compare(record(path), path, 3))
    path = program("mem_inlined.c", "gcc", "-O2")
    h.need("valgrind")
    counts.append(compare(record(path, "--engine=valgrind"), path, 3))
    return f"{counts} frames"


def build(folder, compiler, *flags):
    """Not in the folder of other programs: files with debug information stay beside it."""
    h.need(compiler, "c++filt")
    path = folder / "program"
    folder.mkdir()
    subprocess.run([compiler, "-g", "-O2", *flags, "-o", str(path),
                    str(h.PROG / "mem_inlined.cc")], check=True, cwd=folder)
    return path


@suite.case("split debug information: the frames of the same program without it")
def split():
    counts, folder = [], h.fresh("split")
    folder.mkdir(exist_ok=True)
    for compiler in ("g++", "clang++"):
        for version in ("-gdwarf-4", "-gdwarf-5"):
            at = f"{compiler}{version}"
            whole = build(folder / at, compiler, version)
            apart = build(folder / f"{at}-split", compiler, version, "-gsplit-dwarf")
            counts.append(same(record(apart), apart, record(whole), whole))
            h.check(counts[-1] > 100, f"{at}: {counts[-1]} frames")
    return f"{counts} frames"


def outside_of(header, functions, locations):
    """Without the innermost frames that are in the header."""
    n = 0
    while n < len(locations) - 1 and locations[n][0].endswith(header):
        n += 1
    return functions[n:], locations[n:]


@suite.case("events: the frames of the calls on their paths, without those of bobbin/events.h")
def events():
    h.need("g++", "addr2line", "c++filt")
    counts = []
    for flags in (["-O2", "-gdwarf-5"], ["-O3", "-gdwarf-4"]):
        path = h.compile("inlined", ["events/inlined.cc"], "g++",
                         ["-g", *flags, "-I", h.ROOT / "include"])
        r = h.record([path], ["--events"])
        h.check(r.status == 0, f"{r}")
        got = frames(r.trace, path)
        want = by_addr2line(path, sorted(got))
        seen = set()
        for pc, (at, chain) in got.items():
            functions, locations = outside_of("bobbin/events.h", *want[pc])
            have = [at, *(where for _, where in chain)]
            have = [(os.path.normpath(file), line) for file, line in have]
            h.check(have == locations and len(chain) == len(functions) - 1
                    and all(same_function(f, w) for (f, _), w in zip(chain, functions)),
                    f"{pc:#x}: {at} {chain}, not {functions} {locations}")
            seen.add(tuple(f for f, _ in chain))
        mark, twice = "solver::mark", "solver::twice<2>"  # mark may be inlined in parts
        names = {tuple(dict.fromkeys(chain)) for chain in seen}
        h.check({(mark,), (mark, twice), (twice,)} <= names, f"{names}")
        counts.append(len(got))
    return f"{counts} calls"


@suite.case("a killed program, and one that was folded later, have the same frames")
def killed():
    path = program("mem_inlined.c", "gcc", "-O2")
    whole = frames(record(path), path)
    r = h.record([path, "x"], ["--mem"])
    h.check(r.status == -9, f"{r}")
    h.check(h.bobbin("merge", "-q", r.trace).status == 0, "merge")
    for trace in (r.trace, record(path, "--codec=none")):
        got = frames(trace, path)
        h.check(got and all(whole[pc] == chain for pc, chain in got.items() if pc in whole),
                f"{got}")
        compare(trace, path, 3)


def lines_of(trace, *options):
    """Lines of accesses of show --expand."""
    r = h.bobbin("show", "--no-pager", "-x", "--lines=0", *options, trace)
    h.check(r.status == 0, f"{r}")
    return re.findall(r"^ *(?:load|store|atomic) .*", r.out.decode(), re.M)


@suite.case("show --expand -F and -N select the accesses of inlined functions")
def select():
    path = program("mem_inlined.cc", "g++", "-O2")
    trace = record(path)
    chains = frames(trace, path)
    out = h.bobbin("replay", "--mem", trace).out.decode()
    replayed = [int(pc, 16) for image, pc in
                re.findall(r"^(?:[\d.]+ )?[LSA] 0x\S+ \d+ (\S+)\+0x(\S+)$", out, re.M)
                if image == path.name]
    everything = len(lines_of(trace))
    for pattern, name in (("mesh::*::domain::force", "domain::force"), ("pair", "pair")):
        inside = sum(any(f.endswith(name) for f, _ in chains[pc][1]) for pc in replayed)
        got = lines_of(trace, "-F", pattern)
        h.check(len(got) == inside > 10, f"-F {pattern}: {len(got)}, not {inside}")
        rest = len(lines_of(trace, "-N", pattern))
        h.check(rest == everything - inside, f"-N {pattern}: {rest} of {everything}")
    r = h.bobbin("show", "--no-pager", "-x", "-F", "no_such_function", trace)
    h.check(r.status == 1 and b"no function fits" in r.err, f"{r}")


if __name__ == "__main__":
    sys.exit(suite.run())
