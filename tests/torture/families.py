# SPDX-License-Identifier: BSD-3-Clause
"""The families of the torture corpus: which files they are of, how these are compiled, at which
levels.

`programs(patterns)` yields every (program, level) of the corpus, or the reason why a program has
none. The files come from Debian's package gcc-12-source, unpacked into the build directory; csmith
and stress-ng are packages of their own. A path of the archive loses three folders:
gcc-12.2.0/gcc/testsuite/ gcc.dg/x.c and gcc-12.2.0/libgomp/testsuite/libgomp.c/x.c are gcc.dg/x.c
and libgomp.c/x.c in TREE."""

import fcntl
import fnmatch
import glob
import hashlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import directives  # noqa: E402
import harness as h  # noqa: E402

ARCHIVES = "/usr/src/gcc-12/gcc-12.*.tar.xz"
TREE = h.WORK / "torture"
CSMITH_SEEDS = 150
CSMITH_HEADERS = "/usr/include/csmith"
BOTH = ("-O0", "-O2")
MEANT = re.compile(r"dg-do\s+run")
LEVEL = re.compile(r"-O(?:[0-3sgz]|fast)?$")
BUILTINS = (
    "-fno-tree-dse -fno-tree-loop-distribute-patterns -fno-tracer -fno-ipa-ra -fno-inline-functions"
).split()


# Options that the scripts of GCC's test suite give whole folders, by a part of the path.
FOLDER_FLAGS = {
    "/builtins/": BUILTINS,
    "/coroutines/": ["-std=gnu++20"],
    "/coarray/": ["-fcoarray=single"],
    "gcc.dg/atomic/": ["-latomic"],
}


class Family:
    """Files of some folders of the archive. `leave`: folders and files in these that are left out,
    with reasons."""

    def __init__(self, name, folders, suffixes, cc, flags=(), libs=("-lm",), leave=None, run=None):
        self.name, self.folders, self.suffixes, self.cc = name, folders, suffixes, cc
        self.flags, self.libs, self.leave, self.run = flags, libs, leave or {}, run


FORTRAN = (".f90", ".F90", ".f", ".F", ".f03", ".F03", ".f08", ".F08", ".f95", ".F95", ".for")
SANITIZERS = {f: "sanitizer" for f in ("asan", "hwasan", "ubsan", "tsan", "sancov")}
LEFT_OUT = {
    **SANITIZERS,
    "guality": "runs gdb on itself",
    "gcov": "looks at the files of gcov",
    "lib": "part of other programs",
    "simulate-thread": "runs under gdb",
    "goacc": "OpenACC",
    "goacc-gomp": "OpenACC",
    "fixed-point": "other processors",
    "rtl": "not a whole program",
    "modules": "several files in order",
    "compat": "several compilers",
    "plugin": "compiler plug-ins",
}
FAMILIES = (
    Family("c-torture", ("gcc.c-torture/execute",), (".c",), "gcc",
           leave={"lib": "part of other programs"}, run=True),
    Family("gcc.dg", ("gcc.dg",), (".c",), "gcc", leave=LEFT_OUT),
    Family("common-c", ("c-c++-common",), (".c",), "gcc", leave=LEFT_OUT),
    Family("common-c++", ("c-c++-common",), (".c",), "g++", leave=LEFT_OUT),
    Family("g++.dg", ("g++.dg",), (".C", ".cc"), "g++", leave=LEFT_OUT),
    Family("gfortran.dg", ("gfortran.dg",), FORTRAN, "gfortran", leave=LEFT_OUT),
    Family("fortran-torture", ("gfortran.fortran-torture/execute",), FORTRAN, "gfortran", run=True),
    Family("libgomp-c", ("libgomp.c", "libgomp.c-c++-common"), (".c",), "gcc", ("-fopenmp",)),
    Family("libgomp-c++", ("libgomp.c++", "libgomp.c-c++-common"), (".C", ".c"), "g++",
           ("-fopenmp",)),
    Family("libgomp-fortran", ("libgomp.fortran",), FORTRAN, "gfortran", ("-fopenmp",),
           leave={"a.39.1.f90": "prints thread numbers in their order"}),
)
GENERATED = ("csmith", "stress-ng")
NAMES = tuple(f.name for f in FAMILIES) + GENERATED
FOLDERS = sorted({folder for f in FAMILIES for folder in f.folders})
# Stressors that end by themselves after some operations, want no hardware, leave the machine as it
# is and say the same each time (the others were found by running each ten times).
STRESSORS = """access affinity aio bad-altstack branch bsearch cache chdir chmod clock clone close
    context copy-file cpu crypt daemon dekker dentry dir dup dynlib env epoll eventfd exec
    exit-group fault fcntl fifo filename flock fork fp fp-error fpunch fstat funccall funcret futex
    get getdent getrandom goto hash heapsort hsearch icache inotify itimer judy kcmp kill link list
    locka lockf lockofd longjmp lsearch madvise malloc matrix matrix-3d mcontend membarrier memcpy
    memfd mergesort mincore misaligned mmap mmapfork mprotect mq mremap msg msync munmap mutex
    nanosleep nop null open peterson pidfd pipe poll prefetch pthread ptrace pty qsort radixsort
    rdrand regs rename ring-pipe rseq seek sem sem-sysv sendfile session set shellsort shm shm-sysv
    sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt sigsegv
    sigsuspend sigtrap skiplist sock sockfd sockpair sparsematrix spawn splice stack stackmmap str
    stream switch symlink syncload sysbadaddr sysinfo tee timer timerfd tree tsc tsearch urandom
    userfaultfd usersyscall utime vdso vecfp vecmath vecshuf vecwide vfork vm vm-addr vm-rw vm-segv
    vm-splice wait wcs x86syscall yield zero zlib zombie""".split()
# Programs with a race of their own: native runs agree nearly always.
RACES = {
    "pthread": "its last thread is not joined and reads a frame that is gone: if that thread "
    "starts late, it crashes natively, too",
}


class Program:
    """One program at one level: `argv` if it is there as it is, else cc, flags, sources and
    libs."""

    def __init__(self, family, name, level, argv=None):
        self.family, self.name, self.level, self.argv = family, name, level, argv
        self.cc, self.flags, self.sources, self.libs, self.environment = "gcc", [], [], (), {}
        self.unfit = None

    def __str__(self):
        return f"{self.name} {self.level} {self.family}"


def unfit(family, name, reason):
    p = Program(family, name, "-")
    p.unfit = reason
    return p


def unpack():
    """The folders of the archive, unpacked once; raises Skip without an archive."""
    found = sorted(glob.glob(ARCHIVES))
    if not found:
        raise h.Skip(f"no {ARCHIVES}: install the Debian package gcc-12-source")
    TREE.mkdir(parents=True, exist_ok=True)
    with open(TREE / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = TREE / "done"
        what = " ".join([found[-1], *FOLDERS])
        if not done.exists() or done.read_text() != what:
            patterns = [f"*/testsuite/{folder}/*" for folder in FOLDERS]
            r = h.run(
                ["tar", "-xJf", found[-1], "-C", TREE, "--wildcards", "--strip-components=3",
                 *patterns],
                timeout=300,
            )
            h.check(r.status == 0, f"cannot unpack\n{r}")
            done.write_text(what)


def levels(options, torture):
    """Levels to compile at: a program's own if it has one, -O0 and -O2 else."""
    own = [o for o in options if LEVEL.match(o)]
    return (own[-1],) if own and not torture else BOTH


def c_plus_plus(text, flags):
    """The directives of a C++ program, and the option for the first standard that it can be run
    with."""
    named = re.compile(r"-std=(?:gnu|c)\+\+(\w\w)$")
    first, why = None, None
    for standard in (directives.DEFAULT, "20", "23", "14", "11", "98"):
        try:
            d = directives.read(text, "c++" + standard, flags)
        except directives.Unfit as e:
            why = why or e
            continue
        own = [named.match(o)[1] for o in d.options + d.more if named.match(o)]
        if own:
            own = directives.ALIASES.get(own[-1], own[-1])
            return directives.read(text, "c++" + own, flags), []
        if d.run:
            return d, [] if standard == directives.DEFAULT else [f"-std=gnu++{standard}"]
        first = first or d
    if why:
        raise why
    return first, []


def file_programs(family, path):
    """The programs of one file; none if it is not meant to be run."""
    name = str(path.relative_to(TREE))
    text = path.read_text(encoding="utf-8", errors="replace")
    if not family.run and not MEANT.search(text):
        return
    torture = "torture" in name
    std = []
    try:
        if family.cc == "g++":
            d, std = c_plus_plus(text, list(family.flags))
        else:
            d = directives.read(text, "f" if family.cc == "gfortran" else "c", list(family.flags))
    except directives.Unfit as e:
        yield unfit(family.name, name, str(e))
        return
    if d.run is None and not family.run:
        return
    if d.run is False:
        yield unfit(family.name, name, "other target")
        return
    folder = [o for part, flags in FOLDER_FLAGS.items() if part in name for o in flags]
    for level in levels(d.options + d.more, torture):
        p = Program(family.name, name, level)
        p.cc, p.environment = family.cc, d.environment
        p.libs = (*family.libs, *(o for o in folder if o.startswith("-l")))
        if "-fcoarray=lib" in d.options + d.more:
            p.libs = (*p.libs, "-lcaf_single")
        given = [o for o in d.options + d.more if not (torture and LEVEL.match(o))]
        p.flags = ["-w", *family.flags, *std, *(o for o in folder if not o.startswith("-l")), level,
                   *given, f"-I{path.parent}"]
        p.sources = [path, *(path.parent / s for s in d.sources)]
        if "/builtins/" in name:
            p.sources += [path.with_name(path.stem + "-lib.c"), path.parent / "lib/main.c"]
        yield p


def files(family):
    """The files of a family, and (path, reason) of those that folders leave out, if they were to
    run."""
    for folder in family.folders:
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix not in family.suffixes or path.name.endswith("-lib.c"):
                continue
            inner = path.relative_to(TREE / folder).parts[:-1]
            reason = next((family.leave[part]
                           for part in (*inner, path.name) if part in family.leave), None)
            if reason == "part of other programs":
                continue
            yield path, reason


def csmith(matches):
    for seed in range(1, CSMITH_SEEDS + 1):
        name = f"csmith/{seed}.c"
        if not matches(name):
            continue
        path = TREE / name
        if not path.exists():
            h.need("csmith")
            path.parent.mkdir(parents=True, exist_ok=True)
            r = h.run(["csmith", "--seed", seed], timeout=60)
            h.put(path, r.out.decode())
        for level in BOTH:
            p = Program("csmith", name, level)
            p.flags, p.sources = ["-w", level, f"-I{CSMITH_HEADERS}"], [path]
            yield p


def stress_ng(matches):
    for stressor in STRESSORS:
        if matches(f"stress-ng/{stressor}"):
            options = [f"--{stressor}", "1", f"--{stressor}-ops", "5", "--verify", "--no-rand-seed"]
            p = Program("stress-ng", f"stress-ng/{stressor}", "-", ["/usr/bin/stress-ng", *options])
            p.unfit = RACES.get(stressor)
            yield p


def programs(families=NAMES, pattern="*"):
    """Every Program of these families whose name matches the pattern, those that are unfit as
    well."""

    def matches(name):
        return fnmatch.fnmatch(name, pattern)

    for family in FAMILIES:
        if family.name not in families:
            continue
        for path, reason in files(family):
            if not matches(str(path.relative_to(TREE))):
                continue
            if not reason:
                yield from file_programs(family, path)
            elif MEANT.search(path.read_text(encoding="utf-8", errors="replace")):
                yield unfit(family.name, str(path.relative_to(TREE)), reason)
    if "csmith" in families:
        yield from csmith(matches)
    if "stress-ng" in families:
        yield from stress_ng(matches)


def find(family, name, level):
    """The Program of this family, name and level; unfit if there is none."""
    if family in GENERATED:
        found = (csmith if family == "csmith" else stress_ng)(lambda other: other == name)
    else:
        found = file_programs(next(f for f in FAMILIES if f.name == family), TREE / name)
    for p in found:
        if p.unfit or p.level == level:
            return p
    return unfit(family, name, "not in the corpus")


def order(program):
    """A key that shuffles, always in the same way, so that the first programs are a fair sample."""
    return hashlib.sha256(str(program).encode()).digest()
