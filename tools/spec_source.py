# SPDX-License-Identifier: BSD-3-Clause
"""Decode lines and variables of an image: docs/format.md, "SOURCE payload" (chunk 10).

A part of spec_decoder.py."""
from spec_bytes import Bad, Reader

POINTER, LOCAL, STACK, INDEXED, THREAD, THREAD_INDEXED = range(1, 7)


class Source:
    def __init__(self, data):
        self.r = r = Reader(data)
        if r.n() != 1:
            raise Bad
        self.files = [self.text() for _ in range(r.n())]
        self.places = [self.place() for _ in range(r.n())]
        self.sections, self.objects = self.stretches(), self.stretches()
        self.rows = self.read_rows()
        if r.at != len(data):
            raise Bad

    def text(self):
        n = self.r.n()
        if n > len(self.r.data) - self.r.at:
            raise Bad
        self.r.at += n
        return self.r.data[self.r.at - n:self.r.at]

    def place(self):
        kind, name = self.r.n(), self.text()
        if not POINTER <= kind <= THREAD_INDEXED:
            raise Bad
        frame = self.r.s() if kind != POINTER else 0
        return kind, frame, self.r.n() if kind in (INDEXED, THREAD_INDEXED) else 0, name

    def stretches(self):
        found, at, end = [], 0, 0
        for _ in range(self.r.n()):
            at += self.r.n()
            size = self.r.n()
            if not size or at < end:
                raise Bad
            found.append((at, size, self.text()))
            end = at + size
        return found

    def read_rows(self):
        rows, pc, line, file = [], None, 0, 0
        for _ in range(self.r.n()):
            first = self.r.n()
            if pc is not None and not first >> 3:
                raise Bad
            pc = (pc or 0) + (first >> 3)
            line += self.r.s()
            file = self.r.n() if first & 1 else file
            load = self.r.n() + 1 if first & 2 else 0
            store = self.r.n() + 1 if first & 4 else 0
            if line < 0 or file > len(self.files) or max(load, store) > len(self.places):
                raise Bad
            rows.append((pc, file, line, load, store))
        return rows

    def dump(self, image, safe, out):
        out("source %s" % image)
        for path in self.files:
            out("file %s" % safe(path))
        for kind, frame, size, name in self.places:
            out("place %d %d %d %s" % (kind, frame, size, safe(name)))
        for what, rows in (("section", self.sections), ("object", self.objects)):
            for at, size, name in rows:
                out("%s 0x%x %d %s" % (what, at, size, safe(name)))
        for pc, file, line, load, store in self.rows:
            out("row 0x%x %d %d %d %d" % (pc, file, line, load, store))
