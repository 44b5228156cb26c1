#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: long
"""record --mem, each engine: every access, in order. Measures of truth: programs that know their
own accesses (tests/prog/mem_truth.c), a sequence known in advance for killed ones, and for Valgrind
its own tool lackey on whole programs; engine native is held against Valgrind in test_mem_native.py.
And the program must not notice."""

import functools
import os
import random
import re
import shutil
import struct
import signal
import subprocess
import sys
import time

import harness as h

sys.path.append(str(h.ROOT / "tools"))
import spec_decoder  # pylint: disable=wrong-import-position
import spec_memory  # pylint: disable=wrong-import-position

suite = h.Suite("mem_engines")
ENGINES = ("native", "valgrind")
MEM = {e: ["--mem", f"--engine={e}"] for e in ENGINES}
# records as the engine writes them, not folded
RAW = {e: [*MEM[e], "--codec=none"] for e in ENGINES}
WHERE = re.compile(rb"(\d+) (?:(.*)\+)?0x([0-9a-f]+)")  # what a line has after the address
STORE = re.compile(rb"^S 0x([0-9a-f]+) ", re.M)
KINDS = {b"L": "L", b"S": "S", b"A": "A"}
KERNELS = ("matmul triad csr chase atomics strings vectors lanes jump signals faults threads child "
           "storm").split()


def need_processor(*flags):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        has = re.search(r"^flags\s*: (.*)$", f.read(), re.M)[1].split()
    for flag in flags:
        if flag not in has:
            raise h.Skip(f"this processor has no {flag}")


@h.cached
def refusal(engine):
    r = h.bobbin("record", *MEM[engine], "-o", h.fresh("need") / "t", "--", "true")
    return r.err.decode().strip() if b"Valgrind" in r.err and r.status == 125 else ""


def need(engine):
    if engine != "native" and refusal(engine):
        raise h.Skip(refusal(engine))


def each_engine(name):
    """The case once for each; it gets the engine's name."""

    def register(function):
        for e in ENGINES:
            suite.add(f"{name}, {e}", function, e)
        return function

    return register


def accesses(trace):
    """[[(kind, address, size, pc, image)] of each thread], from `replay`."""
    r = h.bobbin("replay", "--mem", "--order=threads", trace)
    h.check(r.status == 0, f"replay failed\n{r}")

    @functools.cache
    def where(text):
        m = WHERE.fullmatch(text)
        h.check(m, f"replay: {text!r} is not understood")
        return int(m[1]), int(m[3], 16), m[2] or None

    threads = []
    for line in r.out.splitlines():
        kind, address, more = line.split(b" ", 2)
        if kind in KINDS:
            row.append((KINDS[kind], int(address, 16), *where(more)))
        else:
            h.check((kind, address) == (b"#", b"thread"), f"replay: {line!r} is not understood")
            row = []
            threads.append(row)
    return threads


# --- programs that know ---


NOTE = struct.Struct("@ciIQ")  # struct truth_note


def read_log(path):
    arrays, threads = [], {}
    with open(path, "rb") as f:
        for line in f:
            w = line.decode("ascii").split()
            if w[0] == "array":
                arrays.append((w[1], int(w[2], 16), int(w[3])))
            else:
                notes = NOTE.iter_unpack(f.read(NOTE.size * int(w[2])))
                threads[int(w[1])] = [(kind.decode(), arrays[i][0], offset, size)
                                      for kind, i, size, offset in notes]
    return arrays, threads


def in_arrays(row, arrays):
    """What a thread did to the arrays: (kind, array, offset, size)."""
    found = []
    for kind, address, size, _, _ in row:
        for name, at, length in arrays:
            if at <= address < at + length:
                found.append((kind, name, address - at, size))
    return found


def last_of(row, n):
    """Setting the arrays up comes before what is expected, and nothing after it."""
    return row[len(row) - n:] if len(row) >= n else row


def truth(engine, kernel, flags, options, source="mem_truth", processor=()):
    need(engine)
    need_processor(*processor)
    program = h.compile(source, [f"{source}.c"], "gcc", [*flags, "-w"], ["-lpthread"])
    log = h.fresh("truth") / "log"
    native = h.run([program, kernel])
    h.check(native.status == 0, f"{native}")
    r = h.record([program, kernel], options, env=h.environment({"BOB_LOG": str(log)}))
    h.same(native, r)
    h.check_trace(r.trace)
    arrays, want = read_log(log)
    got = [row for row in (in_arrays(t, arrays) for t in accesses(r.trace)) if row]
    if kernel == "storm":  # two rows in one thread
        got = [[a for a in got[0] if a[1] == name] for name in ("x", "words")]
    for number, expected in sorted(want.items()):
        rows = [last_of(row, len(expected)) for row in got]
        if expected in rows:
            got.pop(rows.index(expected))
            continue
        close = max(rows, key=lambda row: sum(a == b for a, b in zip(row, expected)), default=[])
        at = next((i for i, (a, b) in enumerate(zip(close, expected)) if a != b), len(close))
        raise h.Failure(f"thread {number}: from access {at} of {len(expected)} on recorded "
                        f"{close[at:at + 4]}, happened {expected[at:at + 4]}")
    return f"{sum(map(len, want.values()))} accesses"


for k in KERNELS:
    for f in (["-O0"], ["-O2"], ["-O3", "-static", "-no-pie"]):
        for e in ENGINES:
            # printing what is expected is part of a static program, and takes long
            if "-static" in f and (e == "native" or k in ("matmul", "faults", "storm")):
                continue
            suite.add(f"truth {k} {' '.join(f)}, {e}", truth, e, k, f,
                      (MEM if f == ["-O2"] else RAW)[e], "mem_truth",
                      ["avx2"] if k == "lanes" else [])

# What compilers make of loops with indices and conditions; Valgrind knows no AVX-512.
AVX512 = ("avx512f", "avx512bw", "avx512dq", "avx512vl")
VECTORS = ["-O3", "-ffast-math"]
for k in "csr indirect conditional".split():
    for e in ENGINES:
        suite.add(f"truth {k} AVX2, {e}", truth, e, k, [*VECTORS, "-march=haswell"], MEM[e],
                  "mem_truth_lanes", ["avx2"])
    for width in ("256", "512"):
        for partial in ("0", "1"):  # masks in the epilogue
            suite.add(f"truth {k} AVX-512 {width} {partial}, native", truth, "native", k,
                      [*VECTORS, "-march=skylake-avx512", f"-mprefer-vector-width={width}",
                       f"--param=vect-partial-vector-usage={partial}"], MEM["native"],
                      "mem_truth_lanes", AVX512)
suite.add("truth lanes512, native", truth, "native", "lanes512", ["-O2"], MEM["native"],
          "mem_truth_lanes", AVX512)
suite.add("truth gather faults, native", truth, "native", "faults", ["-O2"], MEM["native"],
          "mem_truth_lanes", ["avx2"])


@each_engine("truth fortran")
def fortran(engine):
    need(engine)
    program = h.compile("mem_solve", ["mem_solve.f90"], "gfortran", ["-O2"])
    log = h.fresh("fortran") / "log"
    r = h.record([program], MEM[engine], env=h.environment({"BOB_LOG": str(log)}))
    h.check(r.out == b"ok\n", f"{r}")
    l, x, b = (int(w) for w in log.read_text().split())
    n, want = 30, []
    for i in range(n):
        want.append(("L", b + 8 * i, 8))
        for j in range(i):
            want.append(("L", l + 8 * (i + n * j), 8))
            want.append(("L", x + 8 * j, 8))
        want += [("L", l + 8 * (i + n * i), 8), ("S", x + 8 * i, 8)]
    size = (8 * n * n + 16 * n)
    got = [a[:3] for a in accesses(r.trace)[0] if l <= a[1] < l + size]
    h.check(last_of(got, len(want)) == want,
            f"recorded {got[-len(want):][:6]}, happened {want[:6]}")


# --- the same by Valgrind's lackey ---


def main_and_code(program):
    """Link address of main and of the executable segments."""
    text = subprocess.run(["readelf", "-hlW", program], capture_output=True, text=True,
                          check=True).stdout
    code = []
    for line in text.splitlines():
        w = line.split()
        if w and w[0] == "LOAD" and "E" in w[6:-1]:
            code.append((int(w[2], 16), int(w[2], 16) + int(w[5], 16)))
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=False).stdout
    m = re.search(r"^([0-9a-f]+) T main$", names, re.M)
    if not m:  # stripped: what _start gives to __libc_start_main
        entry = int(re.search(r"Entry point address:\s+(0x[0-9a-f]+)", text)[1], 16)
        words = ["objdump", "-d", f"--start-address={entry}", f"--stop-address={entry + 64}",
                 program]
        start = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        m = re.search(r"lea .*%rdi\s+# ([0-9a-f]+)", start)
    return int(m[1], 16), code, "DYN" in text


def lackey(argv, log):
    """(pc, kind, address, size) from main on, of the program itself; M is a load and a store."""
    main, code, pie = main_and_code(argv[0])
    every = "allregs-at-each-insn"  # else VEX removes loads whose value is not used
    options = ["--command-line-only=yes", "--vgdb=no", "--trace-mem=yes", f"--log-file={log}",
               "--vex-guest-chase=no", f"--px-default={every}", f"--px-file-backed={every}"]
    valgrind = "valgrind.bin" if shutil.which("valgrind.bin") else "valgrind"
    r = h.run([valgrind, "--tool=lackey", *options, *argv], timeout=250)
    seen, known, on, inside, pc = [], {}, False, False, 0
    bias = 0x108000 if pie else 0
    with open(log, encoding="ascii", errors="replace") as f:
        for text in f:
            if text.startswith("I  "):
                text = text[3:text.index(",")]
                if text not in known:
                    pc = int(text, 16) - bias
                    known[text] = pc, any(lo <= pc < hi for lo, hi in code)
                pc, inside = known[text]
                on = on or pc == main
                inside = inside and on
            elif inside and text[:1] == " " and text[1:3] in ("L ", "S ", "M "):
                address, size = text[3:].split(",")
                for kind in "LS" if text[1] == "M" else text[1]:
                    seen.append((pc, kind, int(address, 16), int(size)))
    return r, seen


def compare(argv):
    need("valgrind")
    h.need("valgrind", "objdump", "readelf")
    argv = [str(a) for a in argv]
    r = h.record(argv, RAW["valgrind"])
    theirs, want = lackey(argv, h.fresh("lackey") / "log")
    h.check((r.status, r.out) == (theirs.status, theirs.out),
            f"under lackey the program does something else\n{r}")
    got = []
    for kind, address, size, pc, _ in accesses(r.trace)[0]:
        if kind == "A":  # to VEX a load, and then a compare-and-swap, which lackey takes for M
            load = (pc, "L", address, size)
            if want[len(got):len(got) + 2] == [load, load]:
                got.append(load)
            got += [load, (pc, "S", address, size)]
        else:
            got.append((pc, kind, address, size))
    for i, (a, b) in enumerate(zip(got, want)):
        h.check(a == b, f"access {i}: recorded {a}, lackey {b}")
    h.check(len(got) == len(want), f"{len(got)} recorded, {len(want)} by lackey")
    h.check(len(got) > 40, f"only {len(got)} accesses")
    return f"{len(got)} accesses"


for k in ("matmul", "csr", "chase", "atomics", "vectors", "jump", "signals"):
    for f in (["-O0"], ["-O2"]):
        suite.add(f"lackey {k} {f[0]}", lambda k=k, f=f: compare(
            [h.compile("mem_truth", ["mem_truth.c"], "gcc", [*f, "-w"], ["-lpthread"]), k]))
suite.add("lackey Debian's gzip",
          lambda: compare(["/usr/bin/gzip", "-9", "-c", "/usr/share/common-licenses/BSD"]))
suite.add("lackey Debian's expr", lambda: compare(["/usr/bin/expr", "length", "abcdef", "+", "7"]))


# --- the program does not notice ---


def transparent(engine, command):
    need(engine)
    native = h.run(["sh", "-c", command])
    h.same(native, h.record(["sh", "-c", command], MEM[engine]))


for c in ("echo out; echo err >&2; exit 3", "kill -TERM $$", "kill -ABRT $$", "kill -KILL $$",
          "printf 'a\\nb\\n' | sort -r | head -1", "cat /proc/self/comm", "exec false",
          "ulimit -c; ulimit -s", "nosuchcommand; echo $?",
          "trap 'echo got' USR1; kill -USR1 $$; echo end"):
    for e in ENGINES:
        suite.add(f"transparent {c}, {e}", transparent, e, c)


@suite.case("environment: Valgrind adds only LD_PRELOAD")
def environment():
    need("valgrind")
    native, r = h.run(["env"]), h.record(["env"], MEM["valgrind"])
    new = set(r.out.splitlines()) - set(native.out.splitlines())
    h.check(len(new) == 1 and new.pop().startswith(b"LD_PRELOAD=") and r.out.startswith(native.out),
            f"{r}")


@each_engine("exec and children have files of their own")
def children(engine):
    need(engine)
    r = h.record(["sh", "-c", "true & wait; exec env -i /usr/bin/true"], MEM[engine])
    h.check(r.status == 0, f"{r}")
    h.check_trace(r.trace)
    found = sorted((p["exe"].rsplit("/", 1)[-1], p["state"])
                   for p in h.info(r.trace)["process_list"])
    want = [("dash", "ended"), ("dash", "replaced by exec"), ("env", "replaced by exec"),
            ("true", "ended")]
    h.check(found == want, f"{found}")
    r = h.record(["sh", "-c", "true & wait; exec env -i /usr/bin/true"],
                 [*MEM[engine], "--no-follow"])
    found = [p["state"] for p in h.info(r.trace)["process_list"]]
    # Valgrind records those that are only forked
    h.check(found == ["replaced by exec"] + ["ended"] * (engine == "valgrind"), f"{found}")


# --- what is recorded ---


@each_engine("images")
def images(engine):
    need(engine)
    counts = {}
    for choice in ("main", "app", "all"):
        r = h.record(["/usr/bin/expr", "1", "+", "2"], [*MEM[engine], f"--images={choice}"])
        row = accesses(r.trace)[0]
        counts[choice] = len(row)
        names = {a[4].decode() for a in row if a[4]}
        h.check(names == {"expr"} if choice == "main" else "expr" in names, f"{choice}: {names}")
        if choice == "all":
            h.check("libc.so.6" in names, f"{choice}: {names}")
    h.check(counts["main"] <= counts["app"] < counts["all"], f"{counts}")


@each_engine("from the start")
def from_start(engine):
    need(engine)
    r = h.record(["/usr/bin/expr", "1", "+", "2"], MEM[engine])
    s = h.record(["/usr/bin/expr", "1", "+", "2"], [*MEM[engine], "--from-start"])
    late, early = ([a[:1] + a[2:] for a in accesses(t.trace)[0]] for t in (r, s))
    h.check(len(early) > len(late) and early[-len(late):] == late, f"{len(early)} and {len(late)}")


def flow(engine, kernel, flag):
    """Marks of calls and returns agree with each other: a function's return address lies where the
    call put it, and a return takes it from where a function of ours was entered."""
    need(engine)
    program = h.compile("mem_truth", ["mem_truth.c"], "gcc", [flag, "-w"], ["-lpthread"])
    r = h.record([program, kernel], RAW[engine])
    file, = (spec_decoder.File(p.name, p.read_bytes()) for p in r.trace.glob("p*.bob"))
    memory = spec_memory.Memory(file, [], {})
    count, stack, call, unknown = {1: 0, 2: 0, 4: 0}, [], None, 0
    for record in memory.records(0):
        desc, word = record
        sp = word[desc.sp_word] if desc.flow else 0
        if desc.flow & 1:
            enter = sp + desc.sp_begin
            h.check(call in (None, enter + 8), f"called at {call}, entered at {enter}")
            while stack and stack[-1] <= enter:
                stack.pop()
            stack.append(enter)
        call = sp + desc.sp_end if desc.flow & 2 else None
        if desc.flow & 4:
            back = sp + desc.sp_end
            while stack and stack[-1] < back:
                stack.pop()
            if stack and stack[-1] == back:
                stack.pop()
            else:  # crtbegin's functions have no frame information and symbols without size
                unknown += 1
        for bit in count:
            count[bit] += bool(desc.flow & bit)
        if desc.kind == 3:  # a handler has no caller
            call = None
    h.check(min(count.values()) > 2 and unknown <= 3, f"{count}, {unknown} returns from nowhere")
    return f"{count[1]} entered, {count[2]} calls, {count[4]} returns"


for k in ("matmul", "jump", "signals"):
    for f in ("-O0", "-O2"):
        for e in ENGINES:
            suite.add(f"flow {k} {f}, {e}", flow, e, k, f)


@suite.case("code made at run time")
def jit():
    need("valgrind")
    program = h.compile("mem_jit", ["mem_jit.c"], "gcc", ["-O1", "-w"])
    r = h.record([program], MEM["valgrind"])
    h.check(r.status == 0 and r.out.endswith(b" 12\n"), f"{r}")
    skipped = [i["path"] for i in h.info(r.trace)["process_list"][0]["skipped_images"]]
    h.check("code made at run time" in skipped, f"{skipped}")
    r = h.record([program], [*MEM["valgrind"], "--images=app"])
    data = int(r.out.split()[0], 16)
    found = [(kind, a - data, size)
             for kind, a, size, _, image in accesses(r.trace)[0] if not image
             and data <= a < data + 16]
    h.check(found == [("L", 0, 4), ("L", 8, 8)], f"{found}")


@each_engine("formats of replay")
def formats(engine):
    need(engine)
    program = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-g", "-w"], ["-lpthread"])
    r = h.record([program, "atomics"], RAW[engine])
    row = accesses(r.trace)[0]
    din = h.bobbin("replay", "--mem", "--format=din", r.trace).out.decode().splitlines()
    want = [f"{'01'[k == 'S']} {a:x}" for kind, a, *_ in row
            for k in ("LS" if kind == "A" else kind)]
    h.check(din == want, f"din: {din[:5]}, wanted {want[:5]}")
    lines = h.bobbin("replay", "--mem", "--format=lackey", r.trace).out.decode().splitlines()
    want = [f" {'M' if kind == 'A' else kind} {a:08x},{size}" for kind, a, size, *_ in row]
    h.check(lines == want, f"lackey: {lines[:5]}, wanted {want[:5]}")
    info = h.info(r.trace)
    h.check(info["accesses"] == len(row) and info["raw_bytes"] == 16 * len(row), f"{info}")
    for options in (RAW[engine], MEM[engine]):
        trace = h.record([program, "atomics"], options).trace
        dump = h.bobbin("dump", trace)
        second = h.run([sys.executable, h.ROOT / "tools" / "spec_decoder.py", trace])
        h.check(dump.out == second.out, f"the decoders differ, {options}")
        h.check(len(re.findall(rb"^\d+ [LSA] ", dump.out, re.M)) == len(row),
                f"accesses in the dump, {options}")
        h.check(len(re.findall(rb"^row 0x", dump.out, re.M)) > 5, f"lines in the dump, {options}")


# --- bad luck ---


def stored(n):
    """The elements that mem_count.c stores to, in its order."""
    x, cycle = 1, []
    while not cycle or x != 1:
        x = (x * 5 + 3) % 4096
        cycle.append(x)
    return (cycle * (n // len(cycle) + 1))[:n]


def kill9(engine, options):
    need(engine)
    program = h.compile("mem_count", ["mem_count.c"], "gcc", ["-O1"])
    rng = random.Random(7)
    for _ in range(3):
        where = h.fresh("kill")
        shared = where / "shared"
        shared.write_bytes(bytes(4096))
        p = subprocess.Popen([h.BOBBIN, "record", "-q", "-o", where / "t", *options, "--", program,
                              shared], env=h.environment(), start_new_session=True,
                             stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not int.from_bytes(shared.read_bytes()[:8], "little") and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(rng.random() / 50)
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        h.await_end(where / "t")
        head = shared.read_bytes()
        done, base = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:16], "little")
        r = h.bobbin("check", where / "t")
        h.check(r.status == 0, f"{r}")
        r = h.bobbin("replay", "--mem", "--order=threads", where / "t")
        h.check(r.status == 0 and r.out.count(b"# thread") == 1, f"replay failed\n{r}")
        of = {b"%x" % (base + 8 * i): i for i in range(4096)}
        got = [of[address] for address in STORE.findall(r.out) if address in of]
        h.check(got == stored(len(got)), "not the sequence that was stored")
        # a record counts when it is complete: the piece of code under way may be missing
        h.check(done - 1 <= len(got) <= done + 1, f"{done} stores were done, {len(got)} are there")


for e in ENGINES:
    suite.add(f"kill -9: all that was done is there, {e}", kill9, e, RAW[e])
    suite.add(f"kill -9, folded, {e}", kill9, e, MEM[e])


@each_engine("a limit on files ends the trace, not the program")
def full(engine):
    need(engine)
    program = h.compile("mem_truth", ["mem_truth.c"], "gcc", ["-O2", "-w"], ["-lpthread"])
    trace = h.fresh("full") / "t"
    r = h.run(["sh", "-c", f"ulimit -f 600; exec {h.BOBBIN} record -o {trace} "
               f"{' '.join(RAW[engine])} -- {program} matmul"])
    h.check((r.status, r.out) == (0, b"ok\n") and b"no space for the trace" in r.err, f"{r}")
    h.check(h.bobbin("replay", "--mem", trace).out.count(b"\n") > 100, "nothing is there")


def half_of_records(data):
    """Where to cut a process file, so that half of its one chunk of raw records is left."""
    at = h.chunks_at(data)
    while struct.unpack_from("<IH", data, at) != (0x4B4E4843, 9):
        at += (64 + struct.unpack_from("<Q", data, at + 16)[0] + 63) // 64 * 64
    used = data[at + 64:at + 64 + struct.unpack_from("<Q", data, at + 16)[0]].rstrip(b"\0")
    return at + 64 + len(used) // 2


@each_engine("a trace cut off or damaged")
def damaged(engine):
    need(engine)
    r = h.record(["/usr/bin/expr", "1", "+", "2"], RAW[engine])
    whole = accesses(r.trace)[0]
    path, = r.trace.glob("p*.bob")
    data = path.read_bytes()
    path.write_bytes(data[:half_of_records(data)])
    c = h.bobbin("check", r.trace)
    h.check(c.status == 1 and b"lost" in c.out, f"{c}")
    h.bobbin("dump", r.trace)
    lines = h.bobbin("replay", "--mem", r.trace)
    # in the middle of a record, or just after one
    reported = (lines.status == 1 and b"cut off" in lines.err or lines.status == 0
                and b"missing or damaged" in lines.err)
    h.check(reported and 0 < lines.out.count(b"\n") - 1 < len(whole), f"{lines}")
    rows = [tuple(w.split(b" ")) for w in lines.out.splitlines()[1:]]
    h.check([(k.decode(), int(a, 16)) for k, a, *_ in rows] == [a[:2] for a in whole[:len(rows)]],
            "something else than a part")


@suite.case("refusals are one line")
def refusals():
    for argv, status, text in (
        (["--engine=fast"], 125, b"--engine is one of auto|native|valgrind"),
        (["--mem", "-F", "f*"], 125, b"chooses calls"),
    ):
        r = h.bobbin("record", "-o", h.fresh("no") / "t", *argv, "--", "true")
        h.check(r.status == status and text in r.err and r.err.count(b"\n") <= 2, f"{r}")
    where = h.fresh("alone")
    (where / "bin").mkdir()
    shutil.copy(h.BOBBIN, where / "bin" / "bobbin")
    r = h.run([where / "bin" / "bobbin", "record", *MEM["valgrind"], "-o", where / "t", "--",
               "true"])
    h.check(r.status == 125 and b"Valgrind" in r.err and r.err.count(b"\n") == 1, f"{r}")
    h.check(not (where / "t").exists(), "a trace directory is left")
    r = h.bobbin("replay", "--format=x", where)
    h.check(r.status == 2, f"{r}")
    for options in ([], ["--mem"]):
        r = h.bobbin("replay", *options, where / "nothing")
        h.check(r.status == 1 and b"no trace" in r.err, f"{r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
