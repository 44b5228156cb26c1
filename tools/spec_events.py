# SPDX-License-Identifier: BSD-3-Clause
"""Decode events with values, and their times: docs/format.md, "Values of events" and "Times".

The part of spec_decoder.py for MPI calls. An event is (key, words, vectors, places, open); a vector
is a list of elements, an element a tuple of words."""
import struct

import spec_columns
from spec_bytes import Bad, Reader
from spec_fold import Folded, Packed, apart

HEADER, COMPLETE = 1 << 63, 1 << 62
CONTENT, SHIFT = 1, 28
NO_STREAM = NONE = 0xFFFFFFFF
BINS = 40


def values_of(data):
    return struct.unpack("<%dQ" % (len(data) // 8), data[:len(data) // 8 * 8])


class Layout:
    def __init__(self, words, vectors):
        # A vector is (word with its length, words of an element).
        self.words, self.vectors = words, vectors
        if words > 128 or len(vectors) > 8 or any(length >= words for length, _ in vectors):
            raise Bad

    def counts(self, word):
        """For each vector, the number of elements and the words of one."""
        return [(word[at], words) if words else ((word[at] + 7) // 8, 1)
                for at, words in self.vectors]

    def length(self, word):
        return self.words + sum(n * words for n, words in self.counts(word))

    def split(self, values):
        """Words, and the part of the vectors that is there."""
        word, rest = list(values[:self.words]), list(values[self.words:])
        word += [0] * (self.words - len(word))
        vectors = []
        for n, words in self.counts(word):
            n = min(n, len(rest) // words)
            vectors.append([tuple(rest[i * words:(i + 1) * words]) for i in range(n)])
            rest = rest[n * words:]
        return word, vectors


class Definition:
    def __init__(self, v):
        vectors, key, depth = v[0] >> 8 & 255, v[0] >> 16 & 0xFFFF, v[0] >> 32
        keys = (key + 7) // 8
        if len(v) != 1 + vectors + keys + depth or key > 224 or depth > 256:
            raise Bad
        self.layout = Layout(v[0] & 255, [(x & 255, x >> 8 & 255) for x in v[1:1 + vectors]])
        at = 1 + vectors
        self.key = struct.pack("<%dQ" % keys, *v[at:at + keys])[:key]
        self.path = fold_path(v[at + keys:])


def fold_path(places):
    """Fold recursion: a repeated call replaces the calls after its first occurrence."""
    found = []
    for p in places:
        if p in found:
            del found[found.index(p):]
        found.append(p)
    return found


def leaf_key(key, words):
    """Layout, key and whether it is open; None of an element."""
    if not key:
        raise Bad
    if key[0] == 255:
        return None
    n = key[0] & ~64
    if n > 8 or len(key) < 1 + 2 * n:
        raise Bad
    vectors = list(zip(key[1:1 + 2 * n:2], key[2:2 + 2 * n:2]))
    return Layout(words, vectors), key[1 + 2 * n:], bool(key[0] & 64)


class UserKey:
    """Key of a program's own event: phase, flags, name, parameters."""
    KIND = b"\x80\x80\x01"
    PHASES, TYPES = ("whole", "begin", "end", "instant", "counter"), ("int", "double", "string")

    def __init__(self, key):
        r = Reader(key[len(self.KIND):])

        def text():
            n = r.u8()
            if n > len(r.data) - r.at:
                raise Bad
            r.at += n
            return r.data[r.at - n:r.at]
        phase, self.flags, self.name = r.u8(), r.u8(), text()
        ins, outs = r.u8(), r.u8()
        self.parameters = [(r.u8(), text(), i >= ins) for i in range(ins + outs)]
        if (r.at != len(r.data) or phase >= 5 or not self.name or ins + outs > 16
                or any(t > 2 for t, _, _ in self.parameters)):
            raise Bad
        self.phase = self.PHASES[phase]
        self.here = [p for p in self.parameters
                     if not (self.phase == "begin" and p[2] or self.phase == "end" and not p[2])]

    @staticmethod
    def escaped(data):
        return "".join(
            chr(c) if chr(c).isascii() and (chr(c).isalnum() or chr(c) in "_.:-") else "%%%02x" % c
            for c in data)

    def text(self):
        out = "%s,%d,%s(" % (self.phase, self.flags, self.escaped(self.name))
        sides = [";".join("%s,%s" % (self.TYPES[t], name.decode())
                          for t, name, is_out in self.parameters if is_out == side)
                 for side in (False, True)]
        return out + sides[0] + ("->" + sides[1] if sides[1] else "") + ")"

    def texts(self, words, vectors):
        """Strings, from vectors."""
        lengths = [w for w, p in zip(words, self.here) if p[0] == 2]
        if len(words) != len(self.here) or len(lengths) != len(vectors):
            raise Bad
        for n, v in zip(lengths, vectors):
            yield self.escaped(b"".join(struct.pack("<Q", e[0]) for e in v)[:n])


def key_text(key):
    return UserKey(key).text() if key.startswith(UserKey.KIND) else key.hex() or "-"


class Thread:
    """A thread's events."""
    def __init__(self, file, number):
        self.file, self.stream = file, number + (CONTENT << SHIFT)
        self.folded = Folded(file, number, CONTENT)
        if not self.folded.of_kind(16):  # flat
            self.folded.log = [(c.aux, values_of(c.payload if not c.data else c.data), True)
                               for c in self.folded.of_kind(9)]
        self.defs = {}
        for c in file.chunks:
            if c.kind == 11 and c.stream == self.stream:
                self.read_defs(values_of(c.data))

    def read_defs(self, v):
        at = 0
        while at < len(v):
            n = v[at] >> 32 & (1 << 29) - 1
            if not v[at] & HEADER or n > len(v) - at - 1:
                raise Bad
            self.defs[v[at] & NONE] = Definition(v[at + 1:at + 1 + n])
            at += 1 + n

    def events(self):
        """The events; None in place of lost ones."""
        yield from self.unfold()
        yield from self.logged()

    def unfold(self):
        leaves = iter(self.folded.events)
        for places, key, words in leaves:
            said = leaf_key(key, len(words))
            if not said:
                raise Bad
            layout, name, is_open = said
            vectors = []
            for i, (n, width) in enumerate(layout.counts(words)):
                vectors.append([])
                for _ in range(n):
                    at, element, row = next(leaves)
                    if (at != places or bytes(element) != bytes((255, i, width))
                            or len(row) != width):
                        raise Bad
                    vectors[-1].append(tuple(row))
            yield name, words, vectors, places[::-1], is_open

    def logged(self):
        buffers, expected = sorted(self.folded.log), None
        for number, (position, v, _) in enumerate(buffers):
            if expected not in (None, position):
                yield None
            at, last = 0, number + 1 == len(buffers)
            while at < len(v) and v[at] & HEADER and (last or v[at] & COMPLETE):
                n = v[at] >> 32 & (1 << 29) - 1
                if n > len(v) - at - 1:
                    break
                yield self.of_record(v[at], v[at + 1:at + 1 + n])
                at += 1 + n
            expected = position + at

    def of_record(self, header, values):
        d = self.defs[header & NONE]
        word, vectors = d.layout.split(values)
        is_open = not header & COMPLETE
        if not is_open and d.layout.length(word) != len(values):
            raise Bad
        return d.key, word, vectors, d.path, is_open

    def times(self):
        """Rows: count, site before or None, site, times before, durations.

        A site is (key, places)."""
        for c in self.file.chunks:
            if c.kind != 12 or c.stream != self.stream:
                continue
            for at in range(0, len(c.data) // 736 * 736, 736):
                before, of, count = struct.unpack_from("<IIQ", c.data, at)
                if not count or of not in self.defs:
                    continue
                sites = [(d.key, d.path) if d else None
                         for d in (self.defs.get(before), self.defs[of])]
                yield (count, *sites, Sums(c.data[at + 16:at + 376], count),
                       Sums(c.data[at + 376:at + 736], count))


class Sums:
    def __init__(self, data, count):
        self.min, self.max, self.sum, self.low, self.high, *self.bins = struct.unpack("<45Q", data)
        self.min_of = self.max_of = None
        if sum(self.bins) == count + 1:
            self.bins[self.bins.index(max(self.bins))] -= 1
        if sum(self.bins) != count:
            raise Bad

    @staticmethod
    def packed(r, count):
        s = Sums.__new__(Sums)
        s.min, s.min_of = r.n(), r.n()
        if count == 1:
            s.max, s.max_of, s.sum, square = s.min, s.min_of, s.min, s.min * s.min
            s.low, s.high = square & (1 << 64) - 1, square >> 64
            s.bins = [0] * BINS
            s.bins[min(s.min.bit_length(), BINS - 1)] = 1
            return s
        s.max, s.max_of = s.min + r.n(), r.n()
        s.sum, s.low, s.high = count * s.min + r.n() & (1 << 64) - 1, r.n(), r.n()
        first, bins = r.n(), r.n()
        if not 0 < bins <= BINS - first:
            raise Bad
        found = [r.n() for _ in range(bins - 1)]
        found.append(count - sum(found))
        s.bins = [0] * first + found + [0] * (BINS - first - bins)
        return s

    @staticmethod
    def columns(row, count, bins):
        """Nine cells of the table times; `bins` is consumed."""
        s = Sums.__new__(Sums)
        s.min, s.min_of, spread, s.max_of, rest, low, high, first, some = row
        s.max, s.sum = s.min + spread, count * s.min + rest & (1 << 64) - 1
        square = (high << 64 | low) + count * s.min * s.min
        s.low, s.high = square & (1 << 64) - 1, square >> 64 & (1 << 64) - 1
        first += min(s.min.bit_length(), BINS - 1)
        found = [next(bins) for _ in range(some)]
        found.append(count - sum(found))
        s.bins = [0] * first + found + [0] * (BINS - first - len(found))
        if len(s.bins) != BINS or found[-1] < 0:
            raise Bad
        return s

    def text(self, thread):
        used = [i for i, n in enumerate(self.bins) if n]
        bins = ",".join(str(n) for n in self.bins[used[0]:used[-1] + 1])
        return "%d (%s) %d (%s) %d 0x%x 0x%x %d:%s" % (
            self.min, thread(self.min_of), self.max, thread(self.max_of), self.sum, self.high,
            self.low, used[0], bins)


def merged_of(file):
    """The merged events of a file, or None."""
    return next((Packed(c.data, apart(file, CONTENT)) for c in file.common()
                 if c.kind == 20 and c.aux == CONTENT), None)


def times_of_1(data):
    """A chunk TIMES that belongs to no stream."""
    r, shape = Reader(data), 0
    if r.n() != 1:
        raise Bad
    for _ in range(r.n()):
        shape += r.n()
        before, count = r.n(), r.n()
        yield (shape, before - 1 if before else None, count, Sums.packed(r, count),
               Sums.packed(r, count))
    if r.at != len(data):
        raise Bad


def times_of(data):
    found = spec_columns.tables(data)
    bins = iter(found[spec_columns.BINS].columns[0])
    for row in found[spec_columns.TIMES].each():
        shape, before, count = row[:3]
        before_call = Sums.columns(row[3:12], count, bins)
        yield shape, before, count, before_call, Sums.columns(row[12:21], count, bins)
    if next(bins, None) is not None:
        raise Bad


def merged_times(file, packed):
    """Rows as for a thread; the thread of an extreme is an id."""
    ids = sorted({i for i, _ in packed.parts})

    def site(shape):
        path, words, key, _ = packed.shapes[shape]
        places = []
        while path:
            path, place = packed.paths[path - 1]
            places.append(place)
        said = leaf_key(key, words)
        return (said[1], places[::-1]) if said else None

    for c in file.common():
        if (c.kind in (12, spec_columns.FIRST_KIND + spec_columns.TIMES)
                and c.stream == NO_STREAM and c.aux == CONTENT):
            for shape, before, count, before_call, duration in (
                    times_of_1(c.data) if c.kind == 12 else times_of(c.data)):
                for s in (before_call, duration):
                    s.min_of, s.max_of = ids[s.min_of], ids[s.max_of]
                yield (count, None if before is None else site(before), site(shape), before_call,
                       duration)


def own_parts(file, stream):
    """(values before, moment before, values) of the chunks of a stream."""
    for c in file.chunks:
        if c.kind == 13 and c.stream == stream and c.data:
            r, values = Reader(c.data[8:]), []
            while r.at < len(r.data):
                values.append(r.n())
            yield c.aux, values_of(c.data[:8])[0], values


def tail_bits(head):
    if head > 251:
        raise Bad
    return 0 if head < 8 else head // 4 - 1


def unpack(heads, tails):
    """Values: first those with even indices, then the others."""
    bits, at, found = int.from_bytes(tails, "little"), 0, []
    for head in heads:
        n = tail_bits(head)
        found.append(head if head < 8 else (4 + head % 4 << n) + (bits >> at & (1 << n) - 1))
        at += n
    if (at + 7) // 8 != len(tails) or bits >> at:
        raise Bad
    even = (len(heads) + 1) // 2
    return [found[i // 2 + (even if i % 2 else 0)] for i in range(len(heads))]


def packed_parts(file, participant):
    """The same of a participant of merged events."""
    chunks = [c for c in file.common() if c.stream == NO_STREAM]
    for c in (c for c in chunks if c.kind == 13):
        heads = next(h.data for h in chunks if h.kind == 14 and h.aux == c.aux)
        r, at = Reader(c.data), 0
        if r.n() != 1:
            raise Bad
        index = [[r.n() for _ in range(5)] for _ in range(r.n())]
        for who, first, base, count, length in index:
            if who == participant:
                yield first, base, unpack(heads[at:at + count], c.data[r.at:r.at + length])
            at += count
            r.at += length
    for c in (c for c in chunks if c.kind == spec_columns.FIRST_KIND + spec_columns.MOMENTS):
        heads = spec_columns.rows_of(chunks, spec_columns.HEADS, c.aux)
        for i, (who, first, base, count, tails) in enumerate(
                spec_columns.tables(c.data)[spec_columns.MOMENTS].each()):
            if len(heads[i][0]) != count:
                raise Bad
            if who == participant:
                yield first, base, unpack(heads[i][0], tails)


class Values:
    """Events and times of a process."""
    def __init__(self, file, images, numbers):
        self.file, self.images, self.numbers = file, images, numbers

    def place(self, place):
        number, address = place >> 48, place & (1 << 48) - 1
        if number == 0xFFFF:
            return " @0x%x" % address
        if self.numbers:
            number = self.numbers.get(number, 65536)
        name = self.images[number][1] if number < len(self.images) else "?%d" % number
        return " @%s+0x%x" % (name, address)

    def site(self, site):
        if not site:
            return "-"
        return key_text(site[0]) + "".join(map(self.place, site[1]))

    def dump(self, number, out):
        thread = Thread(self.file, number)
        if not thread.folded.found and not thread.folded.log:
            return
        out("events")
        lost, index = "", 0
        for e in thread.events():
            if e is None:
                lost = " !lost"
                continue
            key, words, vectors, places, is_open = e
            line = "%d %s" % (index, key_text(key)) + "".join(" %d" % w for w in words)
            if key.startswith(UserKey.KIND):
                line += "".join(" [%s]" % text for text in UserKey(key).texts(words, vectors))
                vectors = []
            for v in vectors:
                line += " [" + " ".join(",".join(map(str, element)) for element in v) + "]"
            out(line + "".join(map(self.place, places)) + (" !open" if is_open else "") + lost)
            lost, index = "", index + 1

    def dump_moments(self, number, out):
        """Begin and end of each event, from the differences of consecutive times."""
        if merged_of(self.file):
            parts = list(packed_parts(self.file, Folded(self.file, number, CONTENT).participant()))
        else:
            parts = list(own_parts(self.file, number + (CONTENT << SHIFT)))
        if not parts:
            return
        out("moments")
        moments = []
        for first, base, values in sorted(parts):
            if first != len(moments):
                raise Bad
            for v in values:
                base = base + v & (1 << 64) - 1
                moments.append(base)
        for i in range(0, len(moments), 2):
            out("%d %d %s" % (i // 2, moments[i], moments[i + 1] if i + 1 < len(moments) else "-"))

    def row(self, row, thread):
        count, before, of, before_call, duration = row
        return "%d %s > %s gap %s duration %s" % (
            count, self.site(before), self.site(of), before_call.text(thread),
            duration.text(thread))


def dump_times(processes, out):
    """`processes`: (values, numbers of its streams) of each, in order."""
    lines, done = [], set()
    for file in sorted((v.file for v, _ in processes), key=lambda f: (f.outer or f).name):
        key, packed = id(file.outer or file), None
        if key not in done:
            done.add(key)
            packed = merged_of(file)
        if not packed:
            continue
        names, of = {}, {}
        for i, (v, streams) in enumerate(processes):
            if id(v.file.outer or v.file) == key:
                for k, s in enumerate(streams):
                    thread = Folded(v.file, s, CONTENT).participant()
                    names[thread], of[thread] = "%d.%d" % (i, k), v
        for row in merged_times(file, packed):
            lines.append(of[row[4].max_of].row(row, names.get))
    for i, (values, streams) in enumerate(processes):
        if merged_of(values.file):
            continue
        for k, s in enumerate(streams):
            lines += [values.row(row, lambda _, name="%d.%d" % (i, k): name)
                      for row in Thread(values.file, s).times()]
    if lines:
        out("times")
    for line in lines:
        out(line)
