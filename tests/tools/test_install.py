#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make install` puts under DESTDIR works from there: bobbin finds its agent, and programs in
C and C++ that find libbobbin with pkg-config or CMake, shared or static, read the trace it made."""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ["BOBBIN_BUILD"]


def run(*command, env=None, fails=False):
    p = subprocess.run(command, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    assert (p.returncode != 0) == fails, (command, p.returncode, p.stdout, p.stderr)
    return p.stderr if fails else p.stdout


def source(*names):
    return os.path.join(ROOT, *names)


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


class Stage:
    """An installation under DESTDIR, and a trace made with it."""

    def __init__(self, work, *options):
        self.work, stage = work, os.path.join(work, "stage")
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
            prefix = re.search("CMAKE_INSTALL_PREFIX:PATH=(.*)", f.read()).group(1)
        run("cmake", "--install", BUILD, *options, env={**os.environ, "DESTDIR": stage})
        assert os.listdir(stage) == [prefix.split("/")[1]], os.listdir(stage)
        self.top = stage + prefix
        pc = next(os.path.join(d, f) for d, _, names in os.walk(stage)
                  for f in names if f == "bobbin.pc")
        self.pkgconfig = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(pc)}
        self.lib = os.path.dirname(os.path.dirname(pc))
        self.loaded = {**os.environ, "LD_LIBRARY_PATH": self.lib}
        self.trace = os.path.join(work, "t.bobbin")
        run(os.path.join(self.top, "bin/bobbin"), "record", "-q", "-o", self.trace, "--", "/bin/ls",
            "/")

    def flags(self, *options):
        return run("pkg-config", "--cflags", "--libs", *options, "bobbin",
                   env=self.pkgconfig).split()

    def build(self, compiler, path, *flags):
        program = os.path.join(self.work, os.path.basename(path).replace(".", "_"))
        run(*compiler, "-Wall", "-Wextra", "-Werror", "-o", program, path, *flags)
        return program

    def events(self, program):
        return int(re.match(r"(\d+) events, \d+ bytes",
                            run(program, self.trace, env=self.loaded)).group(1))


C, CXX = ("gcc", "-std=c11"), ("g++", "-std=c++17")
READERS = (C, source("tests/headers/reader.c")), (CXX, source("tests/headers/reader.cc"))


def test_program(s):
    assert os.path.exists(os.path.join(s.top, "lib/bobbin/libbobbin-agent.so"))
    bobbin = os.path.join(s.top, "bin/bobbin")
    assert "bobbin" in run(bobbin, "--version")
    assert not [n for n in needed(bobbin) if n.startswith("libbobbin")], "bobbin itself is static"
    for base, _, names in os.walk(s.top):
        for path in filter(is_elf, (os.path.join(base, n) for n in names)):
            paths = re.findall(r"\((?:RPATH|RUNPATH)\).*", run("readelf", "-dW", path))
            assert not paths, (path, paths)


def test_shared(s):
    for compiler, path in READERS:
        reader = s.build(compiler, path, *s.flags())
        names = [n for n in needed(reader) if n.startswith("libbobbin")]
        assert len(names) == 1 and re.fullmatch(r"libbobbin\.so\.\d+(\.\d+)?", names[0]), names
        assert not [n for n in needed(reader)
                    if "zstd" in n], "the library needs it, not the program"
        assert s.events(reader) > 0, "a trace of ls has no events"
        error = run(reader, os.path.join(s.work, "none"), env=s.loaded, fails=True)
        assert "no such" in error, error


def test_static(s):
    flags = s.flags("--static")
    for compiler, path in READERS:
        assert s.events(s.build((*compiler, "-static"), path, *flags)) > 0
        only_ours = ["-l:libbobbin.a" if f == "-lbobbin" else f for f in flags]
        reader = s.build(compiler, path, *only_ours)
        assert not [n for n in needed(reader) if n.startswith("libbobbin")], needed(reader)
        assert s.events(reader) > 0


def test_linked_twice(s):
    flags, half = s.flags("--static"), source("tests/library/half.c")
    objects = []
    for name in ("one", "two"):
        objects.append(os.path.join(s.work, f"lib{name}.so"))
        run(*C, "-shared", "-fPIC", f"-DHALF={name}", "-o", objects[-1], half,
            "-Wl,--exclude-libs,libbobbin.a",
            *["-l:libbobbin.a" if f == "-lbobbin" else f for f in flags])
        symbols = run("nm", "-D", "--defined-only", objects[-1])
        assert not re.search(r" bob_", symbols), symbols
    whole = s.build(C, source("tests/library/whole.c"), *objects, f"-Wl,-rpath,{s.work}",
                    *s.flags(), *s.flags())
    counts = run(whole, s.trace, env=s.loaded).split()
    assert len(set(counts)) == 1 and int(counts[0]) > 0, counts


def test_cmake(s):
    build = os.path.join(s.work, "cmake")
    run("cmake", "-S", source("examples/library"), "-B", build, f"-DCMAKE_PREFIX_PATH={s.top}")
    run("cmake", "--build", build)
    texts = []
    for name, is_static in (("deepest", False), ("deepest_static", True)):
        program = os.path.join(build, name)
        assert any(n.startswith("libbobbin") for n in needed(program)) != is_static, needed(program)
        texts.append(run(program, s.trace)) # CMake's rpath finds the shared library
        assert re.match(r"thread \d+: [1-9]\d* calls, at most \d+ deep, in ", texts[-1]), texts[-1]
    assert texts[0] == texts[1], texts
    os.makedirs(os.path.join(s.work, "newer"))
    with open(os.path.join(s.work, "newer/CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write("cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES C)\n"
                "find_package(bobbin 7.0 REQUIRED)\n")
    error = run("cmake", "-S", os.path.join(s.work, "newer"), "-B", build + "2",
                f"-DCMAKE_PREFIX_PATH={s.top}", fails=True)
    assert "compatible" in error, error


def test_other_sizes(s):
    """From another language, with the sized structs of an older and of a newer header."""
    lib = ctypes.CDLL(os.path.join(s.lib, "libbobbin.so"))
    lib.bob_version.restype = ctypes.c_char_p
    assert lib.bob_version().decode() in run("pkg-config", "--modversion", "bobbin",
                                             env=s.pkgconfig)
    trace = ctypes.c_void_p()
    assert lib.bob_trace_open(s.trace.encode(), ctypes.byref(trace), None) == 0
    sizes = []
    for words in (1, 8, 11):
        buffer = (ctypes.c_uint64 * 12)(*[77] * 12)
        lib.bob_trace_sizes_sized(trace, buffer, ctypes.c_size_t(8 * words))
        assert list(buffer[words:]) == [77] * (12 - words), (
            f"written after {words} words: {list(buffer)}")
        sizes.append(list(buffer[:words]))
    assert sizes[0] == sizes[1][:1] and sizes[2] == sizes[1] + [0] * 3 and sizes[0][0] > 0, sizes
    name = (ctypes.c_uint64 * 9)(*[77] * 9) # of bob_function_info: id and image
    assert (lib.bob_trace_function_sized(trace, 0, 0, name, ctypes.c_size_t(8)) in (0, 2)
            and name[1] == 77)
    lib.bob_trace_close(trace)


def test_example_in_docs(_):
    """The page shows the example as it is."""
    with open(source("examples/library/deepest.c"), encoding="utf-8") as f:
        code = f.read()
    with open(source("docs/library.md"), encoding="utf-8") as f:
        assert "```c\n" + code[code.index("#include"):] + "```\n" in f.read()


def main():
    with tempfile.TemporaryDirectory(prefix="bobbin-install-") as work:
        stage = Stage(work)
        for test in (test_program, test_shared, test_static, test_linked_twice, test_cmake,
                     test_other_sizes, test_example_in_docs):
            test(stage)
            print("ok", test.__name__)
    with tempfile.TemporaryDirectory(prefix="bobbin-install-") as work:
        stripped = Stage(work, "--strip")
        test_shared(stripped)
        print("ok stripped")


if __name__ == "__main__":
    sys.exit(main())
