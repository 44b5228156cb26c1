#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`check` says apart whether a trace is intact and whether the run in it is complete, by its exit
status and in words; `info` begins with the same words. Each case knows what is missing."""

import functools
import os
import sys

import harness as h
import mpi_events as m
import tables

suite = h.Suite("complete")
MPI = "openmpi"
COMPLETE, DAMAGED, USAGE, INCOMPLETE = 0, 1, 2, 3


def check(trace, *opts):
    r = h.bobbin("check", *opts, trace)
    return r.status, r.out.decode()


def verdict(trace, status, *lines):
    """check and info say these things are missing, and no more."""
    got, out = check(trace)
    missing = [x.removeprefix("missing ") for x in out.splitlines() if x.startswith("missing")]
    h.check(got == status and len(missing) == len(lines), f"status {got}\n{out}")
    for line, want in zip(missing, lines):
        h.check(want in line, f"no {want!r} in\n{out}")
    info = h.bobbin("info", trace).out.decode()
    said = [x.removeprefix("complete    no: ") for x in info.splitlines()
            if x.startswith("complete    no: ")]
    h.check(said == missing and ("complete    yes" in info) == (not missing), info)
    h.check(h.info(trace)["missing"] == missing, "info --json")
    quiet = check(trace, "-q")
    h.check(quiet[0] == status and bool(quiet[1]) == bool(status), f"check -q: {quiet}")


def children():
    return h.compile("children", ["children.c"], "gcc", ["-O1", "-Wall", "-Wextra", "-Werror"])


@functools.cache
def still():
    source = h.fresh("still") / "still.c"
    source.write_text("int main(void) { return 7; }\n")
    return h.compile("still", [source], "gcc", ["-static"])


def record(argv, opts=()):
    native = h.run(argv)
    r = h.record(argv, opts)
    h.same(native, r)
    return r.trace


@suite.case("all that ran is there")
def _():
    for how in ("exec", "spawn", "fork", "vfork"):
        verdict(record([children(), how, "/bin/true"]), COMPLETE)


@suite.case("nothing was recorded")
def _():
    verdict(record([children(), "spawn", "/bin/true"], ["-F", "no_such_function"]), INCOMPLETE,
            "nothing was recorded")


def child(how, mode):
    """A static program cannot be recorded."""
    line = "the program that replaced it (exec) left no trace" if how in ("exec", "fork") else \
        f"{still()}, started by process 0"
    verdict(record([children(), how, still()], mode), INCOMPLETE, line)


for how in ("exec", "spawn", "fork", "vfork"):
    for mode in ([], ["--mem"]):
        suite.add(f"a program that is not recorded, by {how} {' '.join(mode)}", child, how, mode)


@suite.case("programs that need not be recorded, and such as do not exist")
def _():
    trace = record([children(), "spawn", still()], ["--no-follow"])
    verdict(trace, COMPLETE)
    # posix_spawnp looks for it in every folder of PATH
    trace = record([children(), "spawn", "no-such-program"])
    verdict(trace, COMPLETE)


@suite.case("many children")
def _():
    script = f"for i in $(seq 30); do {still()}; done"
    trace = record(["/bin/bash", "-c", script])
    got, out = check(trace)
    missing = [x for x in out.splitlines() if x.startswith("missing")]
    h.check(got == INCOMPLETE and len(missing) == 9 and "and 22 more" in missing[-1], out)


@suite.case("a recording that stopped")
def _():
    import resource

    limit = (400 << 10, 400 << 10)
    r = h.record(["/bin/ls", "-R", "/usr/include"], ["--images=all", "--codec=none"],
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    h.check(r.status == 0, f"{r}\n{r.trace}")
    got, out = check(r.trace)
    h.check(got == INCOMPLETE and "recording stopped before the program: no space" in out, out)


@suite.case("files of ranks, taken away and damaged")
def _():
    trace = h.fresh("ranks") / "t"
    argv = [*m.mpirun(MPI, 4), h.BOBBIN, "record", "-q", "--images=main", "-o", trace, "--",
            m.program(MPI, "late.c"), "3"]
    r = h.run(argv, env=m.environment(MPI))
    h.check(r.status == 0, f"{r}")
    verdict(trace, COMPLETE)
    files = {p["rank"]: p["file"] for p in h.info(trace)["process_list"]}
    for rank in (1, 3):
        (trace / files[rank]).unlink()
    verdict(trace, INCOMPLETE, "ranks without a file: 1, 3 of 4")
    path = trace / files[2]
    path.write_bytes(path.read_bytes()[:4096 + 100])
    h.check(check(trace)[0] == DAMAGED, "a cut file")


def messages_of(rows):
    """The lines of text that these findings are."""
    return [
            f"{r['level']:7} {r['file'] + ': ' if r['file'] else ''}{r['text']}"
            f"{' at byte ' + r['offset'] if r['offset'] else ''}"
            for r in rows]


def findings(trace, status, *opts):
    """The findings in CSV; JSON has the same."""
    got, text = check(trace, *opts, "-f", "csv")
    rows = tables.lines(text)
    again, text = check(trace, *opts, "-f", "json")
    h.check(got == again == status, f"status {got} and {again}, not {status}\n{text}")
    tables.agree(rows, tables.objects(text), f"{opts}")
    return rows


@suite.case("findings as a table: programs without a trace")
def _():
    trace = record(["/bin/bash", "-c", f"for i in $(seq 30); do {still()}; done; kill -9 $$"])
    rows = findings(trace, INCOMPLETE)
    missing = [r for r in rows if r["level"] == "missing"]
    h.check([r["kind"] for r in missing] == 30 * ["replaced"]
            and len({r["process"] for r in missing}) == 30, f"{rows}")
    h.check(h.info(trace)["missing"] == [r["text"] for r in missing], "info has all")
    remarks = {r["kind"]: r for r in rows if r["level"] == "remark"}
    h.check(remarks["killed"]["process"] == "0" and int(remarks["no_end"]["count"]) == 1, f"{rows}")
    text = check(trace)[1].splitlines()
    shown = [r for r in rows if r not in missing[8:]]
    h.check(text[:-1] == [*messages_of(shown),
                          "missing ... and 22 more processes that were replaced"], f"{text}")
    h.check(findings(trace, INCOMPLETE, "-q") == missing, "check -q")
    h.check(findings(trace, INCOMPLETE, "--limit=3") == rows[:3], "check --limit")
    some = findings(trace, INCOMPLETE, "--sort=-name", "--columns=text")
    h.check([r["text"] for r in some] == sorted((r["text"] for r in rows), reverse=True), f"{some}")
    got, text = check(trace, "--columns=level,text", "--limit=4")
    h.check(got == INCOMPLETE and text.startswith("level    text\n")
            and text.endswith(" read: intact, but not complete\n")
            and f"... {len(rows) - 4} more findings; --limit=0 shows all\n" in text, text)
    got, text = check(trace, "--columns=help")
    h.check(got == COMPLETE and text.startswith("columns of the table findings:\n  level "), text)
    r = h.bobbin("check", "--sort=nothing_like_it", trace)
    h.check(r.status == USAGE and not r.out and b"no column 'nothing_like_it'" in r.err, f"{r}")


@suite.case("findings as a table: damage")
def _():
    trace = record([children(), "fork", "/bin/true"])
    for path in trace.glob("*.bob"):
        path.write_bytes(path.read_bytes()[:-100])
    rows = findings(trace, DAMAGED)
    lost = [r for r in rows if r["level"] == "lost"]
    h.check(lost and {r["file"] for r in lost} <= {p.name for p in trace.glob("*.bob")}, f"{rows}")
    h.check(any(r["offset"] for r in lost), f"{rows}")
    h.check(check(trace)[1].splitlines()[:-1] == messages_of(rows), f"{rows}")


@suite.case("usage")
def _():
    h.check(check(os.devnull, "--no-such-option")[0] == USAGE, "an option that is not there")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
