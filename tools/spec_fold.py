# SPDX-License-Identifier: BSD-3-Clause
"""Decode folded streams: docs/format.md, "Entries", "Packed" and "Values".

The part of spec_decoder.py that expands entries to events, also those of many participants packed
into one sequence. It is slow and simple on purpose, too.

An event is (places of its path, the last call first; key; words)."""
import itertools
import struct

import spec_columns
from spec_bytes import M32, M64, Bad, Reader, crc32c

PATH, SHAPE, LOOP, SPINE, COLUMN, VALUES, ITEMS, END = range(1, 9)
REST = 7  # instead of a piece: the following values are not affine
PATTERN, PATTERN_MAX = 16, 64  # PATTERN + n, instead of a piece: a pattern of n elements
WORDS_MAX, KEY_MAX, DIMS_MAX = 128, 255, 6


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def zigzag(v):
    return v >> 1 ^ -(v & 1)


def many(r, what):
    """A count, and that many items read by `what`; each takes at least a byte."""
    n = r.n()
    if n > len(r.data) - r.at:
        raise Bad
    return [what() for _ in range(n)]


def cut(r, n):
    if n > len(r.data) - r.at:
        raise Bad
    r.at += n
    return r.data[r.at - n:r.at]


# --- values ---

class Values:
    """Differences, each predicted by what followed the last occurrence of the three before it."""
    def __init__(self, data, bits, shift=22):
        self.r, self.bits, self.factor = Reader(data), bits, 0x9E3779B97F4A7C15 << shift & M64
        self.table, self.history = {}, []
        self.hash = self.match = self.run = 0

    def at_end(self):
        return not self.run and self.r.at == len(self.r.data)

    def take(self):
        expected = self.history[self.match] if self.match else None
        if not self.run:
            token = self.r.n()
            if token & 1:
                return self.came(zigzag(token >> 1) & M64, False)
            if not token:
                return self.came(int.from_bytes(cut(self.r, 8), "little"), False)
            self.run = token >> 1
        if expected is None:
            raise Bad
        self.run -= 1
        return self.came(expected, True)

    def came(self, difference, as_predicted):
        v = signed(difference)
        self.history.append(difference if (v << 1 ^ v >> 63) & M64 < M32 else None)
        x = difference * 0x9E3779B97F4A7C15 & M64
        self.hash = (self.hash + (x ^ x >> 29) + 1) * self.factor & M64
        count, at = len(self.history), self.hash >> 64 - (self.bits - 2)
        if as_predicted:
            self.match += 1
            if count % 4 == 0:
                self.table[at] = count
            return difference
        self.match = self.table.get(at, 0)
        if count - self.match >= 1 << self.bits:
            self.match = 0
        self.table[at] = count
        return difference


class Trips:
    """Trip counts that are not affine: coded as values, with histories of their own."""
    def __init__(self, r):
        self.r, self.values, self.left = r, None, 0

    def take(self):
        if not self.left:
            self.choose()
        self.left -= 1
        return self.values.take() if self.values else zigzag(self.r.n()) & M64

    def choose(self):
        r = self.values.r if self.values else self.r
        bits = r.u8()
        self.left = M64
        if bits:
            if not 8 <= bits <= 16 or self.values and self.values.run:
                raise Bad
            self.values = Values(b"", bits, 11 if bits < 12 else 8 if bits < 15 else 4)
            self.left = 1 << bits
            self.values.r = r


def spine_items(data):
    values, item = Values(data, 12), 0
    while not values.at_end():
        item = item + values.take() & M64
        yield item


# --- pieces ---

class Piece:
    def __init__(self, base, count=(), step=(), grow=None):
        self.base, self.count, self.step, self.grow = base & M64, count, step, grow or {}

    def values(self):
        return self.loop(len(self.count) - 1, {}, self.base)

    def loop(self, d, index, value):
        if d < 0:
            yield value & M64
            return
        count = self.count[d] + sum(g * index[e] for (i, e), g in self.grow.items() if i == d)
        for index[d] in range(max(0, signed(count & M64))):
            yield from self.loop(d - 1, index, value + index[d] * self.step[d])


def read_dims(r, first):
    """Loops of a piece, and the pairs (d, e) for which the count of loop d grows with loop e."""
    dims = first & 7
    if first > 14 or dims > DIMS_MAX:
        raise Bad
    return dims, first >> 3


def read_pairs(r, dims):
    mask = r.n()
    pairs = [(d, e) for e in range(dims) for d in range(e)]
    if mask >> len(pairs):
        raise Bad
    return [p for k, p in enumerate(pairs) if mask >> k & 1]


def read_pieces(r, limit=None):
    """Pieces, and whether values that are not affine follow.

    Reads up to `limit` pieces; without it, also patterns, up to the end or such values."""
    found, base = [], 0
    while r.at < len(r.data) and (limit is None or len(found) < limit):
        first = r.u8()
        if first == REST:
            return found, True
        if limit is None and first > PATTERN:
            pattern = read_pattern(r, first)
            numbers = [r.s() for _ in range(numbers_of(pattern))]
            found += expand_element(pattern, numbers, base)
            base += numbers[0]
            continue
        dims, grows = read_dims(r, first)
        base += r.s()
        count, step, grow = [], [], {}
        for _ in range(dims):
            count.append(r.s())
            step.append(r.s())
        if grows:
            pairs = read_pairs(r, dims)
            grow = {p: r.s() for p in pairs}
        found.append(Piece(base, count, step, grow))
    return found, False


class Column:
    """A column's pieces, and the source of its other values: own bytes, or the part's values."""
    def __init__(self, pieces=(), left=False, own=None):
        self.pieces, self.left, self.own, self.values = pieces, left, own, None

    def start(self, values, is_trips):
        self.last = 0
        self.affine = self.expand()
        self.values = None if is_trips else values
        self.is_trips = is_trips
        self.trips = Trips(self.own) if is_trips and self.own else None

    def expand(self):
        for p in self.pieces:
            self.last = p.base
            yield from p.values()

    def take(self):
        value = next(self.affine, None)
        if value is not None:
            return value
        if not self.left:
            raise Bad
        if self.is_trips:
            step = self.trips.take()
        else:
            step = self.values.take()
        self.last = self.last + step & M64
        return self.last

    @staticmethod
    def of_bytes(data):
        r = Reader(data)
        pieces, left = read_pieces(r)
        return Column(pieces, left, r)


# --- a part: the output of one folder up to an END ---

class Part:
    def __init__(self):
        self.paths, self.shapes, self.loops = [], [], []  # a shape: path, words, key, first column
        self.spine, self.more, self.values = b"", [], b""
        self.columns, self.events_count = {}, None

    def events(self):
        values = Values(self.values, 20)
        for number, c in self.columns.items():
            c.start(values, number in self.trips)
        for item in list(spine_items(self.spine)) + self.more:
            yield from self.item(item)

    def item(self, item):
        if not item & 1:
            if item >> 1 >= len(self.shapes):
                raise Bad
            path, words, key, first = self.shapes[item >> 1]
            yield self.places(path), key, [self.column(first + w).take() for w in range(words)]
            return
        if item >> 1 >= len(self.loops):
            raise Bad
        body, column = self.loops[item >> 1]
        for _ in range(self.column(column).take()):
            empty = True
            for i in body:
                for event in self.item(i):
                    empty = False
                    yield event
            if empty:
                raise Bad

    def column(self, number):
        if number not in self.columns:
            raise Bad
        return self.columns[number]

    def places(self, path):
        found = []
        while path:
            if path > len(self.paths) or self.paths[path - 1][0] >= path:
                raise Bad
            path, place = self.paths[path - 1]
            found.append(place)
        return found

    def check_item(self, item):
        if item >> 1 >= len(self.loops if item & 1 else self.shapes):
            raise Bad
        return item


# --- entries ---

def parts_of_entries(data):
    r, found = Reader(data), []
    while r.at < len(data):
        found.append(read_part(r))
    return found


def read_part(r):
    p, columns, place, brought = Part(), {}, 0, 0
    p.trips = set()
    while r.at < len(r.data):
        kind = r.u8()
        e = Reader(cut(r, r.n()))
        if kind == PATH:
            parent, place = e.n(), place + e.s() & M64
            if parent > len(p.paths):
                raise Bad
            p.paths.append((parent, place))
        elif kind == SHAPE:
            path, words = e.n(), e.n()
            key = cut(e, len(e.data) - e.at)
            if path > len(p.paths) or words > WORDS_MAX or len(key) > KEY_MAX:
                raise Bad
            p.shapes.append((path, words, key, brought))
            brought += words
        elif kind == LOOP:
            body = []
            while e.at < len(e.data):
                body.append(p.check_item(e.n()))
            p.loops.append((body, brought))
            p.trips.add(brought)
            brought += 1
        elif kind == SPINE:
            p.spine += cut(e, len(e.data))
        elif kind == COLUMN:
            number = e.n()
            columns[number] = columns.get(number, b"") + cut(e, len(e.data) - e.at)
        elif kind == VALUES:
            p.values += cut(e, len(e.data))
        elif kind == ITEMS:
            while e.at < len(e.data):
                p.more.append(e.n())
        elif kind == END:
            p.events_count = e.n()
            break
        else:
            raise Bad
    else:
        raise Bad
    if any(number >= brought for number in columns):
        raise Bad
    p.columns = {number: Column.of_bytes(b) for number, b in columns.items()}
    return p


# --- packed ---

def read_series(r, n):
    """`n` numbers. The coding follows a count of leading zeros:

    none: a count of pieces, and these; 1: a group of one; 2: halves; 3: narrow numbers; 4: numbers
    of a bit width."""
    if not n:
        if r.n():
            raise Bad
        return []
    numbers = series_of(r, True)
    found = list(itertools.islice(numbers, n))
    if len(found) != n or next(numbers, None) is not None:
        raise Bad
    return found


def series_of(r, halves):
    """The numbers, one by one; at the end, `r` is positioned after them."""
    count = r.n()
    if count:
        pieces, _ = read_pieces(r, count)
    else:
        data = cut(r, r.n())
        if not data and halves:
            data = cut(r, r.n())
            if data:
                return halves_of(Reader(data))
            data = cut(r, r.n())
            return narrow_of(Reader(data)) if data else bits_of(Reader(cut(r, r.n())))
        pieces = Group(data, None, None).column(0).pieces
    return (v for p in pieces for v in p.values())


def narrow_of(r):
    count = r.n()
    count, differences = count // 2, count & 1
    least = value = 0
    while count:
        least += zigzag(r.n())
        width, n = r.u8(), min(count, 64)
        if width > 64:
            raise Bad
        bits = int.from_bytes(cut(r, (n * width + 7) // 8), "little")
        for _ in range(n):
            value = ((value if differences else 0) + least + (bits & (1 << width) - 1)
                     & (1 << 64) - 1)
            yield value
            bits >>= width
        count -= n


def bits_of(r):
    count, first, steps = r.n(), zigzag(r.n()), []
    if count > 1 << 32:
        raise Bad
    for i in range(count):
        while i >> len(steps):
            steps.append((2 * steps[-1] if steps else 0) + zigzag(r.n()))
        yield first + sum(step for k, step in enumerate(steps) if i >> k & 1) & (1 << 64) - 1


def halves_of(r):
    levels, odd = r.n(), r.n()
    if levels > 32:
        raise Bad
    parts = [series_of(Reader(cut(r, r.n())), False) for _ in range(levels + 1)]
    if r.at != len(r.data):
        raise Bad
    return by_halves(parts, odd)


def by_halves(parts, odd):
    i = 0
    while True:
        k, at = 0, i
        while k < len(parts) - 1 and at & 1 != odd >> k & 1:
            k, at = k + 1, at >> 1
        value = next(parts[k], None)
        if value is None:
            return
        yield value
        i += 1


def read_pattern(r, first):
    if first > PATTERN + PATTERN_MAX:
        raise Bad
    return "pattern", [read_element(r) for _ in range(first - PATTERN)]


def read_element(r):
    """("piece", dims, pairs) or ("pattern", elements)."""
    first = r.u8()
    if first > PATTERN:
        return read_pattern(r, first)
    dims, grows = read_dims(r, first)
    return "piece", dims, read_pairs(r, dims) if grows else []


def numbers_of(element):
    if element[0] == "piece":
        return 1 + 2 * element[1] + len(element[2])
    return 2 * sum(map(numbers_of, element[1])) + 1


def expand_element(element, numbers, at_base):
    """The pieces of an element, whose first number is relative to `at_base`."""
    base = at_base + numbers[0]
    if element[0] == "piece":
        dims, pairs = element[1:]
        grow = dict(zip(pairs, numbers[1 + 2 * dims:]))
        yield Piece(base, numbers[1:1 + 2 * dims:2], numbers[2:2 + 2 * dims:2], grow)
        return
    inner = sum(map(numbers_of, element[1]))
    for time in range(numbers[inner]):
        now = [numbers[i] + time * numbers[inner + 1 + i] for i in range(inner)]
        at, first = 0, at_base
        for k, e in enumerate(element[1]):
            n = numbers_of(e)
            yield from expand_element(e, now[at:at + n], first)
            if not k:
                first = at_base + now[0]
            at += n


class Group:
    """A column, for all members of a set."""
    def __init__(self, data, number, packed):
        r = Reader(data)
        s = Reader(cut(r, r.n()))
        self.elements, self.left, self.own = [], False, b""
        while s.at < len(s.data):
            if s.data[s.at] == REST:
                self.left, self.own = True, s.data[s.at + 1:]
                break
            self.elements.append(read_element(s))
        self.count = r.n()
        if self.count != sum(map(numbers_of, self.elements)):
            raise Bad
        kinds = cut(r, (self.count + 3) // 4)
        self.rows, self.members = [], packed.members(number) if packed else [0]
        for i in range(self.count):
            kind = kinds[i >> 2] >> 2 * (i & 3) & 3
            if kind == 0:
                self.rows.append((r.s(), 0, None))
            elif kind == 1:
                self.rows.append((r.s(), r.s(), None))
            elif kind == 2 and packed:
                profile = packed.profile(number, r.n())
                self.rows.append((r.s(), 0, profile))
            else:
                raise Bad

    def column(self, member):
        parts = self.members
        numbers = [signed(a + step * (parts[member] - parts[0])
                          + (profile[member] if profile else 0) & M64)
                   for a, step, profile in self.rows]
        at, base, pieces = 0, 0, []
        for e in self.elements:
            n = numbers_of(e)
            pieces += expand_element(e, numbers[at:at + n], base)
            base += numbers[at]
            at += n
        return Column(pieces, self.left, Reader(self.own))


def number(n):
    """LEB128."""
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def apart(file, content):
    """The separately stored bytes of merged records, in the form of a chunk SHIFTS."""
    rows = spec_columns.rows_of(file.common(), spec_columns.SHIFTS, content)
    return b"".join([c.data for c in file.common() if c.kind == 21 and c.aux == content]
                    + [number(len(s)) + s for s, in rows])


class Packed:
    def __init__(self, data, apart):
        r = self.r = Reader(data)
        self.apart = Reader(apart)
        if r.n() != 1:
            raise Bad
        place = 0
        self.paths, self.shapes, self.loops = [], [], []
        for _ in range(r.n()):
            parent, place = r.n(), place + r.s() & M64
            self.paths.append((parent, place))
        brought = 0
        for _ in range(r.n()):
            path, words = r.n(), r.n()
            self.shapes.append((path, words, cut(r, r.n()), brought))
            brought += words
        self.trips = set()
        for _ in range(r.n()):
            self.loops.append((many(r, r.n), brought))
            self.trips.add(brought)
            brought += 1
        n = r.n()
        ids, turns, self.counts = (read_series(r, n) for _ in range(3))
        self.parts = list(zip(ids, turns))
        self.sets = many(r, lambda: read_series(r, r.n()))
        self.profiles = []
        for _ in range(r.n()):
            self.profiles.append(self.read_profile())
        self.spines = self.read_list()
        self.values = self.read_list()
        self.columns, number = {}, -1
        while True:
            step = r.n()
            if not step:
                break
            number += step >> 1
            self.columns[number] = [(0, cut(r, r.n()))] if step & 1 else self.read_list()
        if (r.at != len(data) or self.apart.at != len(apart)
                or any(c >= brought for c in self.columns)):
            raise Bad

    def members(self, number):
        if number >= len(self.sets):
            raise Bad
        return self.sets[number]

    def read_profile(self):
        number, base = self.r.n(), self.r.n()
        data = cut(self.r, self.r.n())
        if not data:
            data = cut(self.apart, self.apart.n())
        values, members = read_series(Reader(data), len(self.members(number))), self.members(number)
        if base:
            if base > len(self.profiles) or self.profiles[base - 1][2]:
                raise Bad
            of, row, _ = self.profiles[base - 1]
            process = [self.parts[m][0] >> 32 for m in self.members(of)]
            row = [row[process.index(self.parts[m][0] >> 32)] for m in members]
            values = [v + w - row[0] & M64 for v, w in zip(values, row)]
        return number, values, base

    def profile(self, number, i):
        if i >= len(self.profiles) or self.profiles[i][0] != number:
            raise Bad
        return self.profiles[i][1]

    def read_list(self):
        return many(self.r, lambda: (self.r.n(), cut(self.r, self.r.n())))

    def of_part(self, rows, part):
        """This part's bytes in the list, with its set and its index there."""
        for number, data in rows:
            members = self.members(number)
            if part in members:
                return data, number, members.index(part)
        return None

    def part(self, part):
        p = Part()
        p.paths, p.shapes, p.loops, p.trips = self.paths, self.shapes, self.loops, self.trips
        p.events_count = self.counts[part]
        for name, rows in (("spine", self.spines), ("values", self.values)):
            found = self.of_part(rows, part)
            setattr(p, name, found[0] if found else b"")
        for number, rows in self.columns.items():
            found = self.of_part(rows, part)
            if found:
                data, in_set, member = found
                p.columns[number] = Group(data, in_set, self).column(member)
        return p

    def participant(self, number):
        """The parts of the participant with this id, in order."""
        mine = sorted((turn, i) for i, (at, turn) in enumerate(self.parts) if at == number)
        return [self.part(i) for _, i in mine]


def events_of(parts):
    for p in parts:
        count = 0
        for event in p.events():
            count += 1
            yield event
        if p.events_count is not None and count != p.events_count:
            raise Bad


# --- chunks of a process file ---

class Folded:
    """A thread's folded events of one content, and the log after them.

    The log has the form in which spec_memory.py reads records."""
    def __init__(self, file, thread, content=0):
        self.chunks, self.thread, self.inner = file.chunks, thread, file.inner
        self.stream = thread + (content << 28)
        self.found, self.events, self.log, self.log_begin = False, [], [], 0
        head = self.of_kind(16)
        if head:
            self.read_stream(head[0])
            return
        shifts = apart(file, content)
        for c in file.common():
            if c.kind == 20 and c.aux == content:
                packed, number = Packed(c.data, shifts), self.participant()
                if any(at == number for at, _ in packed.parts):
                    self.found = True
                    self.events = list(events_of(packed.participant(number)))
        if file.before:
            self.join(file, Folded(file.before, thread, content), content)

    def join(self, file, before, content):
        """Prepend the events of an earlier part of the same file, with this part's image numbers.

        Events of memory accesses are not joined: their keys are numbers of descriptors, which
        differ between parts."""
        if self.events and file.begins(self.thread, content) != len(before.events):
            self.events = []  # events between the parts are missing
        if content == 0 and before.events:
            raise Bad
        ours = {own: number for number, own in file.numbers().items()}
        theirs = file.before.numbers()

        def renamed(place):
            own = theirs.get(place >> 48)
            return place if own not in ours else ours[own] << 48 | place & (1 << 48) - 1

        self.found |= before.found
        self.events = [([renamed(p) for p in path], key, words)
                       for path, key, words in before.events] + self.events

    def participant(self):
        """The participant's id: the kernel thread id, and the number of earlier streams with it.

        In a merged trace: the process's number, and the stream's rank in that order."""
        tids = {c.stream: struct.unpack_from("<I", c.payload, 192)[0]
                for c in self.chunks if c.kind == 2}
        order = {s: tid << 32 | sum(tids[t] == tid for t in tids if t < s)
                 for s, tid in tids.items()}
        own = order.get(self.thread, 0)
        if self.inner is None:
            return own
        return self.inner << 32 | sum(o < own for o in order.values())

    def of_kind(self, kind):
        return [c for c in self.chunks if c.kind == kind and c.stream == self.stream]

    def read_stream(self, head):
        commit, *rest_at = struct.unpack_from("<3Q", head.payload)
        ended = False
        if commit:
            rest = next(c for c in self.of_kind(18) if c.off == rest_at[commit & 1])
            ended = self.read_rest(rest.payload)
            self.found = True
        if not ended:
            logs = [(struct.unpack_from("<Q", c.payload)[0], c.payload[8:])
                    for c in self.of_kind(19)]
            self.log = [(at, struct.unpack("<%dQ" % (len(b) // 8), b[:len(b) // 8 * 8]), True)
                        for at, b in logs if self.log_begin <= at < M64]

    def read_rest(self, b):
        (data_bytes, rest_bytes, self.log_begin, flags, crc,
         state_bytes) = struct.unpack_from("<3Q2IQ", b)
        rest, data = b[40:40 + rest_bytes], b""
        if crc32c(b[:28] + bytes(4) + b[32:40 + rest_bytes + state_bytes]) != crc:
            raise Bad
        for c in sorted(self.of_kind(17), key=lambda c: c.aux):
            if c.aux != len(data):
                raise Bad
            data += c.payload
        if len(data) < data_bytes or len(rest) < rest_bytes:
            raise Bad
        self.events = list(events_of(parts_of_entries(data[:data_bytes] + rest)))
        return flags & 1
