# SPDX-License-Identifier: BSD-3-Clause
"""What hooks brought: docs/format.md, "Sets", and its part of "Dump"."""
import struct

from spec_bytes import Bad, Reader


SETS = 30


class Sets(Reader):
    def take(self, count):
        if count > len(self.data) - self.at:
            raise Bad
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.take(self.n())

    def is_over(self):
        return self.at == len(self.data)


class Part:
    """A chunk: its name, the names of others in it, and its sets."""

    def __init__(self, process, data):
        self.process = process
        self.own, self.times, self.inner, at = None, 0, [], 1
        if data[0] == 2:
            count, self.times = struct.unpack_from("<IQ", data, 4)
            names = struct.unpack_from("<%dQ" % count, data, 16)
            self.own, self.inner, at = names[0], names[1:], 16 + 8 * count
        elif data[0] != 1:
            raise Bad
        self.sets = data[at:]

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


def set_text(r, number, process, safe):
    hook, event = r.text(), r.text()
    phase = r.n()
    line = "set %d [%s] [%s] %d" % (number, safe(hook), safe(event), phase & 1)
    if phase & 2:
        image = 0
        for _ in range(r.n()):
            image = r.n() or image
            line += call_text(process, image, r.n())
    kind, data = r.n(), r.text()
    text = r.text()
    if kind == 0:
        return line + numbers(data)
    return line + " own %s [%s]" % (data.hex() or "-", safe(text))


def dump_sets(processes, safe, out):
    parts = [Part(i, c.data) for i, p in enumerate(processes) for c in p.file.chunks if c.kind == SETS and c.data]
    for part in those_that_count(parts):
        r = Sets(part.sets)
        while not r.is_over():
            out(set_text(r, part.process, processes[part.process], safe))
