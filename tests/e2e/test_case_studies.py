#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The case studies of examples/: they build with make, verify themselves on 1 and on 4 ranks, do
the same recorded and by events and hooks, and what is recorded is right; what docs/case-studies.md
says of their concerns is so."""
import json
import sys

import harness as h
import mpi_events as m

suite = h.Suite("case_studies", jobs=1)
CASES = {"is": ("perf", "verified"), "amr": ("aux", "conserved"), "tfidf": ("comm", "verified")}
EVENTS = {"is": ["draw_keys"], "amr": ["pour", "run", "burst", "step"], "tfidf": ["idf"]}
NOT_TRACED = {"Init", "Finalize", "Comm_rank", "Comm_size"}


def build(mpi, case):
    out = h.fresh("case")
    # GCC takes MPICH's MPI_STATUSES_IGNORE for memory
    flags = ("-O2 -Wall -Wextra -Werror -Wno-stringop-overflow")
    r = h.run(["make", "-C", h.ROOT / "examples" / case, f"OUT={out}", f"MPICC={m.compiler(mpi)}",
               f"CFLAGS={flags}"])
    h.check(r.status == 0, f"{r}")
    return out


def arguments(case, out, name):
    """The program's arguments; it writes to files that begin with NAME."""
    if case == "tfidf":
        return [out / "corpus"]
    return [{"is": "S", "amr": "2"}[case], out / name]


def verified(r, case):
    h.check(r.status == 0 and CASES[case][1] in r.out.decode(), f"{r}")
    return r


def same_result(case, out, one, four, what):
    """Nothing depends on the number of ranks but what is said of them."""
    if case == "tfidf":
        h.check(one.out.splitlines()[:-1] == four.out.splitlines()[:-1],
                f"{what}: other terms\n{one}\n{four}")
    if case == "amr":
        pictures = [sorted(out.glob(f"{name}.*.ppm")) for name in ("one", what)]
        h.check(len(pictures[0]) == len(pictures[1]) == 3, f"{pictures}")
        for a, b in zip(*pictures):
            h.check(a.read_bytes() == b.read_bytes(), f"{a} and {b} differ")
        h.check(len(set(pictures[1][2].read_bytes())) > 20, f"nothing is on {pictures[1][2]}")


def traced_by_hand(out, name):
    """{function: calls} in the files of all ranks, and the values there."""
    calls, values = {}, []
    files = sorted(out.glob(f"{name}.*.trace"))
    for f in files:
        for line in f.read_text().splitlines():
            kind, rest = line.split(" ", 1)
            if kind == "call":
                function = rest.split()[0].replace("MPI_", "")
                calls[function] = calls.get(function, 0) + 1
            else:
                values.append(rest.rsplit(" ", 1))
    return len(files), calls, values


def naive(mpi, case):
    out = build(mpi, case)
    program = out / f"{case}_naive"
    if case == "tfidf":
        r = h.run([h.ROOT / "examples" / case / "make_corpus", out / "corpus", "13", "120"])
        h.check(r.status == 0 and len(list((out / "corpus").iterdir())) == 13, f"{r}")
    one = verified(m.native(mpi, 1, [program, *arguments(case, out, "one")]), case)
    four = verified(m.native(mpi, 4, [program, *arguments(case, out, "four")]), case)
    same_result(case, out, one, four, "four")
    traced = verified(m.record(mpi, 4, [program, *arguments(case, out, "traced")]), case)
    h.check(traced.out == four.out, f"recorded otherwise\n{four}\n{traced}")
    same_result(case, out, one, traced, "traced")
    h.check_trace(traced.trace)
    counts = m.counts(m.read(traced.trace))
    h.check(counts["Init"] == counts["Finalize"] == 4, f"{counts}")
    if case == "is":
        files, calls, values = traced_by_hand(out, "traced")
        events = {k: n for k, n in counts.items() if k not in NOT_TRACED}
        h.check(files == 4 and calls == events, f"by hand {calls}, recorded {events}")
        clocks = [int(v) for name, v in values if name == "task clock ns"]
        h.check(len(clocks) == 4 and min(clocks) > 0, f"{values}")
    return f"{sum(counts.values())} calls"


def by_events(mpi, case):
    """The version with events and hooks gives what the naive one gives; without a recorder, what
    there is without hooks."""
    out = build(mpi, case)
    if case == "tfidf":
        h.run([h.ROOT / "examples" / case / "make_corpus", out / "corpus", "13", "120"])
    one = verified(m.native(mpi, 1, [out / f"{case}_naive", *arguments(case, out, "one")]), case)
    program = [out / f"{case}_events", *arguments(case, out, "events")]
    recorded = verified(m.record(mpi, 4, program, ["--events"]), case)
    same_result(case, out, one, recorded, "events")
    h.check_trace(recorded.trace)
    shown = h.bobbin("show", recorded.trace).out.decode()
    h.check("MPI_Init" in shown and all(name in shown for name in EVENTS[case]), shown)
    native = m.native(mpi, 2, program)
    if case == "tfidf":
        h.check(native.status != 0 and b"to be run by bobbin" in native.err, f"{native}")
    else:
        verified(native, case)
    return f"{h.info(recorded.trace)['mpi_calls']} events"


def measures(case, version):
    """Of its concern: a row of the page, DOS, and DOF of main."""
    r = h.bobbin("concerns", "--format=json", h.ROOT / "examples" / case / f"{version}.map")
    h.check(r.status == 0, f"{r}")
    whole = json.loads(r.out)["maps"][0]
    c = next(c for c in whole["concerns"] if c["concern"] == CASES[case][0])
    main = next(t for t in whole["components"] if t["component"] == "main")
    in_main = next(k["sloc"] for k in c["conc"] if k["component"] == "main")
    row = (f"| `{case}` {version} | {c['sloc'] - in_main} | {in_main} of {main['sloc']} | "
           f"{c['dos']:.4f} | {c['dos_of_home']:.4f} | {main['dof']:.4f} |")
    return row, c["dos"], main["dof"]


def concerns():
    page = (h.ROOT / "docs" / "case-studies.md").read_text()
    for case in CASES:
        naive_row, naive_dos, naive_dof = measures(case, "naive")
        row, dos, dof = measures(case, "events")
        for r in (naive_row, row):
            h.check(r in page, f"docs/case-studies.md does not say {r}")
        h.check(dos <= 0.25 * naive_dos and dof > naive_dof,
                f"{case}: DOS from {naive_dos} to {dos}, DOF from {naive_dof} to {dof}")


for case in CASES:
    suite.add(f"openmpi: {case}, naive", naive, "openmpi", case)
    suite.add(f"openmpi: {case}, by events", by_events, "openmpi", case)
suite.add("mpich: amr, naive", naive, "mpich", "amr")
suite.add("mpich: tfidf, by events", by_events, "mpich", "tfidf")
suite.add("concerns, as documented", concerns)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
