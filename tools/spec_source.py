# SPDX-License-Identifier: BSD-3-Clause
"""Decode lines and variables of an image: docs/format.md, "SOURCE payload" (chunk 10) and "Inlined
calls" (chunk 77).

A part of spec_decoder.py."""
import spec_columns
from spec_bytes import Bad, Reader

POINTER, LOCAL, STACK, INDEXED, THREAD, THREAD_INDEXED = range(1, 7)
DEPTH_MAX = 255


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
        self.texts, self.calls, self.inner = [], [], []

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

    def read_inlined(self, data):
        found = spec_columns.tables(data)
        texts = [text for text, in found[spec_columns.INLINED_TEXTS].each()]
        calls = list(found[spec_columns.INLINED].each())
        inner, depth = [], []
        for rows, call in found[spec_columns.INLINED_ROWS].each():
            if rows > len(self.rows) - len(inner) or (call is not None
                                                           and call >= len(calls)):
                raise Bad
            inner += [call] * rows
        for i, (parent, function, file, _) in enumerate(calls):
            limits = (parent, i), (function, len(texts)), (file, len(texts))
            if any(n is not None and n >= limit for n, limit in limits):
                raise Bad
            depth.append(1 if parent is None else depth[parent] + 1)
        if len(inner) != len(self.rows) or max(depth, default=0) > DEPTH_MAX:
            raise Bad
        self.texts, self.calls, self.inner = texts, calls, inner

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
        for text in self.texts:
            out("text %s" % safe(text))
        for call in self.calls:
            out("inlined %d %d %d %d" % (*(0 if n is None else n + 1 for n in call[:3]), call[3]))
        for row, call in zip(self.rows, self.inner):
            if call is not None:
                out("in 0x%x %d" % (row[0], call + 1))
