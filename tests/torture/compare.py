# SPDX-License-Identifier: BSD-3-Clause
"""Build a program of the corpus, run it natively several times, record it in every mode, compare.

A program need not succeed: status or signal, stdout, stderr and the resulting files must be the
same in all native runs (else it is unfit), and then in every recording, whose trace must be intact,
and not stop early, by `bobbin check`. Two things are replaced before the comparison, both different
in any two native runs as well: addresses (0x and at least six digits) and, in what stress-ng says
of itself, process numbers and durations.

A difference is looked at again: 20 more native runs must agree, else the program is unfit; of 5
more recordings one must differ, else the difference is called "once", and named, but fails nothing.
"""

import hashlib
import os
import re
import shutil
import tempfile

import families  # sets the path of harness
import harness as h

MODES = {
    "main": ("--images=main",),
    "app": ("--images=app",),
    "all": ("--images=all",),
    "mem": ("--mem", "--engine=native"),
}
NATIVE_RUNS, NATIVE_AGAIN, RECORD_AGAIN = 10, 20, 5
SLOW_S = 3  # a program that takes longer natively is left out
ADDRESS = re.compile(rb"0x[0-9a-f]{6,}")
OWN_WORDS = (
    (re.compile(rb"\[\d+\]"), b"[PID]"),
    (re.compile(rb"\d+\.\d+s\b|\d+ min, \d+\.\d+ secs"), b"TIME"),
)


# --- building ---


def key_of(p):
    """What a built program depends on; headers and modules of the archive do not change."""
    digest = hashlib.sha256(repr((h._version(p.cc), p.cc, p.flags, p.libs)).encode())
    for source in p.sources:
        digest.update(str(source).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def refusal(folder, p):
    """Compile into the folder; the first line of what the compiler complains about, or an empty
    text."""
    with tempfile.TemporaryDirectory(dir=folder) as tmp:
        argv = [p.cc, *p.flags, "-o", f"{tmp}/program", *p.sources, *p.libs]
        try:
            r = h.run(argv, cwd=tmp, timeout=100)
        except h.Failure as e:
            return str(e).splitlines()[0]
        if r.status == 0:
            os.replace(f"{tmp}/program", folder / "program")
            return ""
        lines = [line for line in h.show(r.err, 4000).splitlines() if "rror" in line
                 or "undefined" in line]
        return (lines or ["no reason given"])[0]


def build(p):
    """The argv of the program, built once per content and command; raises Unfit."""
    if p.unfit:
        raise families.directives.Unfit(p.unfit)
    if p.argv:
        if not os.access(p.argv[0], os.X_OK):
            raise families.directives.Unfit(f"no {p.argv[0]}")
        return p.argv
    missing = [s.name for s in p.sources if not s.exists()]
    if missing:
        raise families.directives.Unfit("needs a missing file")
    folder = families.TREE / "bin" / key_of(p)
    exe, failed = folder / "program", folder / "failed"
    if not exe.exists() and not failed.exists():
        folder.mkdir(parents=True, exist_ok=True)
        text = refusal(folder, p)
        if text:
            h.put(failed, text)
    if failed.exists():
        raise families.directives.Unfit("does not compile")
    return [str(exe)]


# --- running ---


class Place:
    """A folder with a directory `cwd` for runs, empty before each, and space for a trace beside
    it."""

    def __init__(self):
        self.top = h.fresh("torture")
        self.cwd, self.trace = self.top / "cwd", self.top / "t"

    def clear(self):
        for d in (self.cwd, self.trace):
            if d.exists():
                shutil.rmtree(d, ignore_errors=True)
        self.cwd.mkdir()

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def plain(p, data):
    data = ADDRESS.sub(b"0xADDRESS", data)
    if p.family == "stress-ng":
        for pattern, word in OWN_WORDS:
            data = pattern.sub(word, data)
    return data


def observe(p, argv, place, timeout):
    """{what: value} of one run in an empty directory; a run without end has the status "no end"."""
    place.clear()
    env = h.environment(p.environment)
    try:
        r = h.run(argv, cwd=place.cwd, env=env, timeout=timeout)
    except h.Failure:
        return {"status": "no end", "stdout": b"", "stderr": b"", "files": []}, timeout
    left = sorted((f.name, f.is_file() and f.stat().st_size)
                  for f in place.cwd.iterdir() if not f.is_symlink())
    seen = {"status": r.status, "stdout": plain(p, r.out), "stderr": plain(p, r.err), "files": left}
    return seen, r.seconds


def differing(one, other):
    return [what for what in one if one[what] != other[what]]


def natively(p, argv, place, runs, first=None):
    """What all of so many native runs have in common, with the longest time; raises Unfit."""
    longest = 0.0
    for _ in range(runs):
        seen, seconds = observe(p, argv, place, SLOW_S + 2)
        longest = max(longest, seconds)
        if seen["status"] == "no end" or seconds > SLOW_S:
            raise families.directives.Unfit(f"takes longer than {SLOW_S} s")
        first = first or seen
        if seen != first:
            raise families.directives.Unfit("native runs differ: "
                                            + " ".join(differing(first, seen)))
    return first, longest


def recorded(p, argv, place, mode, native, limit):
    """{what: (native, recorded)} of one recording; empty if all is the same and the trace is
    clean."""
    command = [h.BOBBIN, "record", "-q", "-o", place.trace, *MODES[mode], "--", *argv]
    seen, _ = observe(p, command, place, limit)
    found = {what: (native[what], seen[what]) for what in differing(native, seen)}
    if place.trace.exists():
        try:
            r = h.run([h.BOBBIN, "check", place.trace], timeout=limit)
            if not h.intact(r):
                found["check"] = (0, f"{r.status} {h.show(r.out + r.err)}")
        except h.Failure as e:
            found["check"] = (0, str(e))
    else:
        found["check"] = (0, "no trace")
    return found


def texts(found):
    """The same for a line of results: what differs, as texts."""
    return {what: [h.show(native, 400), h.show(after, 400)]
            for what, (native, after) in found.items()}


# --- the comparison ---


def compare(p, modes=tuple(MODES), runs=NATIVE_RUNS):
    """A result: verdict same, differs or unfit; why; per mode same, differs or once; details."""
    result = {"family": p.family, "name": p.name, "level": p.level}
    place = None
    try:
        argv = build(p)
        place = Place()
        native, longest = natively(p, argv, place, runs)
        limit = 60 + 60 * longest
        result.update(verdict="same", status=native["status"], modes={}, details={})
        for mode in modes:
            found = recorded(p, argv, place, mode, native, limit)
            if not found:
                result["modes"][mode] = "same"
                continue
            natively(p, argv, place, NATIVE_AGAIN, native)
            again = [recorded(p, argv, place, mode, native, limit) for _ in range(RECORD_AGAIN)]
            times = 1 + sum(map(bool, again))
            result["modes"][mode] = "differs" if times > 1 else "once"
            result["details"][mode] = {"of": RECORD_AGAIN + 1, "differ": times, **texts(found)}
            if times > 1:
                result["verdict"] = "differs"
    except families.directives.Unfit as e:
        result.update(verdict="unfit", reason=str(e), modes={}, details={})
    finally:
        if place:
            place.close()
    return result
