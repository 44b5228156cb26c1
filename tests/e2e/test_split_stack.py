#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with split stacks (-fsplit-stack) behave as they do natively; calls meet the frames that
they expect, and the functions of the program are translated for --mem."""

import json
import sys

import harness as h

suite = h.Suite("split stack")
# Stores of one byte, without optimisation: one each time that a body runs, and one when the C run
# time ends.
STORES = 501 + 1920 + 101 + 101 + 3 + 3 * (301 + 41 + 51 + 2) + 5 + 1
NO_PLACE = "split stack too small for a signal"
MODES = (["--images=main"], ["--images=app"], ["--images=all"], ["--mem"],
         ["--mem", "--images=all"])


def check_translated(info, optimised):
    """All of the program, but for its one variadic function: see brim()."""
    untranslated = [g for g in info["process_list"][0]["unrecorded"] if g["image"] == 0]
    h.check(len(untranslated) <= optimised and all(g["reason"] == NO_PLACE for g in untranslated),
            f"not translated: {untranslated}")


def record(flags, opts):
    h.need("g++")
    program = h.compile("split_stack", ["split_stack.cc"], "g++",
                        [*flags, "-w", "-fsplit-stack", "-pthread"])
    r = h.record([program, "threads"], opts)
    h.same(h.run([program, "threads"]), r)
    h.check_trace(r.trace)
    info = json.loads(h.bobbin("info", "--json", r.trace).out)
    if "--mem" not in opts:
        wrong = sum(t["top_mismatch"] for t in info["process_list"][0]["thread_list"])
        h.check(wrong == 0, f"{wrong} frames that were not expected")
        h.check(info["events"] > 4000, f"only {info['events']} calls")
        return f"{info['events']} calls"
    h.check(info["accesses"] > 50000, f"only {info['accesses']} accesses")
    check_translated(info, "-O0" not in flags)
    if "-O0" in flags and opts == ["--mem"]:
        lines = h.bobbin("replay", "--mem", r.trace).out.splitlines()
        stores = sum(line.split()[1::2][:2] == [b"S", b"1"] for line in lines)
        h.check(stores == STORES, f"{stores} stores of one byte, not {STORES}")
    return f"{info['accesses']} accesses"


def brim(level, opts):
    """No signal arrives on a split stack: it has no place for the frame. The `ret` after a variadic
    function's call of __morestack may find no dead bytes for a jump; then that function stays as it
    is."""
    program = h.compile("split_brim", ["split_brim.c"], "gcc",
                        [level, "-w", "-fsplit-stack", "-pthread"])
    r = h.record([program], opts)
    h.same(h.run([program]), r)
    h.check_trace(r.trace)
    if "--mem" in opts:
        check_translated(json.loads(h.bobbin("info", "--json", r.trace).out), level != "-O0")


for level in ("-O0", "-O1", "-O2", "-Os"):
    for mode in MODES:
        suite.add(f"brim {level} {' '.join(mode)}", brim, level, mode)
for linker in ("bfd", "gold"):
    for level in ("-O0", "-O2"):
        for mode in MODES:
            suite.add(f"{linker} {level} {' '.join(mode)}", record, [level, f"-fuse-ld={linker}"],
                      mode)

if __name__ == "__main__":
    sys.exit(suite.run())
