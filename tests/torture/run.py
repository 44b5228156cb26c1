#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The torture corpus: some 17,000 programs of others, each run ten times natively and recorded in
four modes.

    tests/torture/run.py                             all of it, into build/e2e/torture/results.jsonl
    tests/torture/run.py --family=g++.dg,csmith      some families
    tests/torture/run.py --name='gcc.dg/torture/*'   programs by name
    tests/torture/run.py --every=20                  every 20th program, --first=N where to begin
    tests/torture/run.py --mode=mem,all --bobbin=PATH --jobs=2
    tests/torture/run.py --resume                    only what the file of results has not
    tests/torture/run.py --table                     run nothing, print the table of the results
    tests/torture/run.py --list                      names only

Programs come in an order that is shuffled and always the same, so an interrupted run is a fair
sample. Every result is one line of JSON. Ends with a table, and fails if a difference is not in
known.txt, or one there is no more."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import threading
import time

import families
import compare
import results as out
import harness as h


def arguments():
    a = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--family", default=",".join(families.NAMES))
    a.add_argument("--name", default="*")
    a.add_argument("--mode", default=",".join(compare.MODES))
    a.add_argument("--every", type=int, default=1)
    a.add_argument("--first", type=int, default=0)
    a.add_argument("--runs", type=int, default=compare.NATIVE_RUNS,
                   help="native runs that must agree")
    a.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    a.add_argument("--minutes", type=float, help="start no program after so long")
    a.add_argument("--bobbin", default=h.BOBBIN)
    a.add_argument("--results", type=pathlib.Path, default=families.TREE / "results.jsonl")
    a.add_argument("--known", type=pathlib.Path, default=out.KNOWN)
    a.add_argument("--resume", action="store_true")
    a.add_argument("--table", action="store_true")
    a.add_argument("--list", action="store_true")
    return a.parse_args()


def chosen(a):
    everything = families.programs(a.family.split(","), a.name)
    return sorted(everything, key=families.order)[a.first :: a.every]


class Run:
    """The comparisons of some programs, each result written as soon as it is there."""

    def __init__(self, a, programs):
        self.a, self.programs = a, programs
        self.lock, self.done, self.begin = threading.Lock(), 0, time.monotonic()
        self.results = []

    def one(self, p, f):
        if self.a.minutes and time.monotonic() - self.begin > 60 * self.a.minutes:
            return
        begin = time.monotonic()
        try:
            result = compare.compare(p, self.a.mode.split(","), self.a.runs)
        except Exception as e:  # pylint: disable=broad-except
            result = {"family": p.family, "name": p.name, "level": p.level, "verdict": "error"}
            result.update(modes={}, details={}, reason=f"{type(e).__name__}: {e}")
        result["seconds"] = round(time.monotonic() - begin, 2)
        with self.lock:
            self.done += 1
            self.results.append(result)
            f.write(json.dumps(result) + "\n")
            f.flush()
            if result["verdict"] in ("differs", "error") or "once" in result["modes"].values():
                print(f"{result['verdict']}: {p} "
                      f"{json.dumps(result['details'] or result['reason'])}")
            if self.done % 500 == 0:
                print(f"{self.done} of {len(self.programs)} in {time.monotonic() - self.begin:.0f} "
                      f"s")
            sys.stdout.flush()

    def all(self):
        self.a.results.parent.mkdir(parents=True, exist_ok=True)
        with open(self.a.results, "a" if self.a.resume else "w", encoding="utf-8") as f:
            with concurrent.futures.ThreadPoolExecutor(self.a.jobs) as pool:
                for job in [pool.submit(self.one, p, f) for p in self.programs]:
                    job.result()


def summary(a, results):
    """Print what came out; the exit status."""
    known = out.read_known(a.known)
    errors = [f"error: {' '.join(out.key(r))}: {r['reason']}"
              for r in results if r["verdict"] == "error"]
    failures, notes = out.judge(results, known)
    print("\n".join(out.reasons(results)))
    print("\n".join(notes + errors + failures))
    print("\n".join(out.table(results, families.NAMES, a.mode.split(","), known)))
    count = collections.Counter(r["verdict"] for r in results)
    compared = count["same"] + count["differs"]
    bad = len(failures) + len(errors)
    print(f"torture: {compared} compared, {count['unfit']} unfit, {bad} failures")
    return 1 if bad or not compared else 0


def main():
    a = arguments()
    h.BOBBIN = a.bobbin
    try:
        families.unpack()
        programs = chosen(a)
    except h.Skip as e:
        print(f"skipped: {e}")
        return 77
    if a.list:
        print("\n".join(map(str, programs)))
        return 0
    old = out.read_lines(a.results) if a.resume or a.table else {}
    if a.table:
        return summary(a, list(old.values()))
    h.require_bobbin()
    new = [p for p in programs if (p.family, p.name, p.level) not in old]
    print(f"{len(new)} programs, {len(old)} results are there already")
    run = Run(a, new)
    run.all()
    h.sweep()
    return summary(a, list(old.values()) + run.results)


if __name__ == "__main__":
    sys.exit(main())
