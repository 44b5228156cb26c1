# SPDX-License-Identifier: BSD-3-Clause
"""Decode value sets of hooks: docs/format.md, "Sets", and their part of "Dump"."""
import struct

import spec_columns
from spec_bytes import Bad


SETS = 30


class Sets(spec_columns.Bytes):
    def is_over(self):
        return self.at == len(self.data)


class Part:
    """A chunk: its name, the names of chunks merged into it, and its sets.

    A set is (hook, event, phase, calls, kind, bytes, text)."""

    def __init__(self, process, c):
        self.process = process
        self.own, self.times, self.inner = None, 0, []
        (self.read_1 if c.kind == SETS else self.read_tables)(c.data)

    def read_1(self, data):
        at = 1
        if data[0] == 2:
            count, self.times = struct.unpack_from("<IQ", data, 4)
            names = struct.unpack_from("<%dQ" % count, data, 16)
            self.own, self.inner, at = names[0], names[1:], 16 + 8 * count
        elif data[0] != 1:
            raise Bad
        r, self.sets = Sets(data[at:]), []
        while not r.is_over():
            hook, event, phase, calls, image = r.text(), r.text(), r.n(), [], 0
            for _ in range(r.n() if phase & 2 else 0):
                image = r.n() or image
                calls.append((image, r.n()))
            self.sets.append((hook, event, phase & 1, calls, r.n(), r.text(), r.text()))

    def read_tables(self, data):
        found = spec_columns.tables(data)
        calls = iter(list(found[spec_columns.CALLS].each()) if spec_columns.CALLS in found else [])
        names = (list(found[spec_columns.SET_NAMES].each())
                 if spec_columns.SET_NAMES in found else [])
        if names:
            (self.own, self.times), self.inner = names[0], [name for name, _ in names[1:]]
        self.sets = [(hook, event, phase, [next(calls) for _ in range(depth)], kind, data, text)
                     for hook, event, phase, depth, kind, data, text in
                     found[spec_columns.SETS].each()]

    def order(self):
        return (self.own is not None, self.own or 0, -self.times, self.process)


def those_that_count(parts):
    parts = sorted(parts, key=Part.order)
    inner = {name for p in parts for name in p.inner}
    newest = set()
    for p in parts:
        if p.own is None:
            yield p
        elif p.own not in newest and p.own not in inner:
            yield p
        newest.add(p.own)


def numbers(data):
    r = Sets(data)
    count, shift, bins = r.n(), r.n(), r.n()
    before, row = 0, []
    for _ in range(bins):
        before += r.n()
        row.append(" %d:%d" % (before, r.n()))
    tail = struct.unpack("<4Q", r.take(32))
    return " %d %d" % (count, shift) + "".join(row) + "".join(" 0x%x" % v for v in tail)


def call_text(process, image, address):
    if image in process.keys:
        return " @%s+0x%x" % (process.images[process.keys.index(image)][1], address)
    return " @0x%x" % address


def set_text(s, number, process, safe):
    hook, event, phase, calls, kind, data, text = s
    line = "set %d [%s] [%s] %d" % (number, safe(hook), safe(event), phase)
    for image, address in calls:
        line += call_text(process, image, address)
    if kind == 0:
        return line + numbers(data)
    return line + " own %s [%s]" % (data.hex() or "-", safe(text))


def dump_sets(processes, safe, out):
    kinds = SETS, spec_columns.FIRST_KIND + spec_columns.SETS
    parts = [Part(i, c) for i, p in enumerate(processes)
             for c in p.file.chunks if c.kind in kinds and c.data]
    for part in those_that_count(parts):
        for s in part.sets:
            out(set_text(s, part.process, processes[part.process], safe))
