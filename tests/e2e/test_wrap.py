#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""bobbin wrap: what it generates compiles, passes everything on as it is, and reports to a recorder
(tests/prog/wrap_recorder.c writes down what it gets) what was passed."""

import ctypes
import os
import re

import harness as h
import wrap_corpus

suite = h.Suite("wrap")
RUNS = {"through": ["wrap_through.c"], "recorder": ["wrap_recorder.c"]}


def library(name, cc="gcc", flags=()):
    return h.compile(name + ".so", RUNS[name], cc,
                     ["-O2", "-shared", "-fPIC", "-fexceptions", f"-I{h.ROOT}/include", *flags])


def generate(spec, *options, folder=None, status=0):
    """A folder with the spec and what was generated for it in `out`."""
    folder = folder or h.fresh("wrap")
    (folder / "a.spec").write_text(spec)
    r = h.bobbin("wrap", "-o", "out", *options, "a.spec", cwd=folder)
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    return folder, r


def build(folder, cc="gcc", *flags):
    so = folder / "out" / "libwrap.so"
    r = h.run([cc, "-O2", "-Wall", "-Wextra", "-Werror", *flags, "-I..", "-fexceptions", "-shared",
               "-fPIC", "-o", so, "wrap.c"], cwd=folder / "out")
    h.check(r.status == 0, f"does not compile\n{r}")
    return so


def wrapped(argv, so, folder, recorder=True, **kw):
    """The program with wrappers; the result has the recorder's lines."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    extra = {"LD_PRELOAD": f"{library('recorder')}:{so}" if recorder else str(so),
             "WRAP_LOG": str(log)}
    r = h.run(argv, env=h.environment({**kw.pop("env", {}), **extra}), **kw)
    r.log = log.read_text("utf-8", "replace").replace("\n\n", "\n") if log.exists() else ""
    return r


def plain(argv, **kw):
    return h.run(argv, env=h.environment(kw.pop("env", {})), **kw)


# --- everything that C can pass ---


def corpus_in(folder):
    (folder / "types.h").write_text(wrap_corpus.TYPES)
    (folder / "lib.c").write_text(wrap_corpus.library())
    (folder / "main.c").write_text(wrap_corpus.program())
    for command in (["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", "libcorpus.so", "lib.c"],
                    ["gcc", "-w", "-O1", "-o", "main", "main.c", folder / "libcorpus.so"]):
        r = h.run(command, cwd=folder)
        h.check(r.status == 0, f"does not compile\n{r}")


def check_corpus(log):
    at = log.index("\n> ")
    lines = iter(log[at + 1:].splitlines())
    for name, begin, end in wrap_corpus.events():
        for mark, values in ((">", begin), ("<", end)):
            want = f"{mark} {name} {values}".strip()
            got = next(lines, "nothing")
            h.check(got == want, f"recorded: {got}, not: {want}")
    h.check(next(lines, None) is None, "more was recorded than was called")


def corpus(cc, flags):
    h.need(cc)
    folder = h.fresh("corpus")
    corpus_in(folder)
    generate(wrap_corpus.spec(), "--binary", "main", folder=folder)
    so = build(folder, cc, *flags)
    native = plain([folder / "main"])
    r = wrapped([folder / "main"], so, folder)
    h.same(native, r)
    check_corpus(r.log)
    h.same(native, wrapped([folder / "main"], so, folder, recorder=False), "without a recorder: ")
    return f"{len(wrap_corpus.FUNCTIONS)} functions"


suite.add("corpus, gcc -O2", corpus, "gcc", [])
suite.add("corpus, clang -O0", corpus, "clang", ["-O0"])

# --- ways out ---

THROUGH = """\
include:
#include <stddef.h>
definitions:
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
int through(int n, int (*f)(void *), void *, ...);
int printf(string format, ...);
"""


@suite.case("exceptions, longjmp, end of a thread")
def ways_out():
    h.need("g++")
    through = library("through")
    program = h.compile("throw", ["wrap_throw.cc", str(through)], "g++", ["-O1", "-pthread"])
    folder, _ = generate(THROUGH, "--binary", program)
    native = plain([program])
    h.check(native.status == 0 and b"242 destroyed" in native.out, f"the program itself\n{native}")
    for cc in ("gcc", "clang"):
        r = wrapped([program], build(folder, cc), folder)
        h.same(native, r, cc + ": ")
        for line, count in (("> qsort", 120), ("< qsort", 60), ("> through", 241),
                            ("< through", 181), ("> printf", 241)):
            got = sum(l.startswith(line) for l in r.log.splitlines())
            h.check(got == count, f"{cc}: {got} of {line}, not {count}")


# --- programs of others ---



@suite.case("a stripped program of the system")
def stripped():
    h.need("lua5.4")
    folder, _ = generate("definitions:\ndouble sin(double x);\nFILE *fopen64(string, string);\n"
                         "string getenv(string name);\n"
                         "double pow(double, double);\ninclude:\n#include <stdio.h>\n", "--binary",
                         "/usr/bin/lua5.4")
    argv = ["lua5.4", "-e",
            "print(math.sin(0.5), 2.5^3, io.open('/nonexistent/x')); print(os.getenv('TZ'))"]
    r = wrapped(argv, build(folder), folder)
    h.same(plain(argv), r)
    for line in ("> sin 0.500\n< sin 0.479\n", "> pow 2.500 3.000\n< pow 15.625\n",
                 "> fopen64 /nonexistent/x r\n< fopen64 0\n", "> getenv TZ\n< getenv UTC\n"):
        h.check(line in r.log, f"not recorded: {line}\n{r.log}")


@suite.case("a Fortran program")
def fortran():
    h.need("gfortran")
    folder = h.fresh("fortran")
    (folder / "lib.f90").write_text("subroutine scaled(n, a, x)\n integer :: n\n"
                                    " real(8) :: a, x(n)\n x = a * x\nend\n"
                                    "real(8) function total(n, x)\n integer :: n\n"
                                    " real(8) :: x(n)\n total = sum(x)\nend\n")
    (folder / "main.f90").write_text("program p\n real(8) :: x(4) = [1, 2, 3, 4], total\n"
                                     " call scaled(4, 2.5d0, x)\n print *, total(4, x)\nend\n")
    for command in (["gfortran", "-shared", "-fPIC", "-o", "libf.so", "lib.f90"],
                    ["gfortran", "-o", "main", "main.f90", folder / "libf.so"]):
        r = h.run(command, cwd=folder)
        h.check(r.status == 0, f"does not compile\n{r}")
    generate("definitions:\nvoid scaled_(int *n, double *a, double *x);\n"
             "double total_(int *n, double *x);\n", "--binary", "main", folder=folder)
    r = wrapped([folder / "main"], build(folder), folder)
    h.same(plain([folder / "main"]), r)
    h.check("> scaled_ 1 1 1\n< scaled_\n> total_ 1 1\n< total_ 25.000\n" in r.log, r.log)


# --- blocks ---

BLOCKS = """\
sj-include:
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
static int tries;

sj-definitions:
# before may change parameters, after the result
int abs(int n)
before { n += 1; errno = 5; puts("before"); }
after { /* } */ result *= 10; printf("after '}' %d\\n", result); }
long labs(long n)
around {
	if (n == 7)
		return -1;
	while (++tries % 3)
		(void)proceed();
	proceed();
}
void srand(unsigned seed) around { printf("seed %u\\n", seed); }
int printf(string format, ...)
before { tries += 0; }
after { if (result > 3) puts("long"); }
int puts(string s);
"""
BLOCKS_PROGRAM = """\
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	(void)argv;
	errno = 3;
	int r = abs(-8 * argc);
	printf("%d %d\\n", r, errno);
	printf("%ld %ld\\n", labs(7 * argc), labs(-9 * argc));
	srand((unsigned)argc);
	return 0;
}
"""


@suite.case("blocks of code")
def blocks():
    folder, _ = generate(BLOCKS)
    (folder / "p.c").write_text(BLOCKS_PROGRAM)
    r = h.run(["gcc", "-O1", "-fno-builtin", "-o", folder / "p", folder / "p.c"])
    h.check(r.status == 0, str(r))
    want = "before\nafter '}' 70\n70 3\nlong\n-1 9\nlong\nseed 1\n"
    for cc in ("gcc", "clang"):
        so = build(folder, cc)
        for recorder in (True, False):
            r = wrapped([folder / "p"], so, folder, recorder)
            h.check(r.out.decode() == want, f"{cc}: printed\n{r}")
        # what blocks call is not recorded; what the function does is, once
        r = wrapped([folder / "p"], so, folder)
        events = [l for l in r.log.splitlines() if l[0] in "<>"]
        h.check(events == ["> abs -7", "< abs 7", "> printf %d %d", "< printf 5", "> labs -9",
                           "< labs 9", "> labs 7", "< labs -1", "> printf %ld %ld", "< printf 5",
                           "> srand 1", "< srand"], "\n".join(events))


# --- functions of the program itself, at link time ---

OWN = """\
#include <stdio.h>
int own(int n);
int variable(int n, ...);
int main(void)
{
	printf("%d %d\\n", own(3), variable(2, 4));
	return 0;
}
"""


@suite.case("linked into the program")
def linked():
    folder = h.fresh("linked")
    (folder / "main.c").write_text(OWN)
    (folder / "own.c").write_text("int own(int n) { return n + 1; }\n"
                                  "int variable(int n, ...) { return 2 * n; }\n")
    r = h.run(["gcc", "-o", "main", "main.c", "own.c"], cwd=folder)
    h.check(r.status == 0, str(r))
    _, r = generate("definitions:\nint own(int n);\nint variable(int n, ...);\n"
                    "int puts(const char *s);\n", "--binary", "main", folder=folder)
    h.check(b"wrap.c: 1 function of" in r.out and b"wrap-link.c: 2 functions" in r.out, str(r))
    for command in (["gcc", "-O2", "-Wall", "-Werror", "-fexceptions", "-c", "out/wrap-link.c"],
                    ["gcc", "-o", "relinked", "main.c", "own.c", "wrap-link.o",
                     "@out/wrap-link.flags"],
                    ["gcc", "-static", "-o", "static", "main.c", "own.c", "wrap-link.o",
                     "@out/wrap-link.flags"]):
        r = h.run(command, cwd=folder)
        h.check(r.status == 0, str(r))
    native = plain([folder / "main"])
    r = wrapped([folder / "relinked"], "", folder)
    h.same(native, r)
    h.check("> own 3\n< own 4\n" in r.log and "> variable 2\n< variable 4\n" in r.log, r.log)
    h.same(native, plain([folder / "static"]), "linked statically: ")


# --- what is wrong with a spec ---

WRONG = [
    ("definitions:\nint f(int\n",
     "a.spec:3:1: expected ',' or ')' after a parameter, found the end of the file"),
    ("int f(void);\n", "a.spec:1:1: expected a line 'include:' or 'definitions:'"),
    ("definitions:\n", "a.spec:2:1: expected a prototype, found the end of the file"),
    ("definitions:\n  int f(void)\n  int g(void);\n",
     "a.spec:3:3: expected ';', 'before', 'after', 'around' or 'when' after a prototype, found "
     "'int'"),
    ("definitions:\nint x;\n", "a.spec:2:5: expected a function: 'x' is not one"),
    ("definitions:\nint f(int a, long a);\n",
     "a.spec:2:19: expected another name: there is a parameter 'a' already"),
    ("definitions:\nint f(int a b);\n",
     "a.spec:2:13: expected ',' or ')' after a parameter, found 'b'"),
    ("definitions:\nint f(struct { int i; } s);\n", "a.spec:2:14: expected a tag, found '{'"),
    ("definitions:\nint f(struct s { int i; } s);\n",
     "a.spec:2:16: expected no definition here: that belongs in the include section, found '{'"),
    ("definitions:\nf(int);\n", "a.spec:2:2: expected the name of a function, found '('"),
    ("definitions:\nint f(void) before { if (1) { }\n", "a.spec:2:20: expected an end of this '{'"),
    ("definitions:\nint f(void) before { ) }\n", "a.spec:2:22: expected '}', found ')'"),
    ("definitions:\nint f(void) after { return; }\n",
     "a.spec:2:21: expected no return here: that is for around blocks"),
    ("definitions:\nint f(void) before {} before {}\n",
     "a.spec:2:23: expected at most one block 'before'"),
    ("definitions:\nint f(int n) when { n > }\n",
     "a.spec:2:24: expected a parameter's name, a number or a \"text\""),
    ("definitions:\nint f(int n)\nwhen {\n  n > 1 &&\n  m }\n",
     "a.spec:5:3: expected a parameter that is in the event (int n -> int result), found 'm'"),
    ("definitions:\nint f(int n) when { result }\n", "a.spec:2:21: expected a parameter that is in "
     "the event (int n -> int result), found 'result'"),
    ("definitions:\nint f(int n) when { n } before {} when { n }\n",
     "a.spec:2:35: expected at most one 'when'"),
    ("definitions:\nint f(int n) when n;\n", "a.spec:2:19: expected '{', found 'n'"),
    ("definitions:\nint f(int, ...) around { }\n",
     "a.spec:2:17: expected no around block: the parameters of a function with "
     "'...' or '()' cannot be passed on by C code"),
    ("definitions:\nint f(void);\n/* open\n",
     "a.spec:3:1: expected an end of what begins here with a comment"),
    ("definitions:\nint f(void) before { \"x; }\n",
     "a.spec:2:22: expected an end of what begins here with a double quote"),
    ("definitions:\nint f(void);\nlong f(int);\n",
     "a.spec:3:6: expected each function once: f is in line 2"),
    ("definitions:\nint f(int)[3];\n",
     "a.spec:2:1: expected a function that returns no array and no function"),
    ("definitions:\nint f(..., int);\n", "a.spec:2:10: expected ')' after '...', found ','"),
    ("definitions:\nint f(void x, int);\n",
     "a.spec:2:7: expected a type that has values, found 'void'"),
    ("definitions:\nint f(int " + "(" * 70 + "x);\n", "more than 64 declarators in one another"),
    ("definitions:\nint f(" + "int," * 200 + "int);\n", "more than 127 parameters"),
    ("definitions:\nstruct s f(int, ...);\n",
     "a.spec:2:10: f cannot be wrapped: with '...' or '()' only numbers and "
     "pointers can be returned"),
    ("definitions:\nint setjmp(void *b);\n",
     "a.spec:2:5: setjmp cannot be wrapped: it returns twice"),
    ("definitions:\nint vfork(void);\n", "vfork cannot be wrapped: it returns twice"),
    ("definitions:\nvoid *dlsym(void *, const char *);\n",
     "dlsym cannot be wrapped: it depends on its caller"),
    ("definitions:\nvoid *memcpy(void *, const void *, unsigned long);\n",
     "memcpy cannot be wrapped: compilers call it"),
    ("definitions:\nint f(void) __asm__(\"a b\");\n", "a.spec:2:21: expected letters, digits"),
    ("definitions:\nint f(void)\x00;\n", "expected text: it has zero bytes"),
    ("definitions:\nint f(int \x1b[31m);\n",
     "a.spec:2:11: expected ',' or ')' after a parameter, found '?'"),
    ("", "a.spec:1:1: expected a prototype, found the end of the file"),
]


@suite.case("errors: where, and what was expected")
def errors():
    folder = h.fresh("errors")
    for spec, want in WRONG:
        _, r = generate(spec, folder=folder, status=1)
        text = r.err.decode()
        h.check(text.startswith("bobbin: wrap: ") and want in text and text.count("\n") == 1
                and text[:-1].isprintable(), f"{spec!r}\nwant: {want}\n{r}")
        h.check(os.listdir(folder) == ["a.spec"], f"left over: {os.listdir(folder)}")
    return f"{len(WRONG)} specs"


@suite.case("errors: files and programs")
def errors_of_files():
    folder, r = generate("definitions:\nint f(void);\nint environ(void);\n", "--binary",
                         "/nonexistent", status=1)
    h.check(b"/nonexistent" in r.err, str(r))
    _, r = generate("definitions:\nint f(void);\n", "--binary", "a.spec", folder=folder, status=1)
    h.check(b"no x86-64 program" in r.err, str(r))
    (folder / "p.c").write_text("int data = 1; int main(void) { return 0; }\n")
    h.run(["gcc", "-o", "p", "p.c"], cwd=folder)
    _, r = generate("definitions:\nint data(void);\n", "--binary", "p", folder=folder, status=1)
    h.check(b"a.spec:2:5: expected a function: in p, data is data" in r.err, str(r))
    _, r = generate("definitions:\nint nowhere(void);\n", "--binary", "p", folder=folder)
    h.check(b"nowhere is neither in p nor in a library" in r.err, str(r))
    _, r = generate("definitions:\nint f(void);\n", folder=folder, status=1)
    h.check(b"out is there already" in r.err, str(r))
    r = h.bobbin("wrap", "missing.spec", cwd=folder)
    h.check(r.status == 1 and b"cannot read missing.spec" in r.err, str(r))
    r = h.bobbin("wrap", cwd=folder)
    h.check(r.status == 2, str(r))


@suite.case("a function that no library has")
def missing():
    folder, _ = generate("definitions:\nint optional(int n);\n")
    (folder / "p.c").write_text("__attribute__((weak)) int optional(int);\n"
                                "int main(void) { return optional ? optional(1) : 3; }\n")
    h.run(["gcc", "-o", "p", "p.c"], cwd=folder)
    r = wrapped([folder / "p"], build(folder), folder)
    h.check(r.status == 0 and r.err
            == b"bobbin: a wrapped function was called that no library has: optional; it gives 0\n",
            str(r))


@suite.case("MPI's functions are left to the recorder of MPI")
def mpi():
    folder, r = generate("sj-include:\n#include <mpi.h>\nsj-definitions:\n"
                         "int MPI_Send(void *buf, int count, MPI_Datatype datatype,"
                         " int dest, int tag, MPI_Comm comm);\nint MPI_Barrier(MPI_Comm);\n")
    h.check(r.out.decode().endswith("record --mpi --mpi-functions=MPI_Send "
                                    "--mpi-functions=MPI_Barrier\n"), str(r))
    h.check(not (folder / "out").exists(), "something was generated")


@suite.case("many parameters, long names")
def limits():
    name, long = "f" * 200, "p" * 100
    folder, r = generate(f"definitions:\nint {name}(int {long}1, int {long}2, double {long[:30]}, "
                         f"string s1, string s2, string s3," " string s4, string s5, string s6, "
                         "string s7, string s8, string s9, int last);\n")
    build(folder)
    text = (folder / "out" / "wrap.c").read_text()
    event = re.search(r'\.name = "([^"]*)",\n\t\.parameters = "([^"]*)"', text)
    h.check(len(event[1]) <= 63 and event[2].count("string") <= 8
            and event[2].endswith(" -> int result"), str(event[0]))
    names = [w.split()[1] for w in event[2].replace(" -> ", ", ").split(", ")]
    h.check(len(names) <= 16 and sum(len(n) + 2 for n in names) <= 128
            and len(set(names)) == len(names), str(names))
    h.check(b"are not recorded" in r.err, str(r))


# --- record --wrap ---


def record(argv, spec, *options, status=0, env=None):
    """Recorded with a cache of its own; the result has .trace and .libraries."""
    folder = h.fresh("record")
    (folder / "a.spec").write_text(spec)
    return record_in(folder, argv, *options, status=status, env=env)


def record_in(folder, argv, *options, status=0, env=None):
    env = h.environment({"BOBBIN_CACHE": str(folder / "cache"), **(env or {})})
    (folder / "cache").mkdir(mode=0o700, exist_ok=True)
    r = h.run([h.BOBBIN, "record", "-q", "-o", folder / "t", *options, "--wrap", folder / "a.spec",
               "--", *argv], env=env)
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    r.trace, r.folder = folder / "t", folder
    r.libraries = sorted(p.name for p in (folder / "cache").glob("*.so"))
    h.check(not list((folder / "cache").glob("wrap.*")), "something is left in the cache")
    return r


def shown(r):
    text = h.bobbin("show", r.trace)
    h.check(text.status == 0, str(text))
    h.check_trace(r.trace)
    return text.out.decode()


FAMILY = ("void free(void *p)", "void *malloc(size_t n)", "void *calloc(size_t n, size_t size)",
          "void *realloc(void *p, size_t n)",
          "int posix_memalign(void **to, size_t align, size_t n)",
          "void *aligned_alloc(size_t align, size_t n)", "void *memalign(size_t align, size_t n)")


def allocators(chosen, cc):
    """Of malloc's family these, after a function that no process has: looking that up allocates."""
    h.need(cc)
    argv = [h.compile("wrap_alloc", ["wrap_alloc.c"], cc,
                      ["-O1", "-w", "-fno-builtin", "-pthread"])]
    names = [prototype.split("(")[0].split("*")[-1].split()[-1] for prototype in chosen]
    spec = ("include:\n#include <malloc.h>\n#include <stdlib.h>\ndefinitions:\n"
            "int no_such_function(int a);\n")
    r = record(argv, spec + "".join(f"{prototype};\n" for prototype in chosen))
    h.same(h.run(argv), r)
    rows = h.bobbin("report", r.trace).out.decode().splitlines()
    for name in names:
        h.check(any(row.split()[-1:] == [name] for row in rows), f"no {name}\n{rows}")
    r = record(["/bin/sh", "-c", "echo hi; ls /proc/self/fd >/dev/null; echo ho"],
               spec + "void free(void *p);\n")
    h.check((r.out, r.err) == (b"hi\nho\n", b""), str(r))


for only in FAMILY:
    suite.add(f"record --wrap: {only.split('(')[0]}", allocators, [only], "gcc")
suite.add("record --wrap: malloc's family", allocators, FAMILY, "gcc")
suite.add("record --wrap: malloc's family, clang", allocators, FAMILY, "clang")


OPENED = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int sum = 0;
	for (int round = 0; round < 3; round++) {
		void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		void *other = round == 1 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
		int (*call)(int) = plugin ? (int (*)(int))dlsym(plugin, "call") : NULL;
		for (int i = 0; call && i < 4; i++)
			sum = sum * 3 + call(i);
		if (plugin)
			dlclose(plugin);
		if (other)
			dlclose(other);
	}
	printf("%d\\n", sum);
	return argc != 3;
}
"""


@suite.case("record --wrap: of a library that is opened for its own names, closed, and opened "
            "again elsewhere")
def opened():
    folder = h.fresh("opened")
    for name, text in (("inner.c", "int inner(int x) { return 5 * x + 1; }"),
                       ("plugin.c", "int inner(int); int call(int x) { return inner(x) + 2; }"),
                       ("other.c", "char large[1 << 20];"), ("p.c", OPENED)):
        (folder / name).write_text(text + "\n")
    for argv in (["gcc", "-shared", "-fPIC", "-o", "libinner.so", "inner.c"],
                 ["gcc", "-shared", "-fPIC", "-o", "libother.so", "other.c"],
                 ["gcc", "-shared", "-fPIC", "-o", "libplugin.so", "plugin.c", "-L.", "-linner",
                  "-Wl,-rpath,$ORIGIN"], ["gcc", "-o", "p", "p.c"]):
        r = h.run(argv, cwd=folder)
        h.check(r.status == 0, str(r))
    argv = [folder / "p", folder / "libplugin.so", folder / "libother.so"]
    native = h.run(argv)
    r = record(argv, "definitions:\nint inner(int x);\n")
    h.check((r.out, r.err) == (native.out, b"") and native.out != b"0\n", f"{r}\nnatively {native}")
    h.check("12 events" in shown(r), shown(r))


FETCHED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
typedef int (*of_int)(int);
static int call(of_int f, int x)
{
	return f ? f(x) : -1;
}
int main(int argc, char **argv)
{
	for (int round = 0; round < 2; round++) {
		void *a = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		void *b = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
		of_int first = (of_int)dlsym(a, "work"), again = (of_int)dlsym(a, "work");
		of_int other = (of_int)dlsym(b, "work");
		of_int chosen = (of_int)dlsym(a, "chosen");
		of_int absent = (of_int)dlsym(a, "no_such_function");
		const char *why = dlerror();
		const char *reported = why && strstr(why, "no_such_function") ? "error" : "none";
		size_t (*length)(const char *) =
			(size_t(*)(const char *))dlsym(RTLD_DEFAULT, "strlen");
		size_t (*next)(const char *) = (size_t(*)(const char *))dlsym(RTLD_NEXT, "strlen");
		printf("%d %d %d %d %d %zu %zu %d %s\\n", call(first, 1), call(again, 2),
		       call(other, 3), call(chosen, 4), call(absent, 5), length("abc"),
		       next("abcd"), first == again, reported);
		dlclose(b);
		dlclose(a);
	}
	return argc != 3;
}
"""


def fetched(sanitizer):
    """Of the first library; the second one's of the same name is another function, and is called as
    it is. A sanitizer calls dlsym before constructors run."""
    folder = h.fresh("fetched")
    sources = {
               "a": "int work(int x) { return 10 * x; }\nstatic int fast(int x) { return 7 * x; }\n"
               "static void *choose(void) { return (void *)fast; }\n"
               "int chosen(int) __attribute__((ifunc(\"choose\")));\n",
               "b": "int work(int x) { return 100 * x; }\n"}
    for name, text in (*((f"{n}.c", t) for n, t in sources.items()), ("p.c", FETCHED)):
        (folder / name).write_text(text)
    for style in ("gnu", "sysv"):
        for argv in (["gcc", "-shared", "-fPIC", f"-Wl,--hash-style={style}", "-o", "liba.so",
                      "a.c"], ["gcc", "-shared", "-fPIC", f"-Wl,--hash-style={style}", "-o",
                               "libb.so", "b.c"], ["gcc", "-w", *sanitizer, "-o", "p", "p.c"]):
            r = h.run(argv, cwd=folder)
            h.check(r.status == 0, str(r))
        argv = [folder / "p", folder / "liba.so", folder / "libb.so"]
        native = h.run(argv)
        h.check(native.out == 2 * b"10 20 300 28 -1 3 4 1 error\n", str(native))
        r = record(argv, "include:\n#include <string.h>\ndefinitions:\nint work(int x);\n"
                   "int chosen(int x);\nsize_t strlen(string s);\n")
        h.same(native, r)
        rows = {row.split()[-1]: row.split()[0]
                for row in h.bobbin("report", r.trace).out.decode().splitlines() if row}
        h.check((rows.get("work"), rows.get("chosen")) == ("4", "2"), f"{rows}")
        h.check(int(rows.get("strlen", 0)) >= 4, f"{rows}")


suite.add("record --wrap: functions that dlsym gives for a library", fetched, [])
for kind in ("address", "thread"):
    suite.add(f"record --wrap: the same, with the {kind} sanitizer", fetched,
              [f"-fsanitize={kind}"])


@suite.case("record --wrap: functions whose names are those of what wrappers are made of")
def helper_names():
    """A library with a function for each helper of the headers, bob_x being a helper: all are
    wrapped and called."""
    folder = h.fresh("names")
    text = "".join((h.ROOT / "src" / "wrap" / f"{n}.h").read_text()
                   for n in ("wrapper", "lookup", "stubs"))
    names = set()
    # bob_stub_frame_of: stub_frame_of, frame_of, of
    for helper in re.findall(r"\bbob_(\w+)\b", text):
        parts = helper.split("_")
        names |= {"_".join(parts[i:]) for i in range(len(parts))}
    keywords, libc = {"int", "return", "for", "struct", "union", "double", "register", "main",
                      "end"}, ctypes.CDLL(None)
    names = [n for n in sorted(names - keywords) if re.fullmatch(r"[a-z][a-z_0-9]*", n)
             and not hasattr(libc, n)] + ["exit", "write"]
    mine = names[:-2]
    (folder / "l.c").write_text("".join(f"int {n}(int x) {{ return x + {i}; }}\n"
                                        for i, n in enumerate(mine)))
    (folder / "p.c").write_text("long write(int, const void *, unsigned long);\nvoid exit(int);\n"
                                + "".join(f"int {n}(int);\n" for n in mine)
                                + "int main(void) { int s = 0;"
                                + "".join(f" s += {n}(1);" for n in mine)
                                + ' return write(1, "done\\n", 5) != 5 ? 1 : '
                                '(exit(s == 0), 2); }\n')
    for argv in (["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-o", "libl.so", "l.c"],
                 ["gcc", "-w", "-fno-builtin", "-o", "p", "p.c", "-L.", "-ll",
                  "-Wl,-rpath,$ORIGIN"]):
        r = h.run(argv, cwd=folder)
        h.check(r.status == 0, str(r))
    native = h.run([folder / "p"])
    h.check(native.out == b"done\n" and native.status == 0, str(native))
    spec = ("include:\n#include <sys/types.h>\ndefinitions:\nvoid exit(int code);\n"
            "ssize_t write(int fd, const void *bytes, size_t n);\n")
    r = record([folder / "p"], spec + "".join(f"int {n}(int x);\n" for n in mine))
    h.same(native, r)
    rows = {row.split()[-1] for row in h.bobbin("report", "--limit=0",
                                                r.trace).out.decode().splitlines() if row}
    h.check(set(names) <= rows, f"not recorded: {sorted(set(names) - rows)}")
    return f"{len(names)} names"


@suite.case("record --wrap: one step")
def one_step():
    h.need("lua5.4")
    spec = ("include:\n#include \"own.h\"\ndefinitions:\nnumber_t sin(number_t x);\n"
            "string getenv(string name);\n")
    argv = ["lua5.4", "-e", "for i = 1, 100 do math.sin(0.5) end print(os.getenv('TZ'))"]
    folder = h.fresh("record")
    (folder / "a.spec").write_text(spec)
    (folder / "own.h").write_text("typedef double number_t;\n")
    r = record_in(folder, argv)
    h.same(plain(argv), r)
    text = shown(r)
    for line in (r"loop \d+, 100 times\n +sin\(x=0.5\) -> result=0.479425538604203",
                 r'getenv\(name="TZ"\) -> result="UTC"'):
        h.check(re.search(line, text), f"not there: {line}\n{text}")
    h.check(len(r.libraries) == 1, str(r.libraries))
    made = (folder / "cache" / r.libraries[0]).stat().st_mtime_ns
    r = record_in(folder, argv)
    h.check(len(r.libraries) == 1
            and (folder / "cache" / r.libraries[0]).stat().st_mtime_ns == made, "compiled twice")
    (folder / "own.h").write_text("typedef double number_t;\nextern int more;\n")
    h.check(len(record_in(folder, argv).libraries) == 2, "another header, the same library")


OWN_SPEC = """\
definitions:
int local(int n);
double weak(double x);
int strong(int n);
int variable(int n, ...);
int printf(string format, ...);
"""


def own(cc, *flags):
    h.need(cc)
    program = h.compile("own", ["wrap_own.c"], cc, list(flags))
    r = record([program], OWN_SPEC)
    h.same(plain([program]), r)
    text = shown(r)
    for line in (r"local\(.*-> result=22", r"local\(n=6\)", r"begin strong\(n=3\)",
                 r"end strong\(\) -> result=5 ", r"variable\(n=3\) -> result=6",
                 r"weak\(x=1\) -> result=0.5"):
        h.check(re.search(line, text), f"not there: {line}\n{text}")
    calls = h.info(r.trace)["mpi_calls"]
    # strong(3) is 5 calls, 2 of them with others in them; printf in local or puts
    h.check(calls in (11, 13), f"{calls} events\n{text}")
    r = record([program], OWN_SPEC, "--calls")
    h.same(plain([program]), r, "with calls: ")
    h.check(h.info(r.trace)["mpi_calls"] == calls, "other events when calls are recorded as well")


suite.add("record --wrap: functions of the program itself, gcc -O2", own, "gcc", "-O2")
suite.add("record --wrap: functions of the program itself, gcc -O0 -no-pie", own, "gcc", "-O0",
          "-no-pie")
suite.add("record --wrap: functions of the program itself, clang -O1", own, "clang", "-O1",
          "-Wno-unknown-attributes")


OWN_BLOCKS = """\
include:
int printf(const char *, ...);
definitions:
int local(int n)
around { if (n == 6) return proceed() + 1000; n++; result = proceed(); }
before { n += 10; if (n > 20) n = 6; }
double weak(double x)
after { result = result + 100; }
int strong(int n)
around { result = n < 2 ? 77 : proceed(); }
int variable(int n, ...)
after { printf("variable gave %d\\n", result); }
"""


@suite.case("record --wrap: blocks of functions of the program itself")
def own_blocks():
    for flags in (["-O2"], ["-O0", "-no-pie"]):
        r = record([h.compile("own", ["wrap_own.c"], "gcc", flags)], OWN_BLOCKS)
        h.check(r.out == b"big\nvariable gave 6\n55 100.5 483 6\n", str(r))
        text = shown(r)
        for line in (r"local\(n=16\)", r"strong\(n=0\) -> result=77 ",
                     r"end strong\(\) -> result=215 ", r"end strong\(\) -> result=483 ",
                     r"weak\(x=1\) -> result=0.5 ", r"variable\(n=3\) -> result=6 "):
            h.check(re.search(line, text), f"not there: {line}\n{text}")


@suite.case("record --wrap: registers that a function of the program itself leaves alone")
def own_registers():
    p = h.compile("registers", ["wrap_registers.c"], "gcc", ["-O1"])
    for block in ("", "before { }", "before { } after { }", "around { proceed(); }"):
        r = record([p], f"definitions:\nint more(int n, long a, long b, long c, long d, long e, "
                   f"long on_stack) {block};\ndouble more_real(double x) {block};\n")
        h.same(plain([p]), r, f"'{block}': ")
        h.check(h.info(r.trace)["mpi_calls"] == 6, shown(r))


def with_blocks(spec):
    """Each function has blocks that change nothing, and all that it may have."""
    return re.sub(r"(?m)^(?!#)(.*\));$",
                  lambda m: m[1] + ("\nbefore { }\nafter { }" if "..." in m[1] or "()" in m[1]
                                    else "\naround { proceed(); }\nbefore { }\nafter { }"), spec)


@suite.case("record --wrap: the corpus as functions of the program itself")
def own_corpus():
    folder = h.fresh("corpus")
    corpus_in(folder)
    r = h.run(["gcc", "-w", "-O2", "-o", "own", "main.c", "lib.c"], cwd=folder)
    h.check(r.status == 0, f"does not compile\n{r}")
    (folder / "a.spec").write_text(with_blocks(wrap_corpus.spec()))
    h.check((folder / "a.spec").read_text().count("around") > 100, "the corpus has no blocks")
    r = record_in(folder, [folder / "own"])
    h.same(plain([folder / "own"]), r, "blocks: ")
    names = re.findall(r"^ +(\w+)\(", h.bobbin("show", "--lines=0", r.trace).out.decode(), re.M)
    h.check(names == [name for name, _, _ in wrap_corpus.events()],
            f"functions with blocks recorded: {names}")
    (folder / "a.spec").write_text(wrap_corpus.spec())
    (folder / "t").rename(folder / "t.blocks")
    r = record_in(folder, [folder / "own"])
    h.same(plain([folder / "own"]), r)
    text = h.bobbin("show", "--lines=0", r.trace).out.decode()
    names = re.findall(r"^ +(\w+)\(", text, re.M)
    want = [name for name, _, _ in wrap_corpus.events()]
    h.check(names == want, f"functions recorded: {names}\n{text}")
    for line in ("integer0(a=1, b=0) -> result=1 ", "minus2(a=-5) -> result=5 ",
                 "integer17(a=3, b=4) -> result=7 ", "real0(a=1.5, b=4) -> result=-2.5 ",
                 "real3(a=1.5, b=4) ", "real4(a=1.5, b=4) -> result=-2.5 ",
                 "complex1(z_re=1, z_im=2) ", "bytes16(k=16, d=0.5) ", "bytes17(k=17, d=0.5) ",
                 "bytes64(k=64, d=0.5) ", 'said(s=1) -> result="said" ',
                 "row(r=1, arg2=5) -> result=4 ", "many(i0=1, d0=2, l0=3, i1=4, d1=5, l1=6, i2=7, "
                 "d2=8, l2=9, i3=10, d3=11, l3=12, i4=13, d4=14, l4=15) -> result=234.5 ",
                 "mean(weight=0.5, n=10) -> result=2.75 ",
                 "opaque(a=3, b=1.5, h=0, p=1) -> result=6.5 "):
        h.check(f" {line} " in text, f"not there: {line}\n{text}")
    return f"{len(names)} functions"


@suite.case("record --wrap: exceptions through functions of the program itself")
def own_ways_out():
    h.need("g++")
    folder = h.fresh("own")
    for command in (["gcc", "-O2", "-fexceptions", "-c", h.PROG / "wrap_through.c"],
                    ["g++", "-O1", "-pthread", "-o", "throw", h.PROG / "wrap_throw.cc",
                     "wrap_through.o"]):
        r = h.run(command, cwd=folder)
        h.check(r.status == 0, str(r))
    program = folder / "throw"
    for spec in (with_blocks(THROUGH), THROUGH):
        r = record([program], spec)
        h.same(plain([program]), r)
    text = shown(r)
    h.check("begin through(n=2, f=1, arg3=1)" in text and "loop 0, 60 times" in text, text)


@suite.case("record --wrap: errors")
def record_errors():
    r = record(["true"], "definitions:\nint f(int;\n", status=125)
    h.check(b"a.spec:2:10: expected" in r.err and r.out == b"", str(r))
    good = "definitions:\nint puts(string s);\n"
    r = record(["true"], good, status=125, env={"CC": "/nonexistent/cc"})
    h.check(b"--wrap needs a C compiler, and '/nonexistent/cc' cannot be started" in r.err
            and r.err.count(b"\n") == 1, str(r))
    r = record(["true"], "definitions:\nint puts(string s)\nbefore {\n  undeclared++;\n}\n",
               status=125)
    h.check(re.search(rb"a.spec:4:\d+: error: .*undeclared", r.err), str(r))
    h.check(not r.trace.exists(), "a trace was begun")
    r = record(["sh", "-c", "exit 3"], good, status=3)
    folder = h.fresh("twice")
    for name in ("a", "b"):
        (folder / f"{name}.c").write_text(f"__attribute__((noinline)) static int same(int n) {{ "
                                          f"return n; }}\nint {name}(int n);\n"
                                          f"int {name}(int n) {{ return same(n) + 1; }}\n")
    (folder / "m.c").write_text("int a(int); int b(int);\nint main(void) { return a(1) + b(2); }\n")
    r = h.run(["gcc", "-O0", "-o", "twice", "a.c", "b.c", "m.c"], cwd=folder)
    h.check(r.status == 0, str(r))
    r = record([folder / "twice"], "definitions:\nint same(int n);\n", status=125)
    h.check(b"twice has several functions called same" in r.err, str(r))
    r = record([folder / "twice"],
               "definitions:\nint a(int n, ...)\nbefore { n++; }\nafter {\n result = 1; }\n",
               status=125)
    h.check(re.search(rb"a.spec:3:\d+: error: .*\bn\b", r.err)
            and re.search(rb"a.spec:5:\d+: error: .*\bresult\b", r.err), str(r))


@suite.case("record --wrap: calls that are left out")
def left_out():
    h.need("lua5.4")
    spec = ("definitions:\ndouble sin(double x) when { x > 0.5 && x < 2 }\n"
            "int fputs(string s, FILE *f)\nbefore { } when { s != \"x\" }\n"
            "double cos(double x);\ninclude:\n#include <stdio.h>\n")
    argv = ["lua5.4", "-e", "for i = 1, 10 do math.sin(i / 4) math.cos(i) end"]
    r = record(argv, spec)
    h.same(plain(argv), r)
    text = h.bobbin("show", "-x", "--lines=0", r.trace).out.decode()
    h.check(re.findall(r"sin\(x=([\d.]+)\)", text) == ["0.75", "1", "1.25", "1.5", "1.75"]
            and text.count(" cos(") == 10, text)
    info = h.bobbin("info", r.trace).out.decode()
    h.check("5 events are left out: 'sin: x > 0.5 && x < 2' is not true of them" in info
            and "column" not in info, info)
    r = record([h.compile("own", ["wrap_own.c"], "gcc", ["-O2"])],
               "definitions:\nint strong(int n) when { n < 2 }\nint local(int n);\n")
    text = shown(r)
    h.check(re.search(r"strong\(n=1\)", text) and "strong(n=3)" not in text
            and "local(n=6)" in text, text)
    _, r = generate("include:\n#include <mpi.h>\ndefinitions:\n"
                    "int MPI_Send(void *buf, int count, MPI_Datatype datatype, int dest, int tag, "
                    "MPI_Comm comm)\n when {count > 9\n}\n")
    h.check(r.out.decode().endswith("record --mpi --mpi-functions=MPI_Send --when='MPI_Send: count "
                                    "> 9'\n"), str(r))


@suite.case("record --wrap: functions of MPI among others")
def record_mpi():
    h.need("mpicc.openmpi", "mpirun.openmpi")
    folder = h.fresh("mpi")
    (folder / "m.c").write_text("#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v)\n"
                                "{\n\tint r, n = 1;\n"
                                "\tMPI_Init(&c, &v);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
                                "\tif (r)\n\t\tMPI_Recv(&n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, "
                                "MPI_STATUS_IGNORE);\n"
                                "\telse\n\t\tMPI_Send(&n, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);\n"
                                "\tMPI_Barrier(MPI_COMM_WORLD);\n\tputs(\"done\");\n"
                                "\tMPI_Finalize();\n\treturn 0;\n}\n")
    (folder / "a.spec").write_text("include:\n#include <mpi.h>\n#include <stdio.h>\ndefinitions:\n"
                                   "int puts(string s);\n"
                                   "int MPI_Send(void *buf, int count, MPI_Datatype datatype, int "
                                   "dest, int tag, MPI_Comm comm);\n"
                                   "int MPI_Barrier(MPI_Comm c)\nafter { printf(\"barrier %d\\n\", "
                                   "result); }\n"
                                   "int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int "
                                   "source, int tag, MPI_Comm comm, MPI_Status *status) when { "
                                   "source == 7 }\n")
    r = h.run(["mpicc.openmpi", "-o", "m", "m.c"], cwd=folder)
    h.check(r.status == 0, str(r))
    env = h.environment({"BOBBIN_CACHE": str(folder / "cache"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                         "CC": "mpicc.openmpi"})
    (folder / "cache").mkdir(mode=0o700)
    r = h.run(["mpirun.openmpi", "--oversubscribe", "-n", "2", h.BOBBIN, "record", "-q", "-o", "t",
               "--mpi-level=custom", "--wrap", "a.spec", "--", "./m"], cwd=folder, env=env)
    h.check(r.status == 0 and sorted(r.out.splitlines()) == [b"barrier 0"] * 2 + [b"done"] * 2,
            str(r))
    r.trace = folder / "t"
    text = shown(r)
    h.check("MPI_Send(1 INT, dest=" in text and 'puts(s="done") -> result=5' in text, text)
    h.check("MPI_Recv(" not in text and text.count("MPI_Barrier(") == 2, text)
    h.check("1 events are left out: --when='MPI_Recv: source == 7' is not true of them"
            in h.bobbin("info", r.trace).out.decode(), "not said")


h.require_bobbin()
raise SystemExit(suite.run())
