#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""Levels of recording MPI. Flat, where nothing is folded, is the measure: the same run folded is
the same, call by call, and so is another run of a deterministic program that was recorded as usual.
Where only some functions are recorded (--mpi-functions), they are exactly as without that, numbers
of handles and requests included, and the trace says what is left out."""
import fnmatch
import re
import sys

import harness as h
import mpi_events as m

suite = h.Suite("mpi_levels", jobs=1)


KERNELS = h.ROOT / "bench" / "calls" / "kernels"


# --- flat, folded, merged ---


def lines(trace, rank=None):
    """{rank: [all that is recorded of each call, as text]}"""
    r = h.run([m.printer(), trace])
    h.check(r.status == 0 and b"\nP " not in r.out, f"{trace} cannot be read\n{r}")
    out, at = {}, None
    for line in r.out.decode().splitlines():
        if line.startswith("T "):
            at = out.setdefault(int(line.split()[1]), [])
        else:
            at.append(line)
    return {rank: x for rank, x in out.items() if x}


def equal(a, b, what):
    h.check(sorted(a) == sorted(b), f"{what}: ranks {sorted(a)} and {sorted(b)}")
    for rank, x in a.items():
        y = b[rank]
        at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
        h.check(x == y, f"{what}: rank {rank}, call {at} of {len(x)} and {len(y)}:\n"
                f"{x[at : at + 1]}\n{y[at : at + 1]}")
    return sum(map(len, a.values()))


def is_apart(trace):
    return any(trace.glob("p*.bob")) and not (trace / "trace.bob").exists()


def fold(trace):
    """Folded, then merged: three times the same."""
    flat, to = lines(trace), h.fresh("folded") / "t"
    r = h.run([h.BOBBIN, "fold", "-o", to, trace])
    h.check(r.status == 0, f"it is not folded\n{r}")
    equal(flat, lines(to), "flat, folded")
    h.check(sum(f.stat().st_size for f in to.glob("*.bob"))
            < sum(f.stat().st_size for f in trace.glob("*.bob")), "it is not smaller")
    r = h.run([h.BOBBIN, "merge", to])
    h.check(r.status == 0 and (to / "trace.bob").exists(), f"it is not merged\n{r}")
    equal(flat, lines(to), "flat, merged")
    reports = [h.run([h.BOBBIN, "report", "--by=site", x]).out.replace(str(x).encode(), b"")
               for x in (trace, to)]
    h.check(reports[0] == reports[1],
            f"reports differ:\n{reports[0].decode()}\n{reports[1].decode()}")
    return flat


def flat(mpi, name, arguments):
    """What a program says, in a flat trace."""
    exe = m.program(mpi, name)
    said = h.fresh("said")
    r = m.record(mpi, 4, [exe, *arguments], options=["--mpi-level=flat"],
                 env={"ORACLE_DIR": str(said), "ORACLE_FILE": str(h.fresh("file") / "data")})
    h.check(r.status == 0, f"the program fails\n{r}")
    h.check(is_apart(r.trace), "the trace is merged")
    n = m.check_oracle(r.trace, said)
    fold(r.trace)
    return f"{n} events"


def several(mpi, ranks, argv, env=None, levels=("rank", "all")):
    """Runs of what is the same each time: flat, and as usual."""
    runs = {level: m.record(mpi, ranks, argv, options=[f"--mpi-level={level}"], env=env)
            for level in ("flat", *levels)}
    for r in runs.values():
        h.check(r.status == 0, f"the program fails\n{r}")
    want = fold(runs["flat"].trace)
    for level in levels:
        trace = runs[level].trace
        h.check(is_apart(trace) if level == "rank" else (trace / "trace.bob").exists(),
                f"{level}: merged, or not?")
        n = equal(want, lines(trace), f"flat, and {level}")
    return f"{n} events"


def random_several(mpi, ranks, first, count):
    return several(mpi, ranks, [m.program(mpi, "random.c"), str(first), str(count)],
                   {"RANDOM_FIXED": "1"})


def kernel(mpi, name, *arguments):
    if name == "is":
        own = [*sorted((KERNELS / "frame").glob("*.c")), *sorted((KERNELS / name).glob("*.c"))]
    else:
        own = [h.ROOT / "bench" / "mpi" / "kernels" / f"{name}.c"]
    exe = m.program(mpi, str(own[0]), [f"-I{KERNELS}", "-O2"], libs=["-lm"],
                    extra=[str(x) for x in own[1:]])
    return several(mpi, 4, [exe, *arguments], levels=("all",))


def custom(mpi):
    exe = m.program(mpi, "oracle.c")
    said = h.fresh("said")
    r = m.record(mpi, 4, [exe, "life"], options=["--mpi-level=custom"],
                 env={"ORACLE_DIR": str(said)})
    h.check(r.status == 0, f"the program fails\n{r}")
    only(said, {"Init", "Init_thread", "Finalize", "Pcontrol"})
    n = m.check_oracle(r.trace, said)
    says(r.trace, "recorded with --mpi-level=custom")
    return f"{n} events"


def off(mpi):
    exe = m.program(mpi, "every.c", [f"-I{m.have(mpi)}"])
    env = {"EVERY_FILE": str(h.fresh("file") / "data")}
    r = m.record(mpi, 2, [exe], options=["--mpi-level=off"], env=env)
    h.same(m.native(mpi, 2, [exe], env=env), r)
    for verb, status in (("show", 1), ("report", 1), ("info", 0), ("check", 3), ("commmatrix", 1)):
        said = h.run([h.BOBBIN, verb, r.trace])
        h.check(said.status == status and b"recorded with --mpi-level=off" in said.out + said.err,
                f"bobbin {verb}\n{said}")


def killed(mpi):
    """What a flat recording of a rank that was killed has is what was said, up to the last call."""
    said = h.fresh("said")
    r = m.record(mpi, 4, [m.program(mpi, "ends.c"), "killed", "100000"],
                 options=["--mpi-level=flat"], env={"ORACLE_DIR": str(said)})
    h.check(r.status != 0, f"no rank was killed\n{r}")
    want = {rank: threads[0] for rank, threads in m.oracle(said).items()}
    total = 0
    for t in m.read(r.trace, problems=True):
        h.check(len(want[t.rank]) <= len(t.events) <= len(want[t.rank]) + 1,
                f"rank {t.rank}: {len(t.events)}, said {len(want[t.rank])}")
        m.same(t.events[: len(want[t.rank])], want[t.rank], f"rank {t.rank}")
        total += len(t.events)
    h.check(total > 20, f"{total} events")
    return f"{total} events"


# --- some functions ---


def recorded(patterns):
    """Names of the functions that are recorded: those chosen; those that begin and end MPI; those
    that make communicators or types, if a chosen one has such a parameter."""
    functions = m.TABLE.functions.values()

    def is_chosen(f):
        return any(p == f.kind or fnmatch.fnmatch(f.name.lower(), p.lower().removeprefix("mpi_"))
                   for p in re.split("[:,]", patterns))

    chosen = [f for f in functions if is_chosen(f)]
    h.check(chosen, f"{patterns}: no function")
    names = {f.name for f in chosen} | {f.name for f in functions
                                        if set(f.marks) & {"started", "finishing"}}
    for role in ("comm", "type"):
        if any(p.role == role for f in chosen for p in f.parameters):
            names |= {f.name for f in functions for p in f.parameters
                      if p.role == role and p.comes_out and not p.goes_in and not p.is_vector}
    return names


def only(directory, names):
    """What the programs say, without the calls of other functions."""
    for f in directory.iterdir():
        lines = [line for line in f.read_text().splitlines() if line.split()[0] in names]
        if lines:
            f.write_text("".join(line + "\n" for line in lines))
        else:
            f.unlink()


def says(trace, words):
    for verb in ("show", "report", "info", "check", "commmatrix"):
        r = h.run([h.BOBBIN, verb, trace])
        h.check(r.status == 0 and words.encode() in r.out + r.err,
                f"bobbin {verb} does not say {words!r}\n{r}")


def choice(mpi, patterns, name, arguments):
    exe = m.program(mpi, name)
    said = h.fresh("said")
    env = {"ORACLE_DIR": str(said), "ORACLE_FILE": str(h.fresh("file") / "data")}
    r = m.record(mpi, 4, [exe, *arguments],
                 options=[f"--mpi-functions={p}" for p in patterns.split()], env=env)
    h.check(r.status == 0, f"the program fails\n{r}")
    only(said, recorded(patterns.replace(" ", ":")))
    n = m.check_oracle(r.trace, said)
    h.check(n > 20, f"only {n} events")
    says(r.trace, f"recorded with --mpi-functions={patterns.replace(' ', ':')}")
    return f"{n} events"


def every(mpi, patterns):
    """All functions are called; those that are recorded are there as often as with all of them."""
    exe = m.program(mpi, "every.c", [f"-I{m.have(mpi)}"])
    env = {"EVERY_FILE": str(h.fresh("file") / "data")}
    everything = m.counts(m.read(m.record(mpi, 2, [exe], env=env).trace))
    r = m.record(mpi, 2, [exe], options=["--mpi-functions=" + patterns], env=env)
    h.check(r.status == 0 and r.out == b"0 calls failed\n", f"the program fails\n{r}")
    n, names = m.counts(m.read(r.trace)), recorded(patterns)
    want = {k: v for k, v in everything.items() if k in names}
    for name in ("Improbe", "Test", "Testany", "Testall", "Testsome", "Request_get_status",
                 "Win_test", "Parrived", "Wait"):
        if name in want:
            want[name] = n.get(name, 0)  # polled as often as it takes
    m.same_counts(n, want, patterns)
    return f"{sum(n.values())} of {sum(everything.values())} events"


# --- some elements ---

BITS = (1 << 64) - 1


def cut(values, most):
    rest = 1
    for v in values[most or 0:]:
        rest = (rest ^ v & BITS) * 0x9E3779B97F4A7C15 & BITS
        rest ^= rest >> 29
    return [v & BITS for v in values[:most or 0]] + [0xC0DE << 48 | len(values),
                                                     0 if most is None else rest]


def is_cut(p, what):
    numbers = (*m.roles.INTEGERS, *m.roles.CODES, "rank", "flag", "error", "weight")
    return p and what != "members" and not (p.goes_in and p.comes_out and what == "in") and (
        p.role in numbers or p.role == "type" and what == "in")


def vectors(mpi, most, name, arguments):
    """The same program twice: where a vector has more elements than that, the first ones, its
    length and a hash of the others; None: its length."""
    exe, option = m.program(mpi, name), f"--mpi-vectors={'none' if most is None else most}"
    env = {"RANDOM_FIXED": "1", "ORACLE_FILE": str(h.fresh("file") / "data")}
    whole = m.record(mpi, 4, [exe, *arguments], env=env)
    some = m.record(mpi, 4, [exe, *arguments], options=[option], env=env)
    h.check(whole.status == some.status == 0, f"{whole}\n{some}")
    found = 0
    for a, b in zip(m.read(whole.trace), m.read(some.trace)):
        h.check(len(a.events) == len(b.events),
                f"rank {a.rank}: {len(a.events)} and {len(b.events)} calls")
        for x, y in zip(a.events, b.events):
            for p, what in m.layout(x.name):
                key = p and (p.name + ".members" if what == "members"
                             else p.name + (">" if p.goes_in and what == "out" else ""))
                if not p or not isinstance(x.values.get(key), list):
                    continue
                want = x.values[key]
                if is_cut(p, what) and len(want) > (most or 0):
                    found += 1
                    want = cut(want, most)
                have = y.values[key]
                h.check(have == want or [v & BITS if isinstance(v, int) else v for v in have]
                        == want, f"rank {a.rank}: {key} is {have}, not {want}\n{x}\n{y}")
    h.check(found > 10, f"only {found} vectors")
    says(some.trace, f"recorded with {option}")
    shown = h.run([h.BOBBIN, "show", "--expand", "--lines=100000", some.trace])
    h.check(b"... not kept] of 4" in shown.out, "show does not say which vectors are cut")
    report = h.run([h.BOBBIN, "report", some.trace])
    h.check(report.status == 0 and (name != "random.c" or b"unknown" in report.out), f"{report}")
    return f"{found} vectors"


def many_pairs():
    """More pairs of call sites than times are kept for: the verbs say so."""
    sites = 290
    source = h.fresh("sites") / "sites.c"
    source.write_text("#include <mpi.h>\nint main(int argc, char **argv)\n{\n"
                      "\tunsigned long long x = 1;\n\tint n;\n\tMPI_Init(&argc, &argv);\n"
                      "\tfor (int i = 0; i < 600000; i++) {\n"
                      "\t\tx = x * 6364136223846793005ull + 1442695040888963407ull;\n"
                      f"\t\tswitch ((x >> 33) % {sites}) {{\n"
                      + "".join(f"\t\tcase {i}: MPI_Comm_rank(MPI_COMM_WORLD, &n); __asm__ "
                                f"volatile(\"# {i}\"); break;\n" for i in range(sites))
                      + "\t\t}\n\t}\n\tMPI_Finalize();\n\treturn 0;\n}\n")
    r = m.record("openmpi", 1, [m.program("openmpi", str(source))])
    h.check(r.status == 0, f"{r}")
    says(r.trace, "calls, after too many pairs of call sites")


def misuse():
    for bad in ("-1", "x", "", "10000000"):
        r = h.run([h.BOBBIN, "record", "--mpi-vectors=" + bad, "--", "true"])
        h.check(r.status == 125 and b"want a number" in r.err, f"{bad!r} is taken\n{r}")
    for bad in ("foo", "p2p:foo", "MPI_Sendd", ""):
        r = h.run([h.BOBBIN, "record", "--mpi-functions=" + bad, "--", "true"])
        h.check(r.status == 125 and b"no function of MPI" in r.err, f"{bad!r} is taken\n{r}")


for name in m.MPIS:
    random = ("random.c", ["601", "20"] if name == "openmpi" else ["651", "8"])  # MPICH polls more
    suite.add(f"{name}: p2p", choice, name, "p2p", *random)
    suite.add(f"{name}: collective and Wait*", choice, name, "collective:MPI_Wait*", *random)
    suite.add(f"{name}: sends, twice", choice, name, "mpi_[si]send Waitall", *random)
    suite.add(f"{name}: windows", choice, name, "rma", "oracle.c", ["windows"])
    suite.add(f"{name}: threads", choice, name, "p2p", "oracle.c", ["threads"])
    for patterns in ("rma,io", "Allreduce"):
        suite.add(f"{name}: every function, {patterns}", every, name, patterns)
    suite.add(f"{name}: flat, random programs", flat, name, *random)
    for part in ("types", "threads"):
        suite.add(f"{name}: flat, {part}", flat, name, "oracle.c", [part])
    suite.add(f"{name}: flat, killed", killed, name)
    suite.add(f"{name}: custom", custom, name)
    suite.add(f"{name}: two elements of vectors", vectors, name, 2, "random.c", ["821", "15"])
    suite.add(f"{name}: off", off, name)
    suite.add(f"{name}: random programs in several runs", random_several, name, 4, 701, 30)
for argv in (("cg", "64", "2"), ("is", "S"), ("lu", "8", "4")):
    suite.add(f"openmpi: {argv[0]} in several runs", kernel, "openmpi", *argv)
suite.add("openmpi: no elements of vectors", vectors, "openmpi", 0, "oracle.c", ["topologies"])
suite.add("openmpi: lengths of vectors alone", vectors, "openmpi", None, "random.c", ["821", "15"])
suite.add("openmpi: 16 ranks in several runs", random_several, "openmpi", 16, 751, 3)
suite.add("openmpi: times of too many pairs", many_pairs)
suite.add("no such function", misuse)

if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
