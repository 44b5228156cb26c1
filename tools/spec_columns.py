# SPDX-License-Identifier: BSD-3-Clause
"""Decode tables (docs/format.md, "Tables"): a part of spec_decoder.py. Run as a program, it prints
the tables of a trace file, including those that the decoder does not know: spec_columns.py FILE."""
import struct
import sys

from spec_bytes import M64, Bad, Reader

UNSIGNED, SIGNED, BYTES, TEXT, DOUBLE, COUNT, REFERENCE = range(7)
ZERO, PLAIN, DELTA, RUNS, WIDE, BACK = range(6)
FIRST_KIND = 64
PROCESSES, TIMES, BINS, BEFORE, MOMENTS, HEADS, SHIFTS, SETS, CALLS, SET_NAMES = range(3, 13)
INLINED, INLINED_ROWS, INLINED_TEXTS = range(13, 16)
NAMES = {TIMES: "times", BINS: "bins", BEFORE: "before", MOMENTS: "moments", HEADS: "heads",
         SHIFTS: "shifts", SETS: "sets", CALLS: "calls", SET_NAMES: "set_names",
         INLINED: "inlined", INLINED_ROWS: "inlined_rows", INLINED_TEXTS: "inlined_texts"}


class Bytes(Reader):
    def take(self, count):
        if count > len(self.data) - self.at:
            raise Bad
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.take(self.n())


def numbers(r, kind, coding, rows):
    before = 0
    while len(rows) < rows.most:
        if coding == ZERO:
            rows.append(0)
        elif coding == WIDE:
            rows.append(struct.unpack("<Q", r.take(8))[0])
        elif coding == DELTA:
            before = before + r.s() & M64
            rows.append(before)
        elif coding in (PLAIN, RUNS):
            value = r.s() if kind == SIGNED else r.n()
            rows.extend([value] * (1 + (r.n() if coding == RUNS else 0)))
        else:
            raise Bad
    if kind == SIGNED:
        rows[:] = [v - (1 << 64) if v >> 63 == 1 else v for v in rows]
    if kind == REFERENCE:
        rows[:] = [v - 1 if v else None for v in rows]


def texts(r, coding, rows):
    while len(rows) < rows.most:
        back = r.n() if coding == BACK else 0
        if back > len(rows) or coding not in (ZERO, PLAIN, BACK):
            raise Bad
        rows.append(rows[-back] if back else r.text() if coding != ZERO else b"")


class Column(list):
    def __init__(self, rows, said, data):
        super().__init__()
        self.most, self.name, (self.kind, self.coding) = rows, said[1], said[0]
        r = Bytes(data)
        if self.kind in (BYTES, TEXT):
            texts(r, self.coding, self)
        elif self.kind <= REFERENCE:
            numbers(r, self.kind, self.coding, self)
        if len(self) > rows or (r.at != len(data) and self.kind <= REFERENCE):
            raise Bad


class Table:
    """`columns` are lists of values; an empty reference is None."""
    def __init__(self, r):
        begin = r.at
        self.number, self.rows, columns = r.n(), r.n(), r.n()
        named = columns % 2
        self.name = r.text() if named else b""
        said = []
        for _ in range(columns // 2):
            how = r.n()
            target = r.n() if how % 8 in (COUNT, REFERENCE) else None
            name = r.text() if named else b""
            said.append(((how % 8, how // 8), name, target, r.n()))
        data = [r.take(s[3]) for s in said]
        if self.rows > r.at - begin:
            raise Bad
        self.columns = [Column(self.rows, s, d) for s, d in zip(said, data)]

    def each(self):
        return zip(*self.columns)


def tables(data):
    """{number: table}; the first table of a number counts."""
    r, found = Bytes(data), {}
    while r.at < len(data):
        t = Table(r)
        found.setdefault(t.number, t)
    return found


def rows_of(chunks, number, aux=0):
    """Rows of the table in its chunk; none if there is no such chunk."""
    for c in chunks:
        if c.kind == FIRST_KIND + number and c.aux == aux:
            return list(tables(c.data)[number].each())
    return []


def main():
    from spec_decoder import File
    with open(sys.argv[1], "rb") as f:
        file = File(sys.argv[1], f.read())
    for c in file.chunks:
        for t in tables(c.data).values() if c.kind >= FIRST_KIND else ():
            print("table %d %s: %d rows" % (
                t.number, t.name.decode() or NAMES.get(t.number, "?"), t.rows))
            print("\t".join(c.name.decode() or str(i) for i, c in enumerate(t.columns)))
            for row in t.each():
                print("\t".join("-" if v is None else
                                v.hex() if isinstance(v, bytes) else str(v) for v in row))


if __name__ == "__main__":
    main()
