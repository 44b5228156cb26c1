# SPDX-License-Identifier: BSD-3-Clause
"""C sources with probes: written, compiled in all ways, run, and what their probes saw compared.

The recorder is that of tests/prog/source/log_probe.c: a line for each access. Operands of one line
of source have no order in C, so adjacent lines of the log that are of one line of source are
compared sorted."""

import itertools
import os
import re

import harness as h

TOOL = os.path.join(os.environ.get("BOBBIN_BUILD", str(h.ROOT / "build" / "release")), "tests",
                    "instrument_c")
PROBE = h.PROG / "source"
EXPORT = "-Wl,--export-dynamic-symbol=bobbin_probe_1"
h.link_fast()
WAYS = [(cc, level) for cc in ("gcc", "clang") for level in ("-O0", "-O1", "-O2", "-O3")]


def why_not():
    """Why C sources cannot be tried here; None: they can."""
    if not os.path.exists(TOOL):
        return f"no {TOOL}"
    return "no libclang" if b"libclang" in h.run([TOOL, "none.c"]).err else None


def instrument(text, *requests, flags=(), folder=None, status=0, name="a.c"):
    """(folder with a.c and new.c, result)"""
    folder = folder or h.fresh("source")
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    r = h.run([TOOL, name, *requests, "--", *flags], cwd=folder)
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    (folder / "new.c").write_bytes(r.out)
    return folder, r


def build(folder, source, cc="gcc", flags=("-w",)):
    exe = folder / f"{source}.{cc}"
    log = h.compile("log_probe.o", [PROBE / "log_probe.c"], cc,
                    ["-w", "-O1", "-fPIC", f"-I{h.ROOT}/include", "-c"])
    steps = [[cc, *flags, f"-I{h.ROOT}/include", source, log, EXPORT, "-o", exe, "-lm"]]
    # clang starts itself once more to compile and link, and takes longer for that than for the
    # work; it knows its sanitizers' libraries
    if cc == "clang" and not any("sanitize" in f for f in flags):
        steps = [[cc, *flags, f"-I{h.ROOT}/include", "-c", source, "-o", f"{exe}.o"],
                 ["gcc", f"{exe}.o", log, EXPORT, "-o", exe, "-lm"]]
    for step in steps:
        r = h.run(step, cwd=folder)
        h.check(r.status == 0, f"does not compile\n{r}")
    return exe


def accesses(exe):
    log = exe.with_suffix(".log")
    log.unlink(missing_ok=True)
    r = h.run([exe], env=h.environment({"BOB_TEST_LOG": str(log)}))
    return r, log.read_text() if log.exists() else ""


def canonical(lines):
    """Neighbours of one line of source, sorted."""
    rows = [line.split(None, 1) for line in lines]
    return [(at, sorted(b for _, b in group))
            for at, group in itertools.groupby(rows, key=lambda r: r[0])]


def check(text, expected, *requests, flags=()):
    """All compilers and levels see `expected`, and the program says what it said before."""
    folder, r = instrument(text, *requests, flags=flags)
    want = canonical(line.strip()
                     for line in expected.replace(";", "\n").splitlines() if line.strip())
    native = h.run([build(folder, "a.c", flags=("-w", *flags))])
    for cc, level in WAYS:
        exe = build(folder, "new.c", cc, ("-w", level, *flags))
        after, log = accesses(exe)
        h.same(native, after, f"{cc} {level}")
        got = canonical(log.splitlines())
        h.check(got == want,
                f"{cc} {level}: accesses differ\ngot  {got}\nwant {want}\n{r.out.decode()}")
    return r


def counts(r):
    return {k: int(v) for k, v in re.findall(r"([\w-]+) (\d+)", r.err.decode().splitlines()[0])}
