#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs under tools: wrappers that limit, place, time or pipe, other preloaded libraries, proot,
shells, make, fan-outs; and programs that are hard to patch by themselves. Each does the same
recorded, and its trace is whole. BOBBIN_TEST_LONG=1: in every mode."""

import glob
import re
import sys

import harness as h

suite = h.Suite("tools")
MODES = {x: [f"--images={x}"] for x in ("main", "app", "all")}
MODES["mem"] = ["--mem", "--engine=native"]
SHELL = str(h.PROG / "tools" / "work.sh")


def program(name, *flags):
    return str(h.compile(name, [f"tools/{name}.c"], "gcc", ["-O1", "-w", "-pthread", *flags]))


def wrapped(*tool):
    """The tool runs a program of ours."""
    def command():
        h.need(tool[0])
        return [*tool, program("check_text")]
    return command


def alone(name, *flags):
    return lambda: [program(name, *flags)]


def line(*argv):
    def command():
        h.need(argv[0])
        return [a.replace("PROGRAM", program("check_text")) for a in argv]
    return command


def preloaded(library, *argv):
    def command():
        found = glob.glob(f"/usr/lib/x86_64-linux-gnu/{library}")
        if not found:
            raise h.Skip(f"{library} is not installed")
        return ["env", f"LD_PRELOAD={found[0]}", *(argv or [program("check_text")])]
    return command


@h.cached
def project():
    """Sources and a makefile, copied by each run into a directory of its own."""
    folder = h.fresh("project")
    h.put(folder / "a.c", "int b(int), printf(const char *, ...);\n"
                          'int main(void)\n{\n\treturn printf("%d\\n", b(3)) < 0;\n}\n')
    h.put(folder / "b.c", "int b(int x)\n{\n\treturn 3 * x;\n}\n")
    h.put(folder / "Makefile", "all: p\n\t./p\np: a.o b.o\n\tgcc -o $@ $^\n"
                               "%.o: %.c\n\tgcc -c -o $@ $<\n")
    return folder


def make():
    h.need("make", "gcc")
    script = (f"d=$(mktemp -d) && cp {project()}/* $d && make -s -j2 -C $d 2>&1; s=$?; "
              "rm -r $d; exit $s")
    return ["sh", "-c", script]


# name: (command, its --mem takes long)
COMMANDS = {
    "text checked": (alone("check_text"), False),
    "large bss medium": (alone("large_bss", "-mcmodel=medium"), False),
    "large bss medium no-pie": (alone("large_bss", "-mcmodel=medium", "-no-pie"), False),
    "large bss large": (alone("large_bss", "-mcmodel=large"), False),
    "fork beside threads": (alone("fork_beside"), False),
    "bash": (line("bash", SHELL), True),
    "dash": (line("dash", SHELL), True),
    "make": (make, True),
    "xargs": (line("sh", "-c", "seq 1 8 | xargs -P 4 -n 1 PROGRAM; echo $?"), False),
    "parallel": (line("parallel", "-k", "PROGRAM", "{}", ":::", "1", "2", "3"), True),
    "setarch": (wrapped("setarch", "x86_64", "-R"), False),
    "env -i": (wrapped("env", "-i"), False),
    "timeout": (wrapped("timeout", "60"), False),
    "timeout ends it": (line("timeout", "0.2", "sleep", "20"), False),
    "nice": (wrapped("nice", "-n", "5"), False),
    "nohup": (wrapped("nohup"), False),
    "setsid": (wrapped("setsid", "-w"), False),
    "taskset": (wrapped("taskset", "-c", "0"), False),
    "stdbuf": (wrapped("stdbuf", "-oL"), False),
    "script": (line("script", "-qec", "PROGRAM", "/dev/null"), False),
    "unshare": (wrapped("unshare", "-r"), False),
    "limited address space": (wrapped("prlimit", "--as=200000000"), False),
    "limited descriptors": (wrapped("prlimit", "--nofile=4"), False),
    "limited stack": (wrapped("prlimit", "--stack=65536"), False),
    "unlimited stack": (wrapped("prlimit", "--stack=unlimited"), False),
    "limited processes": (wrapped("prlimit", "--nproc=1"), False),
    "limited files": (wrapped("prlimit", "--fsize=0"), False),
    "no locked memory": (wrapped("prlimit", "--memlock=0"), False),
    "fakeroot": (line("fakeroot", "sh", "-c", "PROGRAM; stat -c %u /"), False),
    "faketime": (line("faketime", "2020-01-01 00:00:00", "date", "+%Y"), False),
    "jemalloc": (preloaded("libjemalloc.so.2"), False),
    "tcmalloc": (preloaded("libtcmalloc_minimal.so.4"), False),
    "tcmalloc perl": (preloaded("libtcmalloc_minimal.so.4", "perl",
                                str(h.PROG / "runtimes" / "work.pl")), True),
    "proot": (wrapped("proot", "-0"), False),
    "proot shell": (line("proot", "-0", "sh", SHELL), True),
}


# What a container may forbid.
TRIALS = {"proot": ["proot"], "unshare": ["unshare", "-r"], "setarch": ["setarch", "x86_64", "-R"]}


def does_the_same(command, opts):
    argv = command()
    if argv[0] in TRIALS and h.run([*TRIALS[argv[0]], "true"]).status:
        raise h.Skip(f"{argv[0]} does not run on this machine")
    native, r = h.run(argv), h.record(argv, opts)
    h.same(native, r)
    h.check_trace(r.trace)
    h.check(h.recorded(r.trace) if "--mem" not in opts else h.info(r.trace)["accesses"],
            "nothing is recorded")


for name, (command, is_long) in COMMANDS.items():
    for mode, opts in MODES.items():
        if h.LONG or mode == "main" or mode == "mem" and not is_long:
            suite.add(f"{name} {mode}", does_the_same, command, opts)


def calls_of_fib(trace):
    return sum(e.entry and e.function == "fib" for _, _, events in h.dump(trace) for e in events)


@suite.case("proot inside, calls")
def _():
    """The stack of a program under proot is found: all its calls are there."""
    h.need("proot")
    r = h.record(["proot", "-0", program("check_text")], ["--images=main"])
    h.check(calls_of_fib(r.trace) == 1973, f"{calls_of_fib(r.trace)} of 1973 calls")


@suite.case("large bss large, calls")
def _():
    r = h.record([program("large_bss", "-mcmodel=large")], ["--images=main"])
    h.check(calls_of_fib(r.trace) > 1000, f"only {calls_of_fib(r.trace)} calls")


for mode, opts in MODES.items():
    @suite.case(f"proot around {mode}")
    def _(opts=opts):
        h.need("proot")
        exe, trace = program("check_text"), h.fresh("trace") / "t"
        native = h.run(["proot", "-0", exe])
        r = h.run(["proot", "-0", h.BOBBIN, "record", "-q", "-o", trace, *opts, "--", exe])
        h.same(native, r)
        h.check_trace(trace)
        h.check("--mem" in opts or calls_of_fib(trace) == 1973, "calls are missing")


@suite.case("other preloaded libraries stay")
def _():
    """Where the agent leaves the environment (32-bit, Valgrind, --no-follow) the others stay."""
    library = h.compile("other.so", [h.put(h.WORK / "tools" / "other.c", "int other;\n")],
                        "gcc", ["-shared", "-fPIC"])
    argv = ["sh", "-c", "cat /proc/self/maps"]
    env = h.environment({"LD_PRELOAD": str(library)})
    r = h.record(argv, ["--no-follow"], env=env)
    h.check(str(library).encode() in r.out, f"it is gone\n{r}")
    h.check(not re.search(rb"libbobbin-agent", r.out), "the agent is not")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
