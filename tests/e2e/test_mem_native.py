#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record --mem --engine=native: programs whose images run translated (docs/mem-native.md). They
behave as without it, and the trace has the same accesses in the same order as Valgrind sees them.
What Valgrind records in code that was not translated is left out, and counted. Signals: handlers at
every instruction, and in storms."""

import bisect
import collections
import itertools
import json
import os
import re
import subprocess
import sys

import harness as h

suite = h.Suite("mem_native")
NATIVE = ["--mem", "--engine=native"]
VALGRIND = ["--mem", "--engine=valgrind"]


def record(program, *args, opts=(), **kw):
    return h.record([program, *args], [*NATIVE, *opts], **kw)


def info(trace):
    return json.loads(h.bobbin("info", "--json", trace).out)


def events(trace, group="0"):
    """((kind, size, program counter), address) of the thread."""
    with subprocess.Popen([h.BOBBIN, "replay", "--mem", "-g", group, trace], stdout=subprocess.PIPE,
                          text=True) as p:
        for line in p.stdout:
            f = line.split()
            if len(f) == 4 and f[0] in ("L", "S", "A"):
                yield (f[0], int(f[2]), f[3]), int(f[1], 16)
    h.check(p.returncode == 0, "the trace cannot be replayed")


def sound(trace):
    r = h.bobbin("check", trace)
    h.check(r.status == 0, f"the trace is not sound\n{r}")


class Outside:
    """Takes accesses away that are in code which was not translated."""

    def __init__(self, trace):
        untranslated = info(trace)["process_list"][0]["unrecorded"]
        self.ranges = [(g["addr"], g["addr"] + g["bytes"]) for g in untranslated]
        self.count = 0

    def __call__(self, rows):
        for row in rows:
            pc = int(row[0][2].rsplit("+", 1)[-1], 16)
            if any(lo <= pc < hi for lo, hi in self.ranges):
                self.count += 1
            else:
                yield row


def compare(mine, theirs, what):
    """Event by event; their number, and of distances between the two runs' addresses: one for each
    region of memory that lies elsewhere."""
    apart, n = set(), 0
    for a, b in itertools.zip_longest(mine, theirs):
        h.check(a and b and a[0] == b[0], f"access {n}: {a}, {what} {b}")
        apart.add(b[1] - a[1])
        n += 1
    h.check(len(apart) <= 8, f"addresses lie {len(apart)} different distances apart")
    return n


def need_valgrind():
    if not os.access(os.path.join(os.path.dirname(h.BOBBIN), "../lib/bobbin/bobbin-valgrind"),
                     os.X_OK):
        raise h.Skip("built without the Valgrind tool: only the output was compared")
    h.need("valgrind")


def need_processor(*flags):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        has = re.search(r"^flags\s*: (.*)$", f.read(), re.M)[1].split()
    for flag in flags:
        if flag not in has:
            raise h.Skip(f"this processor has no {flag}")


AVX512 = ("avx512f", "avx512bw", "avx512dq", "avx512vl")


def case(name, sources, cc, flags, libs=(), oracle=True, processor=()):
    def run():
        h.need(cc)
        need_processor(*processor)
        program = h.compile(name, sources, cc, flags, libs)
        r = record(program)
        h.same(h.run([program]), r)
        sound(r.trace)
        if not oracle:
            return f"{info(r.trace)['accesses']} accesses"
        need_valgrind()
        theirs = h.record([program], VALGRIND)
        h.check(theirs.status == 0, f"recording\n{theirs}")
        outside = Outside(r.trace)
        n = compare(events(r.trace), outside(events(theirs.trace)), "under Valgrind")
        h.check(n > 1000, f"only {n} accesses")
        return f"{n} accesses equal, {outside.count} in code that is not translated"

    suite.add(f"{name} {cc} {' '.join(flags)}", run)


KERNELS = ["mem_main.c", "mem_kernels.c"]
case("kernels", KERNELS, "gcc", ["-O0"])
case("kernels", KERNELS, "gcc", ["-O2"])
case("kernels", KERNELS, "gcc", ["-O2", "-no-pie", "-fcf-protection"])
case("kernels", KERNELS, "gcc", ["-Os", "-s"])
case("kernels", KERNELS, "clang", ["-O2"])
case("kernels", KERNELS, "clang", ["-O3", "-mavx2"])
case("classes", ["mem_classes.cc"], "g++", ["-O0"])
case("classes", ["mem_classes.cc"], "g++", ["-O2"])
case("classes", ["mem_classes.cc"], "clang++", ["-O1"])
case("fortran", ["mem_fortran.f90"], "gfortran", ["-O2"])
case("fortran", ["mem_fortran.f90"], "gfortran", ["-O3", "-mavx2"])
# Valgrind knows no AVX-512. What it does in its own way (memory.md) is left out: fused
# multiply-adds, maskmovdqu.
LANES = ["mem_main.c", "mem_lanes.c"]
# as -ffast-math, which makes the processor take tiny numbers for 0, but not Valgrind
FAST = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno",
        "-ffinite-math-only"]
WIDE = [*FAST, "-march=skylake-avx512", "-mprefer-vector-width=512"]
for cc, flags in (("gcc", ["-O1"]), ("gcc", ["-O3"]), ("clang", ["-O2"])):
    case("lanes", LANES, cc, [*flags, *FAST, "-march=haswell", "-mno-fma", "-DNO_BYTES"],
         processor=["avx2"])
    case("lanes", LANES, cc, [*flags, *WIDE], oracle=False, processor=AVX512)
case("kernels", KERNELS, "gcc", ["-O3", *WIDE], oracle=False, processor=AVX512)
case("team", ["mem_team.c"], "gcc", ["-O2", "-fopenmp"], oracle=False)


def functions(program):
    """{name: (first, after the last)}"""
    out = {}
    for line in h.run(["nm", "-S", program]).out.decode().splitlines():
        f = line.split()
        if len(f) == 4 and f[2] in "tT":
            out[f[3]] = (int(f[0], 16), int(f[0], 16) + int(f[1], 16))
    return out


def inside(rows, ranges):
    """The accesses of code in these ranges of addresses."""
    ranges = sorted(ranges)
    starts = [lo for lo, _ in ranges]
    for row in rows:
        pc = int(row[0][2].rsplit("+", 1)[-1], 16)
        i = bisect.bisect_right(starts, pc) - 1
        if i >= 0 and pc < ranges[i][1]:
            yield row


def step(cc, flags, kernels="mem_kernels.c", processor=()):
    """A handler after every instruction of the kernels, probes included: what the program itself
    does is as without."""

    def run():
        h.need(cc)
        need_processor(*processor)
        program = h.compile("mem_step", ["mem_step.c", kernels], cc,
                            [*flags, "-fno-inline-functions"])
        still, stepped = record(program), record(program, "step")
        h.same(h.run([program]), still)
        h.same(h.run([program, "step"]), stepped)
        sound(stepped.trace)
        code = functions(program)
        handler = sum(1 for _ in inside(events(stepped.trace), [code["on_step"]]))
        h.check(handler > 10000, f"the handler made {handler} accesses")
        # main and what it calls depend on the argument
        others = [where for name, where in code.items()
                  if name not in ("on_step", "main", "set_trap_flag")]
        n = compare(inside(events(stepped.trace), others), inside(events(still.trace), others),
                    "without a handler")
        h.check(n > 1000, f"only {n} accesses")
        return f"{n} accesses equal, {handler} of handlers between them"

    suite.add(f"handler at every instruction {kernels} {cc} {' '.join(flags)}", run)


step("gcc", ["-O0"])
step("gcc", ["-O2"])
step("clang", ["-O2"])
step("gcc", ["-O2", "-mavx2"], "mem_lanes.c", ["avx2"])
step("gcc", ["-O3", *WIDE], "mem_lanes.c", AVX512)


def signals(flags):
    def run():
        program = h.compile("mem_signals", ["mem_signals.c"], "gcc",
                            [*flags, "-rdynamic", "-pthread"])
        r = record(program)
        h.same(h.run([program]), r)
        h.check(b"WRONG" not in r.out, f"{r}")
        sound(r.trace)
        return f"{info(r.trace)['accesses']} accesses"

    suite.add(f"signals {' '.join(flags)}", run)


signals(["-O0"])
signals(["-O2"])


def hard(mode, images):
    """Children in other ways than fork, libc's own signals, masks, small stacks."""

    def run():
        program = h.compile("mem_hard", ["mem_hard.c"], "gcc", ["-O2", "-w", "-pthread"])
        native = h.run([program, mode])
        h.check(native.status == 0, f"{native}")
        for _ in range(3 if mode == "setxid" and images == "all" else 1):
            r = record(program, mode, opts=[f"--images={images}"])
            h.same(native, r)
            sound(r.trace)
        if mode == "children":  # all do the same in the program, and a little in libraries
            count = [p["thread_list"][0]["accesses"] for p in info(r.trace)["process_list"]]
            apart = max(count[1:]) - min(count[1:])
            h.check(len(count) == 6 and apart <= (0 if images == "main" else 1000),
                    f"by process: {count}")
        return f"{info(r.trace)['accesses']} accesses"

    suite.add(f"hard {mode} {images}", run)


for images in ("main", "all"):
    for mode in ("children", "masks", "every_signal", "setxid", "cancel", "small_stacks",
                 "small_altstack"):
        hard(mode, images)


@suite.case("absolute addresses are no image's")
def absolute():
    want = {("S", 0x100010): 1, ("L", 0x100018): 1, ("L", 0x100020): 51, ("S", 0x100020): 50,
            ("L", 0x100028): 50}
    for flags in (["-O0"], ["-O2"], ["-O2", "-no-pie"]):
        program = h.compile("absolute", ["mem_absolute.c"], "gcc", flags, [])
        r = record(program)
        h.same(h.run([program]), r)
        sound(r.trace)
        found = collections.Counter((what[0], address)
                                    for what, address in events(r.trace)
                                    if 0x100000 <= address < 0x101000)
        h.check(found == want, f"{flags}: {found}")


@suite.case("report counts loops without expanding them")
def report():
    """Loads and stores by instruction: what replay gives one by one."""
    program = h.compile("kernels", KERNELS, "gcc", ["-O2"])
    r = record(program)
    names = functions(program)
    want = collections.Counter()
    for (kind, _, pc), _ in events(r.trace):
        want[int(pc.rsplit("+", 1)[-1], 16), kind != "L"] += 1
    got, out = collections.Counter(), h.bobbin("report", "--by=instruction", "-n", "0",
                                               r.trace).out.decode()
    for line in out.splitlines():
        m = re.match(r" *[0-9,]+ +[0-9.]+% +([0-9,]+) +([0-9,]+) .*? (\S+)$", line)
        if m:
            name, _, offset = m[3].partition("+0x")
            at = int(offset or "0", 16) + (names[name][0] if name in names else 0)
            got[at, False] += int(m[1].replace(",", ""))
            got[at, True] += int(m[2].replace(",", ""))
    loops = {k: n for k, n in want.items()
             if any(lo <= k[0] < hi for f, (lo, hi) in names.items() if f.startswith("k_"))}
    h.check(sum(loops.values()) > 1000, f"only {loops}")
    for k, n in loops.items():
        h.check(got[k] == n, f"at {k[0]:x} {got[k]} reported, {n} are there")
    return f"{sum(loops.values())} accesses at {len(loops)} places"


@suite.case("assembler")
def assembler():
    """Its jump tables lead into cold parts, too: entries after such a one were once no landings."""
    d = h.fresh("as")
    (d / "a.c").write_text(
        "#include <stdio.h>\nstatic int square(int x) { return x * x; }\nint main(void)\n"
        '{ int s = 0; for (int i = 0; i < 10; i++) s += square(i); printf("%d\\n", s); return 0; '
        '}\n')
    r = h.run(["gcc", "-S", "-o", d / "a.s", d / "a.c"])
    h.check(r.status == 0, f"{r}")
    argv = ["as", "--64", "-o", d / "a.o", d / "a.s"]
    r = record(*argv)
    h.same(h.run(argv), r)
    sound(r.trace)


@suite.case("incomplete")
def incomplete():
    """What is not translated is named, and check --complete says no."""
    program = h.compile("kernels", KERNELS, "gcc", ["-O2"])
    r = record(program)
    h.check(h.bobbin("check", "--complete", r.trace).status == 0,
            "complete, and check --complete says no")
    source = h.fresh("breakpoint") / "breakpoint.c"
    source.write_text('int main(int argc, char **argv) { if (argc > 9) __asm__ volatile("int3"); '
                      'return !argv; }\n')
    program = h.compile("breakpoint", [source], "gcc", ["-O1"])
    r = record(program)
    h.check(r.status == 0, f"{r}")
    trace = r.trace
    c = h.bobbin("check", "--complete", trace)
    h.check(c.status == 3 and b"1 function could not be traced" in c.out, f"{c}")
    r = record(program, opts=["--require-complete"])
    h.check(r.status == 125 and b"1 function cannot be recorded (breakpoint instruction)" in r.err,
            f"{r}")
    h.check(not r.trace.exists(), "a trace directory was made")
    i = h.bobbin("info", trace)
    h.check(re.search(rb"1 +breakpoint instruction", i.out), f"{i}")
    return ""


@suite.case("a child of fork, after libraries were loaded and unloaded")
def left_before_fork():
    where = h.fresh("left")
    for n, name in enumerate("abc"):
        (where / f"{name}.c").write_text(f"static volatile short v[9]; void {name}(void) {{ for "
                                         f"(int i = 0; i < {n + 5}; i++) v[i] = 1; }}\n")
        c = h.run(["gcc", "-O1", "-fPIC", "-shared", f"{name}.c", "-o", f"{name}.so"], cwd=where)
        h.check(c.status == 0, f"{c}")
    (where / "main.c").write_text("""
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
static void *call(const char *library, const char *name)
{
	void *l = dlopen(library, RTLD_NOW);

	((void (*)(void))dlsym(l, name))();
	return l;
}
int main(void)
{
	int status;
	void *a = call("./a.so", "a");

	call("./b.so", "b");
	dlclose(a);
	if (!fork()) {
		call("./b.so", "b");
		call("./c.so", "c");
		call("./a.so", "a");
		_exit(0);
	}
	wait(&status);
	call("./c.so", "c");
	return status;
}
""")
    c = h.run(["gcc", "-O1", "main.c", "-o", "main"], cwd=where)
    h.check(c.status == 0, f"{c}")
    r = record(where / "main", opts=["--images=all"], cwd=where)
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    text = h.bobbin("replay", "--mem", "--order=threads", r.trace).out.decode()
    found = []
    for part in re.split("^# thread ", text, flags=re.M)[1:]:
        stores = re.findall(r"^S \S+ 2 ([abc])\.so\+", part, flags=re.M)
        found.append([(name, len(list(same))) for name, same in itertools.groupby(stores)])
    want = [[("a", 5), ("b", 6), ("c", 7)], [("b", 6), ("c", 7), ("a", 5)]]
    h.check(found == want, f"{found}, not {want}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
