# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of MPI recording share: start ranks natively and recorded, read events by the
names of their parameters, compare them with what a program says that it did (oracle.h)."""
import ast
import functools
import os
import pathlib
import re
import sys

import harness as h

sys.path.insert(0, str(h.ROOT / "src" / "mpi"))
import table as roles  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BOBBIN_BUILD", h.ROOT / "build" / "release"))
MPIS = ("openmpi", "mpich")
# More ranks than processors: Open MPI must yield while it waits, and with yield.c it then sleeps,
# as MPICH does.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_orte_abort_print_stack": "0"}
TABLE = roles.Table(str(h.ROOT / "src" / "mpi" / "functions.txt"))


def compiler(mpi, language="c"):
    name = {"c": "mpicc", "c++": "mpicxx", "fortran": "mpif90"}[language] + "." + mpi
    h.need(name, f"mpirun.{mpi}")
    return name


def program(mpi, name, flags=(), language="c", libs=(), extra=()):
    """One of tests/prog/mpi, or an absolute path."""
    source = str(h.PROG / "mpi" / name)
    stem = pathlib.Path(name).name
    flags = ["-O1", "-w", "-pthread", f"-I{h.PROG / 'mpi'}", *flags]
    # built anew with a header that has changed
    stamp = max(p.stat().st_mtime_ns for p in (h.PROG / "mpi").glob("*.h"))
    return h.compile(f"{stem}.{mpi}", [source, *extra], compiler(mpi, language),
                     [*flags, f"-DSTAMP={stamp}"], libs)


def library(name, source, cc="gcc", flags=()):
    return h.compile(name, [source], cc, ["-shared", "-fPIC", "-O1", "-w", *flags], ["-ldl"])


def mpirun(mpi, ranks):
    h.need(f"mpirun.{mpi}")
    return [f"mpirun.{mpi}", "-n", str(ranks)]


def yielding():
    """What is preloaded into ranks, which would use up the processors while they wait."""
    return str(library("yield.so", "mpi/yield.c"))


def environment(mpi, extra=None):
    return h.environment({**ENVIRONMENT, "LD_PRELOAD": yielding(), **(extra or {})})


def native(mpi, ranks, argv, env=None, **kw):
    return h.run([*mpirun(mpi, ranks), *argv], env=environment(mpi, env), **kw)


def record(mpi, ranks, argv, options=(), env=None, **kw):
    trace = h.fresh("mpi") / "t"
    r = h.run([*mpirun(mpi, ranks), h.BOBBIN, "record", "-q", "--mpi", *options, "-o", trace, "--",
               *argv], env=environment(mpi, env), **kw)
    r.trace = trace
    return r


# --- events ---


class Event:
    """A call: its function's name without MPI_, and the values of its parameters by their names.
    What goes in and comes out has two: NAME, and NAME> after the call. What the function returned
    is `result`; a parameter of that name is `compared`. A new communicator's members are
    NAME.members, a new type's size is NAME.size."""

    __slots__ = ("name", "open", "lost", "depth", "place", "values", "words")

    def __init__(self, line):
        fields = line.replace("]", "").split("[")
        head = fields[0].split()
        self.name = head[0]
        self.open, self.lost, self.depth = head[1] == "1", head[2] == "1", int(head[3])
        self.place = head[4]
        self.words = [int(w) for w in head[5:]]
        vectors = [[int(w) for w in f.split()] for f in fields[1:]]
        self.values = values(self.name, self.words, vectors, self.open)

    def __str__(self):
        return self.name + " " + " ".join(f"{k}={v}" for k, v in self.values.items())


def text_of(length, words):
    return b"".join((w & (1 << 64) - 1).to_bytes(8, "little")
                    for w in words)[:length].decode("latin-1")


@functools.cache
def parameters(name):
    return {p.name: p for p in TABLE.find(name)[0].parameters}


@functools.cache
def layout(name):
    return TABLE.find(name)[0].layout()


@functools.cache
def steps(name):
    """What becomes of each word of an event: (step, key, parameter)."""
    out = []
    for p, what in layout(name):
        if p is None:
            out.append(("word", "result", p))
            continue
        key = "compared" if p.name == "result" else p.name + (">" if p.goes_in and what == "out"
                                                              else "")
        if what == "members":
            out.append(("members", p.name + ".members", p))
        elif what in ("in", "out") and p.is_vector:
            out.append(("text" if p.is_text else "statuses" if p.role == "status" else "vector",
                        key, p))
        elif what == "out" and p.role == "status":
            out.append(("status", key, p))
        elif what in ("tag", "bytes"):
            out.append(("more", p.name, p))
        else:
            out.append(("word", p.name + ".size" if what == "size" else key, p))
    return out


def values(name, words, vectors, is_open=False):
    shape = steps(name)
    if len(words) != len(shape):
        raise h.Failure(f"{name} has {len(words)} words, functions.txt says {len(shape)}")
    out, vectors = {}, iter(vectors)
    for (step, key, p), word in zip(shape, words):
        if step == "word":
            out[key] = word
        elif step == "status":
            out[key] = (word,)
        elif step == "more":
            out[key] += (word,)
        elif step == "text":
            out[key] = text_of(word, next(vectors))
        else:
            v = next(vectors)
            value = [tuple(v[i : i + 3]) for i in range(0, len(v), 3)] if step == "statuses" else v
            if len(value) != word and not is_open:
                what = "members" if step == "members" else f"elements of {p.name}"
                raise h.Failure(f"{name}: {len(value)} {what}, {word} said")
            out[key] = value
    return out


class Thread:
    def __init__(self, rank, pid, number):
        self.rank, self.pid, self.number, self.events = rank, pid, number, []


def printer():
    libs = [str(BUILD / "lib" / f"lib{n}.a")
            for n in ("bob_archive", "bob_mem", "bob_fold", "bob_run", "bob_base")]
    parts = [str(p) for p in sorted((BUILD / "lib").glob("*.a"))]
    stamp = max(os.stat(p).st_mtime_ns for p in parts)
    return h.compile("print_events", ["mpi/print_events.c"], "gcc",
                     ["-O1", f"-I{h.ROOT / 'src'}", f"-I{h.ROOT / 'include'}", f"-DSTAMP={stamp}"],
                     [*libs, "-lzstd", "-lm"])


def read(trace, problems=False, nothing=False):
    """[Thread], by rank, those that have events. `nothing`: there may be no process in it."""
    r = h.run([printer(), trace])
    if nothing and b"no process in the trace" in r.err:
        return []
    h.check(r.status == 0, f"the trace cannot be read\n{r}")
    threads = []
    for line in r.out.decode().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "T":
            rank, pid, number = rest.split()
            threads.append(Thread(int(rank), int(pid), int(number)))
        elif kind == "P":
            h.check(problems, f"the trace has a problem: {rest}")
        else:
            threads[-1].events.append(Event(line))
    return sorted((t for t in threads if t.events), key=lambda t: (t.rank, t.number))


def counts(threads):
    n = {}
    for t in threads:
        for e in t.events:
            n[e.name] = n.get(e.name, 0) + 1
    return n


# --- what a program says ---

PREDEFINED = {(kind, name): number for kind, number, name, _ in TABLE.predefined}
SIZES = {name: size for kind, number, name, size in TABLE.predefined if kind == "type"}
# Parameters that oracles need not name, by role; an oracle that does is compared as well.
UNSAID = ("buf", "function", "pointer")


def number_of(kind, name):
    return PREDEFINED.get((kind, name), name)


@functools.lru_cache(1 << 16)
def value_of(kind, value):
    """Of a parameter of that role."""
    if kind in roles.BITS and value[0] == "M":
        return sum(1 << PREDEFINED[kind, v] - 1 for v in value.split("|"))
    if (kind, value) in PREDEFINED:
        return PREDEFINED[kind, value]
    if "," in value and value[0] == "[" and re.search("[A-Z]", value):
        return [PREDEFINED[kind, v] if (kind, v) in PREDEFINED else int(v)
                for v in value[1:-1].split(",") if v]
    if value[0] == "[" and re.search("[A-Z]", value):
        return [PREDEFINED[kind, value[1:-1]]]
    return ast.literal_eval(value)


@functools.cache
def parameter_of(name, key):
    """The one that a key NAME, NAME> or NAME.what is of; None: what is said beside them."""
    return parameters(name).get("result" if key == "compared" else re.sub(r"[.>].*", "", key))


def said(line):
    """(name, {parameter: value}) of a line NAME key=value...; values are Python's, or names of
    predefined handles."""
    name, *fields = re.findall(r"[^\s=]+=(?:\"[^\"]*\"|\S+)|\S+",
                               line) if '"' in line else line.split()
    out = {}
    for f in fields:
        key, _, value = f.partition("=")
        if value.isdecimal():
            out[key] = int(value)
        else:
            p = parameter_of(name, key)
            out[key] = value_of(p.role if p else None, value)
    return name, out


def differ(event, line):
    """None, or what is different."""
    name, want = said(line)
    if event.name != name:
        return f"{event.name} instead of {name}"
    for key, value in event.values.items():
        if key not in want:
            p = parameters(name).get(re.sub(r"[.>].*", "", key))
            if p is None or p.role not in UNSAID:
                return f"{key}={value!r} is recorded, the program says nothing of it"
        elif list(want[key]) != list(value) if isinstance(value, (list,
                                                                  tuple)) else want[key] != value:
            return f"{key} is recorded as {value!r}, it was {want[key]!r}"
    for key in want:
        if key not in event.values:
            return f"{key} is not recorded"
    return None


def same(events, lines, where):
    """The events are exactly those of the lines, in order."""
    for i, (e, line) in enumerate(zip(events, lines)):
        d = differ(e, line)
        if e.lost or e.open:
            d = "it is marked as lost or open"
        if d:
            before = "\n".join(f"  {x}" for x in lines[max(0, i - 4) : i])
            raise h.Failure(f"{where}, event {i}: {d}\n{before}\nsaid     {line}\nrecorded {e}")
    if len(events) != len(lines):
        i = min(len(events), len(lines))
        more = events[i] if len(events) > i else lines[i]
        raise h.Failure(f"{where}: {len(events)} events, the program says {len(lines)}; {more}")


def oracle(directory):
    """{rank: [lines of a thread]}: files RANK.THREAD."""
    out = {}
    for f in sorted(pathlib.Path(directory).iterdir()):
        rank, thread = f.name.split(".")
        out.setdefault(int(rank), []).append(f.read_text().splitlines())
    return out


def check_oracle(trace, directory, problems=False):
    """Each thread that recorded is one that the program reports; how many events."""
    found, want, total = read(trace, problems), oracle(directory), 0
    h.check(sorted({t.rank for t in found}) == sorted(want),
            f"ranks {[t.rank for t in found]}, said {sorted(want)}")
    for rank, threads in want.items():
        have = [t for t in found if t.rank == rank]
        h.check(len(have) == len(threads),
                f"rank {rank}: {len(have)} threads with events, said {len(threads)}")
        for lines in threads:
            # threads are known by what is only theirs: the first line that names one
            t = have[0] if len(have) == 1 else closest(have, lines)
            same(t.events, lines, f"rank {rank} thread {t.number}")
            have.remove(t)
            total += len(lines)
    return total


def closest(threads, lines):
    """The thread that agrees with the most lines."""

    def agree(t):
        return sum(differ(e, line) is None for e, line in list(zip(t.events, lines))[:200])

    return max(threads, key=agree)


# --- a tool beside ours: it counts calls of C by PMPI, as mpiP does ---

import header  # noqa: E402

_declared = {}


def declared(mpi):
    """Prototypes of that mpi.h, MPI-1's among them."""
    if mpi not in _declared:
        text = header.preprocess([compiler(mpi)],
                                 "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n")
        found = header.prototypes(text)
        _declared[mpi] = {n: p for n, p in found.items() if p.result == "int"
                          and not TABLE.skipped(n)}
    return _declared[mpi]


def counter(mpi):
    """Path of C code that counts every call; at the end of the process it writes
    COUNT_DIR/TAG.PID."""
    names = sorted(declared(mpi))
    out = ["#define OMPI_OMIT_MPI1_COMPAT_DECLS 0", "#include <mpi.h>", "#include <stdio.h>",
           "#include <stdlib.h>", "#include <unistd.h>",
           "static unsigned long calls[%d];" % len(names)]
    for i, name in enumerate(names):
        p = declared(mpi)[name].parameters
        arguments = [re.sub(r"\[.*", "", x).split()[-1].lstrip("*") for x in p]
        if name == "Pcontrol":
            p, arguments = ["const int level", "..."], ["level"]
        count = f"__atomic_add_fetch(&calls[{i}], 1, __ATOMIC_RELAXED);"
        out.append(f"int MPI_{name}({', '.join(p) or 'void'}) {{ {count} return "
                   f"PMPI_{name}({', '.join(arguments)}); }}")
    out += ["static const char *const names[] = {" + ", ".join(f'"{x}"' for x in names) + "};",
            "__attribute__((destructor)) static void print_counts(void)", "{", "\tchar path[4096];",
            "\tFILE *f;", '\tif (!getenv("COUNT_DIR"))', "\t\treturn;",
            '\tsnprintf(path, sizeof(path), "%s/" TAG ".%d", getenv("COUNT_DIR"), (int)getpid());',
            '\tf = fopen(path, "w");', f"\tfor (int i = 0; i < {len(names)}; i++)",
            "\t\tif (calls[i])", '\t\t\tfprintf(f, "%s %lu\\n", names[i], calls[i]);',
            "\tfclose(f);", "}", ""]
    return h.put(h.WORK / f"counter_{mpi}.c", "\n".join(out))


def counter_library(mpi, tag):
    return h.compile(f"libcount-{tag}.so", [counter(mpi)], compiler(mpi),
                     ["-shared", "-fPIC", "-O1", "-w", f'-DTAG="{tag}"'])


def counted(directory, tag):
    """{function: calls} of all processes; processes without calls report nothing."""
    n = {}
    for f in pathlib.Path(directory).glob(f"{tag}.*"):
        for line in f.read_text().splitlines():
            name, count = line.split()
            n[name] = n.get(name, 0) + int(count)
    return n


def same_counts(events, want, what):
    different = sorted(k for k in events.keys() | want.keys() if events.get(k, 0) != want.get(k, 0))
    h.check(not different, f"{what}: events and calls differ: "
            + ", ".join(f"{k} {events.get(k, 0)} events {want.get(k, 0)} calls"
                        for k in different[:12]))


def have(mpi):
    """A folder with have.h: HAVE_NAME for what the MPI has; with -DLARGE, names stand for their
    large-count variants."""
    names = sorted(declared(mpi))
    text = "".join(f"#define HAVE_{n}\n" for n in names) + "#ifdef LARGE\n" + "".join(
        f"#define MPI_{n[:-2]} MPI_{n}\n" for n in names if n.endswith("_c")) + "#endif\n"
    return h.put(h.WORK / f"have_{mpi}" / "have.h", text).parent
