#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cache of patch plans may be cold, stale, damaged, another user's, unusable; the planner may
be missing or fail. A plan is code to be: whatever is wrong with it, the program runs as without
recording, no wrong plan is used, and the trace names the images it has no plan for."""

import os
import pathlib
import re
import shutil
import stat
import sys

import harness as h

suite = h.Suite("plan cache")
# What a plan begins with: src/plan/format.h
MAGIC = b"BOBPLAN\n"
UNPRIVILEGED = 65534


def program():
    """Prints the call tree it must produce, so a wrong plan would show twice."""
    return h.compile("order", ["order_fg.c"], "gcc", ["-O1", "-w"])


_native = []


def native():
    if not _native:
        _native.append(h.run([program()]))
        h.check(_native[0].status == 0, f"the program fails natively\n{_native[0]}")
    return _native[0]


def new_cache():
    cache = h.fresh("cache") / "plans"
    cache.mkdir(mode=0o700)
    return cache


def record(cache, *opts):
    r = h.record([program()], opts, env=h.environment({"BOBBIN_CACHE": str(cache)}))
    h.same(native(), r)
    return r.trace


def preload(cache, planner):
    """Without a launcher: the variables of `bobbin env`, with a planner of our choice."""
    trace = h.fresh("trace") / "t"
    trace.mkdir()
    r = h.bobbin("env", "-o", trace, env=h.environment({"BOBBIN_CACHE": str(cache)}))
    env = dict(re.findall(rb"^export (\w+)='([^']*)'$", r.out, re.M))
    h.check(b"LD_PRELOAD" in env, f"bobbin env\n{r}")
    env = {k.decode(): v.decode() for k, v in env.items()}
    env.pop("BOBBIN_PLANNER")
    if planner:
        env["BOBBIN_PLANNER"] = str(planner)
    h.same(native(), h.run([program()], env=h.environment(env)))
    return pathlib.Path(env["BOBBIN_DIR"])


def traced_calls(trace):
    """Entries of functions of the program itself, decoded."""
    return sum(e.entry and e.function.startswith("t_") for _, _, events in h.dump(trace)
               for e in events)


def complete(trace, what=""):
    h.check_trace(trace)
    want = len(native().out.splitlines()) - 1  # its tree, one line a call, and "ok"
    got = traced_calls(trace)
    h.check(got == want, f"{what}{got} calls in the trace, the program made {want}")


def without_plan(trace, what=""):
    """Nothing of the program is traced and the trace says why."""
    h.check_trace(trace)
    h.check(h.info(trace)["events"] == 0, f"{what}something was traced without a plan")
    r = h.bobbin("info", trace)
    h.check(r.status == 0, f"bobbin info\n{r}")
    line = [x for x in r.out.splitlines() if str(program()).encode() in x and b"plan" in x]
    h.check(line, f"{what}the trace does not say that the program has no plan\n{h.show(r.out)}")


def plans(cache):
    return sorted(p for p in cache.iterdir() if p.suffix == ".plan")


def plan_of_program(cache):
    """By elimination: recording with --images=main needs all plans, the program's is the
    smallest."""
    return min(plans(cache), key=lambda p: p.stat().st_size)


@suite.case("cold, then warm")
def _():
    cache = new_cache().parent / "made" / "by" / "us"
    complete(record(cache))
    h.check(stat.S_IMODE(cache.stat().st_mode) == 0o700, f"mode {cache.stat().st_mode:o}")
    made = {p.name: p.stat() for p in cache.iterdir()}
    rest = set(made) - {p.name for p in plans(cache)}
    h.check(len(plans(cache)) >= 3 and rest <= {"calibration"}, f"in the cache: {sorted(made)}")
    for p in plans(cache):
        h.check(stat.S_IMODE(p.stat().st_mode) == 0o600, f"{p.name} has mode {p.stat().st_mode:o}")
        h.check(p.read_bytes()[:8] == MAGIC, f"{p.name} is no plan")
    complete(record(cache))
    again = {p.name: p.stat() for p in cache.iterdir()}
    same = all(made[n].st_mtime_ns == again[n].st_mtime_ns
               for n in made) and len(made) == len(again)
    h.check(same, "the second run wrote to the cache")


@suite.case("events alone: plans of special functions, and of what events come from")
def _():
    cache = new_cache()
    env = h.environment({"BOBBIN_CACHE": str(cache)})
    say = h.compile("regular", ["events/regular.c"], "gcc", ["-O1", f"-I{h.ROOT / 'include'}"])

    def events():
        r = h.record([say, "10"], ["--events"], env=env)
        h.check((r.status, r.out, r.err) == (0, b"", b""), f"{r}")
        h.check_trace(r.trace)
        reported = h.bobbin("info", r.trace).out
        h.check(re.search(rb"^events +60$", reported, re.M), f"not 60 events\n{h.show(reported)}")
        h.check(re.search(rb"  exit status 0  .*/regular$", reported, re.M), f"{h.show(reported)}")
        h.check(h.info(r.trace)["process_list"][0]["end_mono_ns"], "the agent did not see its end")

    def kinds():
        return sorted(p.suffix for p in cache.iterdir() if p.suffix in (".plan", ".special"))

    events()
    h.check(kinds() == [".plan", ".special", ".special"], f"in the cache: {kinds()}")
    for p in list(cache.glob("*.special")):
        good = p.read_bytes()
        for what, bad in list(damage(good))[::16]:
            p.write_bytes(bad)
            events()
            h.check(p.read_bytes() == good, f"{what}: not replaced")


@suite.case("cold, eight at once")
def _():
    cache = new_cache()
    env = h.environment({"BOBBIN_CACHE": str(cache)})
    traces = [h.fresh("trace") / "t" for _ in range(8)]
    line = [[h.BOBBIN, "record", "-q", "-o", str(t), "--", str(program())] for t in traces]
    pipe = h.subprocess.PIPE
    ps = [h.subprocess.Popen(a, env=env, stdout=pipe, stderr=pipe) for a in line]
    for p, t in zip(ps, traces):
        out, err = p.communicate(timeout=60)
        h.check((p.returncode, out, err) == (0, native().out, b""), f"{p.returncode} {err!r}")
        complete(t)
    rest = {p.name for p in cache.iterdir() if p.suffix != ".plan"} - {"calibration"}
    h.check(not rest, f"left in the cache: {rest}")


@suite.case("stale: the plan of another image, of another build")
def _():
    cache = new_cache()
    complete(record(cache))
    mine, others = plan_of_program(cache), plans(cache)
    good = mine.read_bytes()
    for p in others:
        if p != mine:
            shutil.copyfile(p, mine)
            complete(record(cache), f"with the plan of {p.name}: ")
            h.check(mine.read_bytes() == good, "the wrong plan stayed in the cache")
    (other,) = [p for p in [max(others, key=lambda p: p.stat().st_size)]]
    shutil.copyfile(mine, other)  # the C library's becomes ours
    complete(record(cache, "--images=all"), "the program's plan for the C library: ")


def damage(good):
    """One wrong byte in every 64, cut-off files, an empty one, more than there should be."""
    for at in range(0, len(good), 64):
        where = at + at // 64 % 64
        if where < len(good):
            bad = bytearray(good)
            bad[where] ^= 0xFF
            yield f"byte {where}", bytes(bad)
    for size in (0, 1, 8, 63, len(good) // 2, len(good) - 1):
        yield f"{size} bytes", good[:size]
    yield "longer", good + bytes(64)
    yield "zeros", bytes(len(good))


def with_damaged(run, check):
    """Traces of run(cache) with every damage of the program's plan; every 16th is looked at. The
    cache, and how many there were. The plan is whole in the end."""
    cache = new_cache()
    complete(record(cache))
    mine = plan_of_program(cache)
    good = mine.read_bytes()
    count = 0
    for what, bad in damage(good):
        mine.write_bytes(bad)
        trace = run(cache)
        if run is record:
            h.check(mine.read_bytes() == good, f"{what}: not replaced")
        if count % 16 == 0:
            check(trace, f"{what}: ")
        shutil.rmtree(trace)
        count += 1
    mine.write_bytes(good)
    return cache, count


@suite.case("damaged: planned again")
def _():
    _, count = with_damaged(record, complete)
    return f"{count} damages"


@suite.case("damaged and no planner: no plan")
def _():
    cache, count = with_damaged(lambda cache: preload(cache, None), without_plan)
    complete(preload(cache, None), "whole again: ")
    return f"{count} damages"


@suite.case("writable by others: not used")
def _():
    cache = new_cache()
    complete(record(cache))
    for mode in (0o777, 0o1777, 0o770, 0o702):
        cache.chmod(mode)
        without_plan(record(cache), f"directory {mode:o}: ")
    cache.chmod(0o700)
    for mode in (0o666, 0o620, 0o602):
        mine = plan_of_program(cache)
        mine.chmod(mode)
        without_plan(preload(cache, None), f"plan {mode:o}: ")
        complete(record(cache), f"plan {mode:o}, planned again: ")
        h.check(stat.S_IMODE(mine.stat().st_mode) == 0o600, "not replaced")


@suite.case("another user's: not used")
def _():
    if os.geteuid() != 0:
        raise h.Skip("needs root to give files away")
    cache = new_cache()
    complete(record(cache))
    os.chown(cache, UNPRIVILEGED, UNPRIVILEGED)
    without_plan(record(cache), "directory: ")
    os.chown(cache, 0, 0)
    mine = plan_of_program(cache)
    os.chown(mine, UNPRIVILEGED, UNPRIVILEGED)
    without_plan(preload(cache, None), "plan: ")
    complete(record(cache), "planned again: ")
    h.check(mine.stat().st_uid == 0, "not replaced")


@suite.case("a symbolic link, a directory, a pipe in place of a plan")
def _():
    cache = new_cache()
    complete(record(cache))
    mine = plan_of_program(cache)
    away = cache.parent / "away"
    shutil.copyfile(mine, away)

    def link():
        mine.symlink_to(cache / "nothing")

    for what, make in (("link", link), ("directory", mine.mkdir),
                       ("pipe", lambda: os.mkfifo(mine))):
        mine.unlink()
        make()
        record(cache)
        preload(cache, None)
        if what == "directory":
            mine.rmdir()
            mine.touch()
    mine.unlink()
    complete(record(cache))


@suite.case("no place for a cache")
def _():
    notes = []
    for place in ("/proc/nowhere/plans", "/dev/null", h.fresh("file") / "plain" / "x"):
        pathlib.Path(place).parent.name == "plain" and pathlib.Path(place).parent.write_text("")
        env = h.environment({"BOBBIN_CACHE": str(place)})
        r = h.record([program()], env=env)
        h.same(native(), r, f"cache {place}: ")
        h.check_trace(r.trace)
        notes.append(str(h.info(r.trace)["events"]))
    return "events " + " ".join(notes)


@suite.case("planner missing or failing")
def _():
    d = h.fresh("planner")
    slow = d / "silent"
    slow.write_text("#!/bin/sh\nexit 0\n")
    noisy = d / "noisy"
    noisy.write_text("#!/bin/sh\necho out; echo err >&2; kill -SEGV $$\n")
    text = d / "text"
    text.write_text("not a program\n")
    for p in (slow, noisy):
        p.chmod(0o755)
    for planner in (None, "/nonexistent/bobbin", "/dev/null", slow, noisy, text, d):
        without_plan(preload(new_cache(), planner), f"planner {planner}: ")
    complete(preload(new_cache(), h.BOBBIN), "the real one: ")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
