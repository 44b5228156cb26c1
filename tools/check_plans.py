#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check patch plans against an independent reading of the images.

    tools/check_plans.py [--bobbin PATH] [--jobs N] [-v] PATH...

PATH is an ELF file, or a folder that is searched for x86-64 executables and shared objects. The
program asks `bobbin plan --patches` which bytes the agent overwrites, and reads from the file where
control may enter: landing pads, starts of call frame information, rows of it that the instruction
before does not explain, symbols, relocations, aborts of restartable sequences. It shares no code
with the planner (tools/plan_image.py). An *unsafe hook* is

  - an entry strictly inside of overwritten bytes, or anywhere in overwritten padding;
  - a site of a run time (rseq, USDT, XRay, patchable entry, signal return) that is overwritten;
  - an overwritten byte in code whose exception table is broken or of an unknown form.

Prints one line for each, then one line of totals. The exit status is 1 if there is an unsafe hook
or if nothing was checked.
"""
import argparse
import bisect
import multiprocessing
import os
import subprocess
import sys
import time

import plan_image

SHOWN = 40  # unsafe hooks of one image


class Ranges:
    """The overwritten bytes of one image."""

    def __init__(self, text):
        self.all = []
        for line in text.splitlines():
            at, length, kind, func, name = line.split(" ", 4)
            at = int(at, 16)
            self.all.append((at, at + int(length), kind, int(func, 16), name))
        self.all.sort()
        self.starts = [r[0] for r in self.all]

    def at(self, address):
        """The range that holds the address, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        return self.all[i] if i >= 0 and address < self.all[i][1] else None

    def overlapping(self, lo, hi):
        i = bisect.bisect_right(self.starts, lo) - 1
        if i < 0 or self.all[i][1] <= lo:
            i += 1
        while i < len(self.all) and self.all[i][0] < hi:
            yield self.all[i]
            i += 1


def find_entries(image, ranges):
    """(address, range, what) of each way into an overwritten range."""
    for what, addresses in image.entries():
        for address in addresses:
            r = ranges.at(address)
            if r and (address > r[0] or r[2] == "hole"):
                yield address, r, what
    for what, spans in image.sites():
        for lo, hi in spans:
            for r in ranges.overlapping(lo, hi):
                yield lo, r, what
    for r in ranges.all:
        for address in image.rows_within(r[0], r[1]):
            yield address, r, "row of frame information that nothing before it explains"


def find_unsafe(image, ranges):
    """(address, range, what): one for each address in a range, all reasons in one."""
    found = {}
    for address, r, what in find_entries(image, ranges):
        reasons = found.setdefault((address, r), [])
        if what not in reasons:
            reasons.append(what)
    return sorted((address, r, ", ".join(whats)) for (address, r), whats in found.items())


def check(job):
    bobbin, path = job
    done = subprocess.run([bobbin, "plan", "--patches", path], capture_output=True, text=True,
                          errors="replace", check=False)
    if done.returncode < 0:
        return path, f"the planner was killed by signal {-done.returncode}", [], {}
    if done.returncode != 0:  # so nothing of it is ever hooked
        return path, NO_PLAN + (done.stderr.strip().splitlines() or ["?"])[-1], [], {}
    try:
        ranges = Ranges(done.stdout)
        image = plan_image.Image(path)
        unsafe = find_unsafe(image, ranges)
    except (plan_image.Damaged, IndexError, ValueError) as e:
        return path, f"not read: {e!r}", [], {}
    counts = {"ranges": len(ranges.all), "frames": len(image.frames), "pads": len(image.pads)}
    return path, None, unsafe, counts


def is_candidate(path):
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return False
        with open(path, "rb") as f:
            head = f.read(20)
    except OSError:
        return False
    return head[:6] == b"\x7fELF\x02\x01" and head[16:18] in (b"\2\0", b"\3\0") and \
        head[18:20] == b"\x3e\0"


NO_PLAN = "no plan: "


def find_images(paths):
    seen = set()
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                full = os.path.join(folder, name)
                if not is_candidate(full):
                    continue
                st = os.stat(full)
                if (st.st_dev, st.st_ino) not in seen:
                    seen.add((st.st_dev, st.st_ino))
                    yield full


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--bobbin", default=os.path.join(here, "../build/release/bin/bobbin"))
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("-v", "--verbose", action="store_true", help="a line for each image")
    p.add_argument("path", nargs="+")
    args = p.parse_args()
    start = time.monotonic()
    total = {"ranges": 0, "frames": 0, "pads": 0}
    images = unplanned = unread = unsafe_count = 0
    jobs = [(args.bobbin, path) for path in find_images(args.path)]
    jobs.sort(key=lambda job: -os.path.getsize(job[1]) if os.path.exists(job[1]) else 0)
    with multiprocessing.Pool(max(1, args.jobs)) as pool:
        for path, failure, unsafe, counts in pool.imap_unordered(check, jobs):
            if failure:
                unplanned += failure.startswith(NO_PLAN)
                unread += not failure.startswith(NO_PLAN)
                print(f"{path}: {failure}", flush=True)
                continue
            images += 1
            for key, n in counts.items():
                total[key] += n
            unsafe_count += len(unsafe)
            for address, r, what in unsafe[:SHOWN]:
                print(f"{path}: {what} at {address:x}, inside of the {r[2]} at {r[0]:x} of "
                      f"{r[4]} ({r[3]:x})", flush=True)
            if len(unsafe) > SHOWN:
                print(f"{path}: {len(unsafe) - SHOWN} more unsafe hooks", flush=True)
            if args.verbose:
                print(f"{path}: {counts['ranges']} ranges, {counts['pads']} landing pads, "
                      f"{len(unsafe)} unsafe", flush=True)
    print(f"{images} images, {total['ranges']} overwritten ranges, {total['frames']} frame "
          f"entries, {total['pads']} landing pads, {unplanned} images without a plan, "
          f"{unread} not read, {unsafe_count} unsafe hooks, {time.monotonic() - start:.0f} s")
    return 1 if unsafe_count or unread or not images else 0


if __name__ == "__main__":
    sys.exit(main())
