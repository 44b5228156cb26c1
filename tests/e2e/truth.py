# SPDX-License-Identifier: BSD-3-Clause
"""Compare a program's own log of its calls (tests/prog/truth.h) with a trace of it.

Both sides are reduced to the functions whose names begin with t_: per thread a list of
(name, depth), depth counted over open t_ frames of the same stack. In --images=main, app and all
different other frames lie between; the reduced lists are equal all the same."""

import re

from harness import Failure, check

NAME = re.compile(r"(?:__\w+_MOD_)?(t_\w+?)_?(?:\.[\w.]+)?(?:\(.*\))?$")


def plain(function):
    """The t_ name of a symbol, or None: clones lose their suffix, Fortran its module. Functions
    local to a t_ function (lambdas) are not t_ functions."""
    m = NAME.match(function)
    return m[1] if m else None


class Log:
    """What the program says."""

    def __init__(self, path):
        self.handler, self.may_skip, self.threads = None, set(), []
        with open(path, encoding="ascii") as f:
            for line in f:
                word = line.split()
                if word[0] == "mode":
                    self.handler = word[2] if word[1] == "async" else None
                elif word[0] == "may_skip":
                    self.may_skip.add(word[1])
                elif word[0] == "thread":
                    self.threads.append([])
                else:
                    self.threads[-1].append((word[2], int(word[0])))

    def without(self, names):
        """As if the program had no such functions: their callees move up."""
        if not names:
            return self.threads
        return [remove(t, names) for t in self.threads]


def remove(events, names):
    out, gone = [], []
    for name, depth in events:
        while gone and gone[-1] >= depth:
            gone.pop()
        if name in names:
            gone.append(depth)
        else:
            out.append((name, depth - len(gone)))
    return out


class Stack:
    """Frames of one stack and, beside each, how many t_ frames lie below it."""

    __slots__ = ("frames", "below", "base")

    def __init__(self, base):
        self.frames, self.below, self.base = [], [], base

    def open(self):
        return self.below[-1] if self.below else self.base

    def push(self, function):
        count = self.open() + (plain_cached(function) is not None)
        self.frames.append(function)
        self.below.append(count)

    def cut(self, depth):
        del self.frames[depth:]
        del self.below[depth:]


_names = {}


def plain_cached(function):
    if function not in _names:
        _names[function] = plain(function)
    return _names[function]


def reduce_thread(events):
    """([(name, depth)], [broken rules]) of one dumped thread. The rules: an entry's depth is the
    number of open frames, an exit ends the innermost frame of a stack of the thread."""
    stacks, now, entered = {0: Stack(0)}, 0, 0
    out, wrong = [], []
    for e in events:
        if e.stack is not None:
            now = e.stack
            stacks.setdefault(now, Stack(0))
        s = stacks[now]
        if e.entry:
            if now != entered and not s.frames:  # a handler there lies above what it interrupted
                s.base = stacks[entered].open() if "signal" in e.notes else 0
            entered = now
            if e.depth != len(s.frames):
                wrong.append(f"entry {e.index} {e.function}: depth {e.depth}, open {len(s.frames)}")
                s.cut(e.depth)
            name = plain_cached(e.function)
            if name is not None:
                out.append((name, s.open()))
            s.push(e.function)
            continue
        if not (s.frames and s.frames[-1] == e.function and e.depth == len(s.frames) - 1):
            # a stack that is left for good ends while another one is current
            other = [
                x
                for x in stacks.values()
                if x.frames and x.frames[-1] == e.function and e.depth == len(x.frames) - 1
            ]
            if not other:
                wrong.append(f"exit {e.index} {e.function}: depth {e.depth} is not innermost")
                s.cut(e.depth)
                continue
            s = other[0]
        s.cut(len(s.frames) - 1)
    return out, wrong


def first_difference(want, got, around=4):
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            break
    else:
        i = min(len(want), len(got))
    lines = [f"first difference at t_ entry {i} of {len(want)} (trace has {len(got)})"]
    for k in range(max(0, i - around), min(max(len(want), len(got)), i + around)):
        w = want[k] if k < len(want) else None
        g = got[k] if k < len(got) else None
        lines.append(f"{'=' if w == g else '!'} {k}: program {w}  trace {g}")
    return "\n".join(lines)


def count_wrong(want, got):
    return sum(a != b for a, b in zip(want, got)) + abs(len(want) - len(got))


def split_async(events, handler):
    """(events outside the handler, [(position, depth, events inside relative to it)])."""
    rest, inside, runs = [], None, []
    for name, depth in events:
        if inside is not None and depth > inside:
            runs[-1][2].append((name, depth - inside))
            continue
        inside = None
        if name == handler:
            inside = depth
            runs.append((len(rest), depth, []))
        else:
            rest.append((name, depth))
    return rest, runs


def compare_async(want, got, handler):
    """All but the handler's place is exact; the handler may be seen one record and one level
    away, since a signal can land between an entry (or an end) and its log record."""
    want_rest, want_runs = split_async(want, handler)
    got_rest, got_runs = split_async(got, handler)
    if want_rest != got_rest:
        raise Failure("outside the handler: " + first_difference(want_rest, got_rest))
    check(
        len(want_runs) == len(got_runs),
        f"the handler ran {len(want_runs)} times, the trace has {len(got_runs)}",
    )
    for i, (w, g) in enumerate(zip(want_runs, got_runs)):
        check(w[2] == g[2], f"inside run {i} of the handler: program {w[2]} trace {g[2]}")
        near = abs(g[0] - w[0]) <= 1 and g[1] - w[1] in (0, 1)
        check(near, f"run {i} of the handler: program (position, depth) {w[:2]}, trace {g[:2]}")


def compare(log, threads, main_first=True):
    """Raise Failure unless the dumped threads (of one process) are what the log says. Threads are
    numbered by their first recorded call, which is main's unless main is left out. Returns a note
    for the case's line."""
    got = []
    for _, number, events in threads:
        names, wrong = reduce_thread(events)
        check(not wrong, f"thread {number}: the dump contradicts itself: " + "; ".join(wrong[:5]))
        if names:
            got.append(names)
    seen = {name for t in got for name, _ in t}
    missing = log.may_skip - seen
    want = log.without(missing)
    check(len(want) == len(got), f"{len(want)} threads logged, {len(got)} have t_ events")
    first = 1 if main_first else 0  # the others may have been numbered in any order
    want = want[:first] + sorted(want[first:])
    got = got[:first] + sorted(got[first:])
    for number, (w, g) in enumerate(zip(want, got)):
        if log.handler:
            compare_async(w, g, log.handler)
        elif w != g:
            wrong = count_wrong(w, g)
            raise Failure(f"thread {number}, {wrong} entries wrong: " + first_difference(w, g))
    return "not traced: " + " ".join(sorted(missing)) if missing else ""
