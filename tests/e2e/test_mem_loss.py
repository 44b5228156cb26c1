#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Folding otherwise than exactly: one trace folded many times, what is given up each time is what
was said, and the trace says so."""

import collections
import hashlib
import subprocess
import sys

import harness as h

suite = h.Suite("mem_loss")


def program(kind):
    flags = ["-O1", "-g", "-w", "-ffunction-sections", "-Wl,--gc-sections,-z,now", f"-DKIND={kind}"]
    flags += ["-DELEMENTS=n"] if kind in ("sparse", "list") else []
    return h.compile(kind, ["mem_dense.c"], "gcc", flags, ["-lpthread"])


def record(command, *opts):
    r = h.record(command, ["--mem", *opts])
    h.check(r.status == 0, f"{r}")
    return r.trace


def fold(trace, *opts):
    to = h.fresh("fold") / "t"
    r = h.bobbin("fold", "-o", to, *opts, trace)
    h.check(r.status == 0 and not r.err, f"{r}")
    h.check_trace(to)
    return to


def accesses(trace, thread="0.0"):
    r = h.bobbin("replay", "--mem", "-g", thread, trace)
    if r.status == 1 and b"has no memory accesses" in r.err:
        return []
    h.check(r.status == 0, f"{r}")
    rows = (line.split(" ") for line in r.out.decode().splitlines()[1:])
    return [(kind, int(address, 16), int(size), place) for kind, address, size, place in rows]


def size(trace):
    return h.info(trace)["stream_bytes"]


def loss(trace):
    return h.info(trace)["process_list"][0]["loss"]


def content(trace):
    return {f.name: hashlib.sha256(f.read_bytes()).digest() for f in trace.iterdir()}


def says(trace, what):
    """info, report, show and check say what was given up, and --complete does not accept it."""
    for verb in (["info"], ["report"], ["show", "--no-pager"], ["check"],
                 ["show", "--no-pager", "--signatures"]):
        out = h.bobbin(*verb, trace).out.decode()
        h.check(f"not exact: folded with {what}\n" in out, f"{verb}: {out[:600]}")
    h.check(h.bobbin("check", "--complete", trace).status == 3, "check --complete")


@suite.case("fold: a raw trace as often as one likes")
def often():
    raw = record([program("sparse"), 300], "--codec=none")
    before, want = content(raw), accesses(raw)
    sizes = []
    for opts in ([], ["--tolerance=0"], [], ["--tolerance=256"]):
        folded = fold(raw, *opts)
        h.check(content(raw) == before, f"{opts}: the raw trace has changed")
        h.check(loss(folded) == (["tolerance=256"] if "=2" in "".join(opts) else []),
                f"{opts}: {loss(folded)}")
        h.check((accesses(folded) == want) == (not loss(folded)), f"{opts}: other accesses")
        sizes.append(size(folded))
    h.check(sizes[0] == sizes[1] == sizes[2] and sizes[0] * 10 < size(raw),
            f"{sizes}, raw {size(raw)}")
    exact = record([program("sparse"), 300])
    again = fold(exact)  # nothing to fold: the same
    h.check({n: d for n, d in content(again).items() if n != "run.key"}.items()
            <= content(exact).items(), "copied")
    to = h.fresh("fold") / "t"
    for count in (1, 2, 3):
        h.check(h.bobbin("fold", "-q", "-o", to, raw).status == 0, "-o")
        h.check(len(list(to.parent.iterdir())) == count, "the older one is kept")
    for bad in (["-o", raw, raw], ["--tolerance=x", raw], ["--unordered=1", raw],
                ["--unordered=65", raw], ["--drop-below=-1", raw]):
        h.check(h.bobbin("fold", *bad).status == 2, f"{bad}")
    h.check(h.bobbin("fold", "-o", h.fresh("f") / "t", h.fresh("nothing")).status == 1, "no trace")
    h.check(content(raw) == before, "the raw trace has changed")
    return f"{sizes} bytes, raw {size(raw)}"


@suite.case("tolerance: all addresses are that near, and nothing else is touched")
def tolerance():
    notes = []
    for kind, n, within in (("sparse", 300, 64), ("sparse", 300, 5000), ("list", 2000, 4096),
                            ("cholesky", 20, 1000)):
        exact = record([program(kind), n])
        want, loose = accesses(exact), fold(exact, f"--tolerance={within}")
        got = accesses(loose)
        h.check(len(got) == len(want), f"{kind}: {len(got)} of {len(want)} accesses")
        off = [abs(g[1] - w[1]) for g, w in zip(got, want)]
        h.check(max(off) <= within, f"{kind}: {max(off)} off, {within} allowed")
        h.check(all((g[0], g[2:]) == (w[0], w[2:]) for g, w in zip(got, want)),
                f"{kind}: kinds or places")
        h.check(kind == "cholesky" or sum(map(bool, off)) > 20, f"{kind}: nothing is off")
        notes.append(f"{kind} {size(exact)}:{size(loose)}")
        says(loose, f"--tolerance={within}")
    # twice: both are said
    h.check(loss(fold(loose, "--tolerance=5")) == ["tolerance=1000", "tolerance=5"], "twice")
    return ", ".join(notes)


def byte_orders(rows):
    """For each byte: its stores in order, and with each how often it was loaded before, from
    where."""
    orders = collections.defaultdict(lambda: [collections.Counter()])
    for row in rows:
        for byte in range(row[1], row[1] + row[2]):
            if row[0] == "L":
                orders[byte][-1][row] += 1
            else:
                orders[byte] += [row, collections.Counter()]
    return orders


@suite.case("unordered: the same accesses, and what depends on another stays after it")
def unordered():
    notes = []
    order = h.compile("mem_order", ["mem_order.c"], "gcc", ["-O1", "-fno-unroll-loops"])
    truth = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-w"], ["-lpthread"])
    for command in ([order], [program("list"), 300], [program("sparse"), 60], [truth, "signals"],
                    [truth, "lanes"]):
        for engine in ("native", "valgrind") if command != [truth, "lanes"] else ("native",):
            exact = record(command, f"--engine={engine}")
            loose = fold(exact, "--unordered")
            want, got = accesses(exact), accesses(loose)
            h.check(collections.Counter(got) == collections.Counter(want),
                    f"{command}: other accesses")
            h.check(byte_orders(got) == byte_orders(want), f"{command}: the order at an address")
            if command == [order]:
                h.check(got != want, "the order is the same")
                h.check(size(loose) + 400 < size(exact), f"{size(exact)}:{size(loose)} bytes")
                notes.append(f"{engine} {size(exact)}:{size(loose)}")
    says(loose, "--unordered=64")
    return ", ".join(notes)


REGION = """
static int a[400];
int main(void)
{
#pragma omp parallel for schedule(static) num_threads(4)
	for (int i = 0; i < 400; i++)
		a[i] += i;
	return a[399] != 399;
}
"""


@suite.case("drop-below: a parallel region, whose threads come from different callers")
def region():
    """The first thread comes from the program, the others from the run time."""
    source = h.fresh("region") / "region.c"
    source.write_text(REGION)
    exe = h.compile("region", [str(source)], "gcc", ["-O1", "-g", "-fopenmp"])
    exact = record([exe])
    few = fold(exact, "--drop-below=4")
    for t in range(4):
        got = accesses(few, f"0.{t}")
        loads = sum(kind == "L" for kind, *_ in got)
        h.check(100 <= loads <= len(accesses(exact, f"0.{t}")),
                f"thread {t}: {loads} loads are left")


@suite.case("drop-below: what few threads do")
def drop():
    exact = record([program("matmul"), 20, 4])
    threads = [accesses(exact, f"0.{t}") for t in range(5)]
    # main is alone with what it does, the others do the same
    few = fold(exact, "--drop-below=2")
    h.check([accesses(few, f"0.{t}") for t in range(5)] == [[], *threads[1:]], "below 2")
    says(few, "--drop-below=2")
    h.check(size(few) < size(exact), f"{size(few)} bytes, {size(exact)} before")
    h.check(not any(accesses(fold(exact, "--drop-below=5"), f"0.{t}") for t in range(5)), "below 5")
    h.check(not any(accesses(fold(exact, "--drop-below=1000"), f"0.{t}") for t in range(5)),
            "more than there are")
    one = fold(exact, "--drop-below=1")
    h.check([accesses(one, f"0.{t}") for t in range(5)] == threads, "below 1")
    alone = record([program("sparse"), 100])
    h.check(accesses(fold(alone, "--drop-below=2")) == accesses(alone), "one thread alone")
    h.check(h.bobbin("merge", "-q", "--drop-below=2", exact).status == 0
            and loss(exact) == ["drop-below=2"], "merge")
    h.check([len(accesses(exact, f"0.{t}")) for t in range(5)] == [0, *map(len, threads[1:])],
            "merge")
    # iterations that are reported again count by what is there: nothing is left out before them
    truth = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-w"], ["-lpthread"])
    for kernel in ("threads", "signals"):
        exact = record([truth, kernel])
        count = h.info(exact)["threads"]
        few = fold(exact, "--drop-below=2")
        for t in range(count):
            want, got = accesses(exact, f"0.{t}"), accesses(few, f"0.{t}")
            h.check(not collections.Counter(got) - collections.Counter(want),
                    f"{kernel} {t}: accesses that never were")


def plugin(source, name="p"):
    at = h.fresh("plugin") / f"{name}.so"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
                    "-I", str(h.ROOT / "include"), "-x", "c", "-", "-o", str(at)],
                   input=source.encode(), check=True)
    return at


@suite.case("plug-ins: the example, and ones that are no good")
def plugins():
    coarse = plugin((h.ROOT / "examples" / "fold" / "plugin.c").read_text(encoding="utf-8"))
    paths = h.compile("mem_paths", ["mem_paths.c"], "gcc",
                      ["-O1", "-g", "-fno-optimize-sibling-calls"])
    exact = record([paths])
    folded = fold(exact, "--fold-plugin", coarse)
    h.check(accesses(folded) == accesses(exact), "one thread: the accesses are the same")
    rows = [h.bobbin("show", "--no-pager", "--signatures", t).out.count(b" inner ")
            for t in (exact, folded)]
    h.check(rows == [2, 1], f"paths of inner: {rows}")
    says(folded, "--fold-plugin=coarse")
    matmul = [program("matmul"), 12, 4]
    exact, direct = record(matmul), record(matmul, "--fold-plugin", coarse)
    h.check(loss(direct) == ["fold-plugin=coarse"], f"record: {loss(direct)}")
    folded = fold(exact, "--fold-plugin", coarse)
    for t in range(5):
        want, got = accesses(exact, f"0.{t}"), accesses(folded, f"0.{t}")
        h.check([w[0] + w[3] for w in want] == [g[0] + g[3] for g in got], f"thread {t}")
        far = [(w, g) for w, g in zip(want, got) if abs(w[1] - g[1]) >= 64]
        h.check(not far and (t > 1 or want == got), f"thread {t}: {far[:3]}")
    before = content(exact)
    head = "#include <bobbin/fold.h>\nextern const struct bob_fold_plugin bob_fold_plugin;\n"
    named = ("const struct bob_fold_plugin bob_fold_plugin = { .version = %s, .size = %s, .name = "
             "%s, .merge = %s };\n")
    good = ("BOB_FOLD_PLUGIN_VERSION", "sizeof(bob_fold_plugin)", '"x"', "0")
    for what in (None, (0, "2"), (1, "8"), (2, '"a b"'), (2, "0")):
        words = [what[1] if what and i == what[0] else w for i, w in enumerate(good)]
        bad = plugin(head + named % tuple(words) if what else "int x;\n")
        r = h.bobbin("fold", "--fold-plugin", bad, exact)
        h.check(r.status == 2 and r.err.count(b"\n") == 1, f"{r}")
    h.check(h.bobbin("fold", "--fold-plugin", "/no/such.so", exact).status == 2, "no file")
    # one that breaks what the descriptors say: nothing is written
    wild = head + (
        "static void wild(void *c, const struct bob_fold_shape *s, const uint64_t *id, uint64_t "
        "*const *w, uint32_t n)\n"
        "{ (void)c, (void)id; for (uint32_t i = 0; i < n; i++) if (s->words > 1) w[i][s->words - "
        "1] += 1; }\n"
    ) + named % (*good[:3], "wild")
    r = h.bobbin("fold", "--fold-plugin", plugin(wild), exact)
    h.check(r.status == 1 and content(exact) == before, f"{r}")


@suite.case("record: the same at the end of the program")
def recorded():
    command = [program("list"), 1000]
    trace = record(command, "--tolerance=4096", "--unordered=32")
    h.check(loss(trace) == ["tolerance=4096", "unordered=32"], f"{loss(trace)}")
    exact = record(command)
    h.check(len(accesses(trace)) == len(accesses(exact)), "another number of accesses")
    for bad in (["--tolerance=5"], ["--mem", "--exec", "--unordered"],
                ["--mem", "--fold-plugin=/no/such.so"]):
        r = h.record(command, bad)
        h.check(r.status == 125 and r.err.count(b"\n") == 1, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
