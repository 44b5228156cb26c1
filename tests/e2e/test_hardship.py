#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: memory leaves cancelled environment linked
"""Programs that make recording hard: limits, bad pointers, handlers that never return, stacks in
strange places, odd libraries, an end in the middle of things. Each case was a fault once; what it
was is in tests/prog/hard_*.c. The program must behave as without recording and end, and what
could not be recorded must be counted and said."""

import json
import os
import resource
import shutil
import struct
import sys
import time

import harness as h

suite = h.Suite("hardship")
CODECS = ("run", "none")
LIMIT = 50 * 1024
SECONDS = 30


def program(name, *flags):
    return h.compile(name, [f"hard_{name}.c"], flags=("-O1", "-pthread", *flags))


def pair(argv, codec, opts=(), native=None, **kw):
    """The traced run, after comparing it with the native one."""
    if h.MEM and "-F" in opts:
        opts = ()  # all of the program, then
    native = native or h.run(argv, timeout=SECONDS, **kw)
    r = h.record(argv, [f"--codec={codec}", "--images=app", *opts], timeout=SECONDS, **kw)
    h.same(native, r, f"codec {codec}: ")
    return r


def counted(trace):
    """Recorded and lost calls of the only thread of the only process."""
    (process,) = h.info(trace)["process_list"]
    (thread,) = process["thread_list"]
    return thread["events"], thread["lost"], thread


def calls_of(trace, name):
    return sum(e.entry and e.function == name for _, _, events in h.dump(trace) for e in events)


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def file_limit(codec, opts):
    d = h.fresh("limit")
    exe = program("signals")
    h.record([exe, "exit", "0"])  # the plans are not what is limited here
    argv = [exe, "limit", d / "pages"]
    native = h.run(argv, preexec_fn=limited)
    h.check(b"then errno 27 and 1 signals" in native.out, f"no limit: {native}")
    r = pair(argv, codec, opts, native=native, preexec_fn=limited)
    c = h.bobbin("check", r.trace)
    h.check(c.status in (0, 1, 3) and c.out + c.err, f"check does not end well: {c}")
    for f in r.trace.iterdir():
        h.check(f.stat().st_size <= LIMIT, f"{f.name} is beyond the limit")


def pointers():
    r = pair([program("process"), "pointers"], "run")
    h.check(r.out.count(b"errno 14") >= 6, f"the kernel found no bad pointer: {r}")
    h.check_trace(r.trace)


def spawns():
    r = pair([program("process"), "spawn", "100"], "run")
    h.check_trace(r.trace)
    count = sum(p["exe"].endswith("/true") for p in h.info(r.trace)["process_list"])
    h.check(count == 104, f"{count} of 104 children recorded")


def rounds(mode, n, codec, whole=True):
    r = pair([program("signals"), mode, str(n)], codec)
    h.check(r.out == b"done\n", f"{r}")
    if whole:
        h.check_trace(r.trace)
    else:
        c = h.bobbin("check", r.trace)
        h.check(c.status in (0, 1, 3) and c.out, f"check does not end well: {c}")


def flood(codec):
    out = h.fresh("flood") / "count"
    argv = [program("signals"), "flood", out]
    r = pair(argv, codec, ["-F", "hard_*"])
    if h.MEM:
        return h.check_trace(r.trace)
    events, lost, thread = counted(r.trace)
    expected = int(out.read_text())
    h.check(events + lost == expected, f"{events} + {lost} lost, {expected} made: {thread}")
    c = h.bobbin("check", r.trace)
    text = (c.out + c.err).decode().replace(",", "")
    if lost:
        h.check(c.status == 3 and f"{lost} calls could not be recorded" in text,
                f"{lost} lost, not said: {c}")
    else:
        h.check(c.status == 0, f"nothing lost, but {c}")
    return f"{lost} of {expected} lost"


def altstack(codec):
    if h.MEM and codec == "run":
        raise h.Skip("ten million calls in no order take long to fold; codec none has them, too")
    out = h.fresh("altstack") / "count"
    r = pair([program("signals"), "altstack", out], codec, ["-F", "hard_*"])
    if h.MEM:
        return h.check_trace(r.trace)
    events, lost, thread = counted(r.trace)
    expected = int(out.read_text())
    h.check((events, lost) == (expected, 0), f"{expected} calls made: {thread}")
    return h.check_trace(r.trace)


def race(codec):
    exe = program("process")
    native = h.run([exe, "race", "3000"], timeout=SECONDS)
    h.check(native.status == 7, f"{native}")
    for i in range(20):
        r = pair([exe, "race", str(3000 + i * 217)], codec, native=native)
        h.check_trace(r.trace)


def leader():
    r = pair([program("process"), "leader", "1000"], "run", ["-F", "work"])
    h.check(r.status == 9, f"{r}")
    h.check_trace(r.trace)
    if h.MEM:
        return
    # Such a thread can be signalled until the process ends, but it made its last call long ago.
    (process,) = h.info(pair([program("process"), "leader", "1000"], "run").trace)["process_list"]
    states = [t["state"] for t in process["thread_list"]]
    h.check(states == ["ended", "alive at process end"], f"first and second thread: {states}")
    events, lost, thread = counted(r.trace)
    h.check((events, lost) == (1000, 0), f"1000 calls made: {thread}")


def plugin():
    # not optimised: 10,000 functions take gcc 5 s instead of 20
    flags = ("-O0", "-falign-functions=16", "-shared", "-fPIC")
    return h.compile("plugin.so", ["hard_plugin.c"], flags=flags)


def reloaded(codec, n, *moving):
    r = pair([program("library"), plugin(), "plug_10005", str(n), *moving], codec)
    h.check_trace(r.trace)
    if h.MEM:
        return
    got = calls_of(r.trace, "mark"), calls_of(r.trace, "plug_10005")
    h.check(got == (n, n), f"{got} calls of {n} each")


# --- libraries whose program headers are not where they usually are ---

PHOFF, PHENT, PHNUM = 32, 54, 56  # in the header of a 64-bit file
FAR = 16 << 20  # beyond everything that is mapped after the library


def headers_at_end(source, target):
    data = bytearray(source.read_bytes())
    (at,) = struct.unpack_from("<Q", data, PHOFF)
    size, count = struct.unpack_from("<HH", data, PHENT)
    table = bytes(data[at : at + size * count])
    struct.pack_into("<Q", data, PHOFF, FAR)
    with open(target, "wb") as f:
        f.write(data)
        f.seek(FAR)
        f.write(table)


def odd_library(linked, flags, move):
    """Loaded at start (linked) or by dlopen; it runs, and `info` names it, with or without plan."""
    d = h.fresh("library")
    (d / "lib.c").write_text("int odd(int a);\nint odd(int a)\n{\n\treturn a + 1;\n}\n")
    (d / "main.c").write_text(
        "#include <stdio.h>\nint odd(int a);\nint main(void)\n"
        '{\n\tprintf("%d\\n", odd(1));\n\treturn 0;\n}\n')
    lib = d / "libodd.so"
    plain = h.compile("libplain.so", [d / "lib.c"], flags=(
        "-O1", "-shared", "-fPIC", "-Wl,-soname,libodd.so", *flags))
    if move:
        headers_at_end(plain, lib)
    else:
        lib.write_bytes(plain.read_bytes())
    if linked:
        argv = [h.compile("odd", [d / "main.c"], libs=(plain, f"-Wl,-rpath,{d}"))]
    else:
        argv = [program("library"), lib, "odd", "300"]
    r = pair(argv, "run")
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    got = h.info(r.trace)
    paths = [i["path"] for i in got["image_list"]]
    paths += [i["path"] for p in got["process_list"] for i in p["skipped_images"]]
    h.check(str(lib) in paths, f"{lib} is not listed: {paths}")


OTHER_ROOT = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
\tconst char *p = getenv("LD_PRELOAD");
\tprintf("LD_PRELOAD %s\\n", p ? p : "none");
\treturn 6;
}
"""


def other_root(preload):
    """The loader there does not find the agent, and must not say so."""
    if os.geteuid():
        raise h.Skip("chroot needs root")
    libraries = ("/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6",
                 "/lib/x86_64-linux-gnu/libm.so.6")
    root = h.fresh("root")
    for path in libraries:
        to = root / path[1:]
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    source = h.put(h.WORK / "other_root.c", OTHER_ROOT)
    shutil.copy(h.compile("other_root", [source], flags=("-w",)), root / "program")
    env = h.environment({"LD_PRELOAD": preload} if preload else {})
    argv = ["chroot", root, "/program"]
    native = h.run(argv, env=env)
    h.check(native.status == 6 and not native.err, f"no program there: {native}")
    r = h.record(argv, ["--images=all"], env=env)
    h.same(native, r)
    log = b"".join(f.read_bytes() for f in r.trace.iterdir())
    h.check(b"a program in another root directory is not recorded: /program" in log,
            "the trace does not say so")


def threads_of(trace, name):
    """{thread: calls of the function}"""
    out = {}
    for process, thread, events in h.dump(trace):
        out[process, thread] = sum(e.entry and e.function == name for e in events)
    return out


def no_files(opts):
    exe = program("nofiles")
    native = h.run([exe])
    r = h.record([exe], opts)
    h.same(native, r)
    h.check_trace(r.trace)
    calls = threads_of(r.trace, "work")
    h.check(list(calls.values()) == [100] * 6, f"calls by thread {calls}")


def unshared(words, command, env=None):
    """In a namespace of its own; skips where that is not allowed."""
    h.need("unshare")
    r = h.run(["unshare", *words, "sh", "-c", command], env=env)
    if r.status and b"unshare" in r.err:
        raise h.Skip(f"no namespace: {r.err.decode().strip()}")
    return r


def no_proc():
    """The shell sees /proc go before Bobbin starts."""
    exe, trace = program("nofiles"), h.fresh("noproc") / "t"
    native = h.run([exe])
    r = unshared(["-m"], f"mount --make-rprivate / && umount -l /proc || exit 99\n"
                         f"exec {h.BOBBIN} record -q --images=main -o {trace} -- {exe}")
    if r.status == 99:
        raise h.Skip(f"/proc cannot be unmounted: {r.err.decode().strip()}")
    h.same(native, r)
    h.check_trace(trace)
    calls = threads_of(trace, "work")
    h.check(list(calls.values()) == [100] * 6, f"calls by thread {calls}")


def clocks():
    """Two hosts, whose clocks began a day apart: the run takes as long as it took."""
    exe, trace = program("nofiles"), h.fresh("clocks") / "t"
    env = h.environment({"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "0", "PMI_SIZE": "2",
                         "PMI_RANK": "0"})
    begin = time.monotonic()
    record = [h.BOBBIN, "record", "-q", "-o", trace, "--events", "--calls", "--", exe]
    h.check(h.run(record, env=env).status == 0, "the first rank")
    r = unshared(["-u", "-T", "--monotonic", "100000"],
                 "hostname elsewhere; exec " + " ".join(map(str, record)),
                 env={**env, "PMI_RANK": "1"})
    h.check(r.status == 0, f"{r}")
    most = time.monotonic() - begin + 1
    info = h.info(trace)
    hosts = {p["host"] for p in info["process_list"]}
    h.check(len(hosts) == 2 and info["duration_ns"] < most * 1e9,
            f"{hosts}, {info['duration_ns']} ns of {most} s")
    out = json.loads(h.bobbin("export", "-f", "chrome", trace).out)
    last = max(e.get("ts", 0) for e in out["traceEvents"])
    h.check(0 < last < most * 1e6, f"the last call is at {last} us")


suite.add("a program in another root", other_root, "")
suite.add("a program in another root, with a preloaded library", other_root,
          "/lib/x86_64-linux-gnu/libm.so.6")
suite.add("a plug-in loaded 500 times", reloaded, "run", 500)
for codec in CODECS:
    suite.add(f"a handler calls _exit or exec, codec {codec}", rounds, "exit", 300, codec)
    suite.add(f"a handler leaves by siglongjmp, codec {codec}", rounds, "jump", 300, codec, False)
    suite.add(f"trace of such a handler, codec {codec}",
              rounds, "jump", 300, codec)
    suite.add(f"threads cancelled anywhere, codec {codec}",
              rounds, "cancel", 100, codec)
    suite.add(f"100,000 calls in a handler, codec {codec}", flood, codec)
    suite.add(f"an alternate stack in a frame of main, codec {codec}", altstack, codec)
    suite.add(f"threads are made while the process exits, codec {codec}", race, codec)
    suite.add(f"a limit of file sizes, codec {codec}", file_limit, codec, [])
suite.add("a limit of file sizes, with --exec", file_limit, "run", ["--exec"])
for images in ("main", "all"):
    suite.add(f"threads start when no file can be opened, --images={images}", no_files,
              [f"--images={images}"])
suite.add("/proc is not mounted", no_proc)
suite.add("hosts with clocks of their own", clocks)
suite.add("an invalid environment", pointers)
suite.add("the first thread has ended", leader)
suite.add("spawn with an own environment", spawns)
suite.add("headers at the end of a library", odd_library, True, (), True)
suite.add("a library linked to an address",
          odd_library, True, ("-Wl,-Ttext-segment=0x400000",), False)
suite.add("a plug-in at 40 other places", reloaded, "run", 40, "moving")
suite.add("headers at the end of a plug-in, 300 times",
          odd_library, False, (), True)


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
