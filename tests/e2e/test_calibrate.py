#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# ctest: serial
"""The estimate of overhead: what a call costs is measured once and kept beside the plans; whatever
is wrong with the file or its place, the program runs as without recording. How large the numbers
are is the machine's business and decides nothing here."""

import os
import re
import stat
import subprocess
import sys

import harness as h

suite = h.Suite("calibrate")
UNPRIVILEGED = 65534
FORM = re.compile(
    rb"bobbin \S+\nagent \d+ \d+\.\d{9}\nhost \S*\nprocessor [^\n]*\n"
    rb"call_ps ([1-9]\d*)\nbit_ps ([1-9]\d*)\ncrc [0-9a-f]{8}\n"
)


def program():
    return h.compile("order", ["order_fg.c"], "gcc", ["-O1", "-w"])


def new_cache():
    cache = h.fresh("cache") / "plans"
    cache.mkdir(mode=0o700)
    return cache


def record(cache, *opts, **variables):
    env = h.environment({"BOBBIN_CACHE": str(cache), **variables})
    r = h.record([program()], opts, env=env)
    h.same(h.run([program()]), r)
    h.check_trace(r.trace)
    return r.trace


def numbers(cache):
    """(call_ps, bit_ps) of the file, which must be whole, ours and private."""
    path = cache / "calibration"
    h.check(path.is_file() and not path.is_symlink(),
            f"no calibration in {sorted(cache.iterdir())}")
    mode = stat.S_IMODE(path.stat().st_mode)
    h.check(mode == 0o600 and path.stat().st_uid == os.geteuid(), f"mode {mode:o}")
    m = FORM.fullmatch(path.read_bytes())
    h.check(m, f"calibration: {path.read_bytes()!r}")
    return int(m[1]), int(m[2])


def config(trace):
    (p,) = h.info(trace)["process_list"]
    return {k: v for k, _, v in (c.partition("=") for c in p["config"])}


def used(trace):
    """The numbers in the trace, None if it has none; report and info must agree about that."""
    c = config(trace)
    overhead = h.info(trace)["overhead"]
    lines = [h.bobbin(v, trace).out.decode() for v in ("report", "info")]
    texts = [re.findall(r"^overhead    (.*)$", t, re.M) for t in lines]
    h.check(all(len(t) == 1 for t in texts), f"overhead lines {texts}")
    if "BOBBIN_NS_EVENT" not in c:
        h.check("BOBBIN_NS_BIT" not in c and overhead is None, f"{c} {overhead}")
        h.check(all(t[0].startswith("unknown: ") for t in texts), f"{texts}")
        return None
    h.check(all(re.match(r"about \S+ \S+ of CPU time in ", t[0]) for t in texts), f"{texts}")
    pair = int(c["BOBBIN_NS_EVENT"]), int(c["BOBBIN_NS_BIT"])
    h.check((overhead["call_ps"], overhead["bit_ps"]) == pair, f"{overhead} {pair}")
    for t in lines:
        want = f"{pair[0] / 1000:.1f} ns per call and {pair[1] / 1000:.1f} ns per coded bit"
        h.check(want in t, f"not in the text: {want}\n{t}")
    return pair


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(body):
    return body + b"crc %08x\n" % crc32c(body)


@suite.case("measured once, kept, used")
def _():
    cache = new_cache()
    tmp = h.fresh("tmp")
    first = record(cache, TMPDIR=str(tmp))
    h.check(not list(tmp.iterdir()), f"left over: {list(tmp.iterdir())}")
    pair = numbers(cache)
    h.check(used(first) == pair, "the trace has other numbers than the file")
    before = (cache / "calibration").stat()
    h.check(used(record(cache)) == pair, "the second run has other numbers")
    after = (cache / "calibration").stat()
    same = (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    h.check(same, "measured again")
    h.check(used(record(cache, "--exec")) == pair, "--exec")
    return f"{pair[0]} ps per call, {pair[1]} ps per bit"


@suite.case("the sum is exact")
def _():
    cache = new_cache()
    record(cache)
    text = (cache / "calibration").read_bytes()
    head = text[: text.index(b"call_ps")]
    for call, bit in ((1, 1), (4900, 2100), (123457, 98765), (100000000, 100000000)):
        (cache / "calibration").write_bytes(sealed(head + b"call_ps %d\nbit_ps %d\n" % (call, bit)))
        trace = record(cache)
        h.check(used(trace) == (call, bit), f"not used: {call} {bit}")
        i = h.info(trace)
        (p,) = i["process_list"]
        want = sum(
            (t["events"] * call + 8 * t["stream_bytes"] * bit + 500) // 1000
            for t in p["thread_list"]
            if t["events"]
        )
        h.check(i["overhead"]["added_ns"] == want, f"{i['overhead']}, not {want}")


def bad_files(good):
    body = good[: good.index(b"crc ")]
    yield "empty", b""
    yield "zeros", bytes(len(good))
    yield "longer", good + b"\n"
    yield "huge", good * 1000
    yield "half", good[: len(good) // 2]
    for at in range(0, len(good), 16):
        yield f"byte {at}", good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
    yield "another version", sealed(re.sub(rb"bobbin \S+", b"bobbin 0.0.9", body))
    yield "agent of another size", sealed(re.sub(rb"agent \d+", b"agent 1", body))
    yield "agent of another time", sealed(re.sub(rb"\.\d{9}", b".999999999", body))
    yield "another machine", sealed(re.sub(rb"host \S*", b"host elsewhere", body))
    yield "another processor", sealed(re.sub(rb"processor [^\n]*", b"processor 8086", body))
    yield "nothing costs", sealed(re.sub(rb"call_ps \d+", b"call_ps 0", body))
    yield "too much", sealed(re.sub(rb"bit_ps \d+", b"bit_ps 100000001", body))


@suite.case("stale or damaged: measured again")
def _():
    cache = new_cache()
    record(cache)
    path = cache / "calibration"
    numbers(cache)
    good, count = path.read_bytes(), 0
    h.check(sealed(good[: good.index(b"crc ")]) == good, "the checksum of this test is another one")
    for what, bad in bad_files(good):
        path.write_bytes(bad)
        trace = record(cache)
        h.check(path.read_bytes() != bad, f"{what}: stays")
        h.check(used(trace) == numbers(cache), f"{what}: not used after it was measured again")
        count += 1
    return f"{count} files"


@suite.case("not ours: not used")
def _():
    cache = new_cache()
    record(cache)
    path = cache / "calibration"
    numbers(cache)
    text = path.read_bytes()
    fake = sealed(text[: text.index(b"call_ps")] + b"call_ps 7\nbit_ps 7\n")
    away = cache.parent / "away"
    away.write_bytes(fake)
    away.chmod(0o600)

    def put(mode, owner=None):
        path.write_bytes(fake)
        path.chmod(mode)
        if owner is not None:
            os.chown(path, owner, owner)

    ways = {
        "mode 666": lambda: put(0o666),
        "mode 620": lambda: put(0o620),
        "link": lambda: path.symlink_to(away),
        "pipe": lambda: os.mkfifo(path, 0o600),
    }
    if os.geteuid() == 0:
        ways["another user's"] = lambda: put(0o600, UNPRIVILEGED)
    for what, make in ways.items():
        path.unlink()
        make()
        trace = record(cache)
        h.check(used(trace) == numbers(cache) != (7, 7), f"{what}: used")
    put(0o600)
    h.check(used(record(cache)) == (7, 7), "whole and ours, and not used")


@suite.case("no place to keep it: the run goes on")
def _():
    cache = new_cache()
    (cache / "calibration").mkdir()
    record(cache)
    h.check((cache / "calibration").is_dir(), "the directory was replaced")
    left = [p.name for p in cache.iterdir() if p.suffix != ".plan" and p.name != "calibration"]
    h.check(not left, f"left in the cache: {left}")
    for mode in (0o777, 0o770):
        cache = new_cache()
        cache.chmod(mode)
        env = h.environment({"BOBBIN_CACHE": str(cache)})
        h.same(h.run([program()]), h.record([program()], env=env), f"mode {mode:o}: ")
        h.check(not list(cache.iterdir()), "written into a cache that others can write")
    for place in ("/proc/nowhere/plans", "/dev/null"):
        record(place)
    trace = record(new_cache(), TMPDIR="/nonexistent")
    h.check(used(trace) is None, "measured without a place for the trace")


@suite.case("eight at once: one measures")
def _():
    cache = new_cache()
    env = h.environment({"BOBBIN_CACHE": str(cache)})
    traces = [h.fresh("trace") / "t" for _ in range(8)]
    ps = [
        subprocess.Popen([h.BOBBIN, "record", "-q", "-o", t, "--", program()], env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for t in traces
    ]
    want = h.run([program()]).out
    for p in ps:
        out, err = p.communicate(timeout=60)
        h.check((p.returncode, out, err) == (0, want, b""), f"{p.returncode} {err!r}")
    pair = numbers(cache)
    got = [used(t) for t in traces]
    h.check(all(g in (pair, None) for g in got) and pair in got, f"{got}, kept {pair}")
    rest = [p.name for p in cache.iterdir() if p.suffix != ".plan"]
    h.check(rest == ["calibration"], f"in the cache: {rest}")
    return f"{got.count(pair)} of 8 know"


@suite.case("only where it holds")
def _():
    cache = new_cache()
    record(cache)
    for opts in (["--codec=none"], ["--codec=parlot"], ["--depth=100"], ["--trigger=main"]):
        trace = record(cache, *opts)
        h.check(h.info(trace)["events"] > 0, f"{opts}: no calls")
        text = h.bobbin("report", trace).out
        h.check(b"overhead    unknown: " in text, f"{opts}: {h.show(text)}")
        h.check(h.info(trace)["overhead"] is None, f"{opts}: json")


@suite.case("variables of another user are not trusted")
def _():
    trace = record(new_cache(), BOBBIN_NS_EVENT="1", BOBBIN_NS_BIT="1", TMPDIR="/nonexistent")
    h.check(used(trace) is None, f"{config(trace)}")


@suite.case("without a launcher")
def _():
    cache = new_cache()
    r = h.bobbin("env", "-o", h.fresh("trace") / "t",
                 env=h.environment({"BOBBIN_CACHE": str(cache)}))
    env = dict(re.findall(r"^export (\w+)='([^']*)'$", r.out.decode(), re.M))
    pair = numbers(cache)
    h.check(int(env["BOBBIN_NS_EVENT"]) == pair[0] and int(env["BOBBIN_NS_BIT"]) == pair[1], r)


@suite.case("the verb is internal")
def _():
    for r in (h.bobbin("--help"), h.bobbin("help", "--completion")):
        h.check(r.status == 0 and b"calibrate" not in r.out, f"{r}")
    r = h.bobbin("calibrate")
    h.check(r.status == 0 and r.err == b"", f"{r}")
    h.check(re.fullmatch(rb"[1-9]\d* [1-9]\d* [1-9]\d* [1-9]\d*\n", r.out), f"{r}")
    h.check(h.bobbin("calibrate", "x").status == 2, "an argument is accepted")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
