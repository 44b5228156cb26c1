#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bobbin cache on recorded programs: misses of every instruction against a simulator of ten lines
that reads what bobbin replay prints; false sharing where it is, and nowhere else; machines that
cannot be."""

import collections
import re
import sys

import harness as h

suite = h.Suite("cache")


@h.cached
def trace(*args):
    program = h.compile("cache_walk", ["cache_walk.c"], "gcc", ["-O1", "-pthread"])
    r = h.record([program, *args], ["--mem"])
    h.check(r.status == 0, f"recording\n{r}")
    return r.trace


def cache(*options, of, status=0):
    r = h.bobbin("cache", *options, of)
    h.check(r.status == status, f"status {r.status}, not {status}\n{r}")
    return r.out.decode() if status == 0 else r.err.decode()


def number(text):
    return int(text.replace(",", ""))


def accesses(of):
    """(program counter, first line, last line) of all accesses, lines of 64 bytes."""
    r = h.bobbin("replay", "--mem", of)
    h.check(r.status == 0, f"replay\n{r}")
    for line in r.out.decode().splitlines():
        m = re.match(r"[LSA] 0x([0-9a-f]+) (\d+) .*\+0x([0-9a-f]+)$", line)
        if m:
            address, size = int(m[1], 16), int(m[2])
            yield int(m[3], 16), address >> 6, (address + size - 1) >> 6


def plain(of, sets, ways):
    """LRU with nothing else: misses by program counter."""
    cached = [collections.OrderedDict() for _ in range(sets)]
    misses = collections.Counter()
    for pc, first, last in accesses(of):
        for line in range(first, last + 1):
            lru = cached[line % sets]
            if line in lru:
                lru.move_to_end(line)
                continue
            misses[pc] += 1
            lru[line] = None
            if len(lru) > ways:
                lru.popitem(last=False)
    return misses


def rows(text):
    """L1 misses by program counter, from the table of instructions."""
    found = re.findall(r"^ *([\d,]+) +[\d.]+% +([\d,]+) .*?  cache_walk +0x([0-9a-f]+)", text, re.M)
    return {int(pc, 16): number(misses) for _, misses, pc in found}


@suite.case("misses of each instruction")
def instructions():
    of = trace()
    for preset, sets, ways in (("skylake", 64, 8), ("tiny", 8, 2), ("sapphire-rapids", 64, 12)):
        got = rows(cache("--preset", preset, "--by=instruction", "--limit=0", of=of))
        want = plain(of, sets, ways)
        h.check(sum(want.values()) > 5000, f"{preset}: too few misses to compare")
        h.check(len(got) > 10, f"{preset}: {len(got)} rows")
        for pc in set(got) | set(want):
            h.check(got.get(pc, 0) == want[pc],
                    f"{preset}: {pc:#x} misses {got.get(pc, 0)}, not {want[pc]}")


@suite.case("totals, and a machine from a file")
def totals():
    of, count = trace(), sum(1 for _ in accesses(trace()))
    file = h.fresh("cache") / "one.caches"
    file.write_text("[L1]\nsize = 4 KiB\nways = 4\n")
    text = cache("--config", str(file), of=of)
    m = re.search(r"^L1 +([\d,]+) +([\d,]+) ", text, re.M)
    straddling = sum(last - first for _, first, last in accesses(of))
    h.check(m and number(m[1]) == count + straddling,
            f"{count} accesses, {straddling} straddle\n{text}")
    h.check(number(m[2]) == sum(plain(of, 16, 4).values()), f"misses\n{text}")
    shown = cache("--config", str(file), "--show-config", of=of)
    h.check(shown == "[machine]\ncores = 1\nline = 64\n[L1]\nsize = 4 KiB\nways = 4\n", shown)


@suite.case("folded loops, and every access one by one")
def one_by_one():
    for preset in ("skylake", "tiny", "zen2"):
        for by in ("function", "instruction"):
            options = ("--preset", preset, "--by", by, "--limit=0")
            fast, slow = cache(*options, of=trace()), cache(*options, "--one-by-one", of=trace())
            h.check(fast == slow, f"{preset} by {by}\n{fast}\n{slow}")


@suite.case("false sharing")
def false_sharing():
    text = cache("--preset=skylake", of=trace("threads"))
    lines = re.findall(r"^line 0x[0-9a-f]+   (.*)$", text, re.M)
    h.check(lines == ["together"], f"lines that are shared: {lines}, not one\n{text}")
    h.check("core 1  reads bytes 0-7  writes bytes 0-7\n" in text, text)
    h.check("core 2  reads bytes 8-15  writes bytes 8-15\n" in text, text)
    found = re.findall(r"^ +([\d,]+) false, (\d+) true  0\.(\d) .*after a store by 0\.(\d) ", text,
                       re.M)
    h.check(sorted(f[2:] for f in found) == [("1", "2"), ("2", "1")], f"{found}\n{text}")
    for false, true, _, _ in found:
        # of 40,000 accesses in turns of 100
        h.check(true == "0" and 350 <= number(false) <= 450, f"{false} false, {true} true\n{text}")
    h.check("turns of 100 accesses: " in text and "turns of 1,000 accesses: " in text, text)
    one = cache("--preset=skylake", "--group=1", of=trace("threads"))
    h.check("line 0x" not in one and "turns of" not in one, one)


@suite.case("what is refused, and how")
def refusals():
    of = trace()
    file = h.fresh("cache") / "bad.caches"

    def says(want, *options, status=1):
        got = cache(*options, of=of, status=status)
        h.check(got.startswith("bobbin: cache: ") and want in got and got.count("\n") == 1, got)

    file.write_text("[L1]\nsize = 3 KiB\nways = 4\n")
    says(f"{file}:1: L1: 3072 bytes in 4 ways are 12 sets, which is no power of two", "--config",
         str(file))
    file.write_text("[L1]\nsizes = 3\n")
    says(f"{file}:2: 'sizes' is not known in this section", "--config", str(file))
    file.write_bytes(b"#" * 2000000)
    says("is longer than", "--config", str(file))
    says("cannot open /nowhere/x", "--config=/nowhere/x")
    says("--preset and --config are two machines", "--config", str(file), "--preset=tiny", status=2)
    says("--sort: no column 'L4'; did you mean 'L1'?", "--sort=L4", status=2)
    says("--quantum is a number above 0", "--quantum=0", status=2)
    says("the trace has no memory accesses, or none in the threads chosen", "--group=77")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
