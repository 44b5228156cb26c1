# SPDX-License-Identifier: BSD-3-Clause
"""Decode memory records (docs/format.md): the part of spec_decoder.py for traces of accesses.
spec_fold.py expands folded records."""
import struct

from spec_bytes import M64, Bad, Reader
from spec_fold import Folded
from spec_sync import Sync, check_order

HEADER = 1 << 63


class Access:
    def __init__(self, r, before):
        tag = r.u8()
        self.kind = tag & 3
        self.pc = (before.pc if before else 0) + (0 if tag & 128 else r.s())
        code = tag >> 3 & 7
        self.size = 1 << code - 1 if code else r.n()
        self.word = (before.word if before else 0) if tag & 64 else r.u8()
        self.offset = r.s()
        self.guard = (r.u8(), r.u8()) if tag & 4 else None


class Event:
    """A mark of an event with values: 1 whole, 2 begin, 3 end, 4 number of unmarked events."""
    def __init__(self, kind, number):
        self.kind, self.number = kind, number


class Desc:
    def __init__(self, r):
        self.kind, self.image, self.pc, self.words = r.u8(), r.n() - 1, r.n(), r.u8()
        self.payload, self.counter, self.steps, self.accesses, self.flow = 0, None, [], [], 0
        if self.kind == 3:
            self.mark = r.u8()
            self.sync = r.u8() if self.mark == 3 else None
            return
        self.flow, self.sp_word = r.u8(), r.u8()
        self.sp_begin, self.sp_end = (r.s(), r.s()) if self.sp_word != 255 else (0, 0)
        self.last = r.n()
        if self.kind == 2:
            self.payload = r.u8()
            if not self.payload:
                self.counter = r.u8()
            for _ in range(self.words):
                constant, word = r.s(), r.u8()
                self.steps.append((constant, word, r.u8() if word != 255 else 0))
        for _ in range(r.n()):
            self.accesses.append(Access(r, self.accesses[-1] if self.accesses else None))

    def length(self, words, at, is_open):
        """Words after the header at words[at - 1]."""
        n = self.words + (self.counter is not None)
        if at + n > len(words):
            raise Bad
        while self.payload:
            part = words[at + n:at + n + self.payload]
            if len(part) < self.payload or any(w & HEADER or is_open and not w for w in part):
                break
            n += self.payload
        return n

    def trips(self, word):
        if self.kind == 1:
            return 1
        if self.payload:
            return (len(word) - self.words) // self.payload
        step = self.steps[self.counter][0]
        way = (word[self.words] - word[self.counter]) * (1 if step > 0 else -1) & M64
        if way % abs(step):
            raise Bad
        return way // abs(step)

    def value(self, word, w, i):
        if w >= self.words:
            return word[i * self.payload + w]
        if self.kind == 1:
            return word[w]
        constant, other, scale = self.steps[w]
        return word[w] + i * (constant + (scale * word[other] if other != 255 else 0)) & M64

    def expand(self, word, bias):
        for i in range(self.trips(word)):
            for a in self.accesses:
                if a.guard and not self.value(word, a.guard[0], i) >> a.guard[1] & 1:
                    continue
                base = bias if a.word == 255 else self.value(word, a.word, i)
                yield a.kind, base + a.offset & M64, a.size, self.pc + a.pc


def words_of(data):
    return struct.unpack("<%dQ" % (len(data) // 8), data[:len(data) // 8 * 8])


class Memory:
    """The descriptors of a process.

    `images` are (load bias, name). `numbers` maps image numbers of descriptors to these, unless
    they are the same."""
    def __init__(self, file, images, numbers):
        self.file, self.chunks, self.images, self.numbers = file, file.chunks, images, numbers
        self.descs, self.streams = {}, {}
        for c in file.common():
            if c.kind == 8:
                r, number = Reader(c.data), c.aux
                while r.at < len(c.data):
                    if c.data[r.at] == 0:
                        r.u8()
                        number += r.n()
                        continue
                    self.descs.setdefault(number, Desc(r))
                    number += 1

    def folded(self, stream):
        if stream not in self.streams:
            self.streams[stream] = Folded(self.file, stream)
        return self.streams[stream]

    def records(self, stream):
        """(descriptor, words), or None in place of lost records."""
        folded = self.folded(stream)
        yield from self.unfold(folded.events)
        yield from self.raw(sorted(self.raw_chunks(stream) + folded.log), folded.log_begin)

    def unfold(self, events):
        """Records of leaves, whose key is the descriptor, and whose path consists of call sites.

        Call sites of parts may have no descriptor."""
        parts = any(d.flow & 8 for d in self.descs.values())
        calls = {d.image << 48 & M64 | d.pc + d.last for d in self.descs.values() if d.flow & 2}
        for places, key, words in events:
            r = Reader(key)
            number = r.n()
            if r.at != len(key) or not parts and any(p not in calls for p in places):
                raise Bad
            desc = self.descs[number]
            if len(words) != desc.words + (desc.payload or desc.counter is not None):
                raise Bad
            yield desc, words

    def raw_chunks(self, stream):
        """(position, words, whether it may still grow)."""
        found = []
        for c in self.chunks:
            if c.kind == 9 and c.stream == stream:
                is_open = not c.sealed and not c.data
                found.append((c.aux, words_of(c.payload if is_open else c.data), is_open))
        return found

    def raw(self, chunks, expected):
        for aux, words, is_open in chunks:
            if aux != expected:
                yield None
            at = 0
            while at < len(words) and not (is_open and not words[at] & HEADER):
                desc = self.descs.get(words[at] & 0x7FFFFFFF)
                if not desc or not words[at] & HEADER:
                    yield None
                    at = len(words)
                    break
                n = desc.length(words, at + 1, is_open)
                yield desc, words[at + 1:at + 1 + n]
                at += 1 + n
            expected = aux + at

    def accesses(self, stream):
        """("lost", shown as damage), or (kind, address, size, pc, image)."""
        again = 0
        for record in self.records(stream):
            if record is None:
                again = 0
                yield "damaged"
                continue
            desc, word = record
            if desc.kind == 3:
                if desc.mark == 5:
                    again += word[0]
                elif desc.mark == 4:
                    yield "gap"
                elif desc.mark == 3:
                    yield Sync(desc.sync, word)
                elif desc.mark >= 6:
                    yield Event(desc.mark - 5,
                                desc.pc if desc.mark < 8 else sum(word[:desc.mark - 8]))
                continue
            number = (self.numbers.get(desc.image, len(self.images))
                      if self.numbers and desc.image >= 0 else desc.image)
            bias = self.images[number][0] if 0 <= number < len(self.images) else 0
            for a in desc.expand(word, bias):
                if again:
                    again -= 1
                else:
                    yield a + (number,)

    def check_syncs(self, streams):
        """Raise Bad unless all marks have a consistent order; not if some are missing."""
        marks = {s: list(self.accesses(s)) for s in streams}
        if all(a not in ("damaged", "gap") for row in marks.values() for a in row):
            check_order({s: [a for a in row if isinstance(a, Sync)] for s, row in marks.items()})

    def dump(self, stream, out):
        folded = self.folded(stream)
        if not folded.found and not folded.log and not self.raw_chunks(stream):
            return
        out("accesses")
        lost, index = "", 0
        for a in self.accesses(stream):
            if a in ("damaged", "gap"):
                lost = " !lost"
                if a == "damaged":
                    out(a)
                continue
            if isinstance(a, Sync):
                out("Y %d 0x%x %d" % (a.kind, a.object, a.number))
                continue
            if isinstance(a, Event):
                out("E %d %d" % (a.kind, a.number))
                continue
            kind, address, size, pc, image = a
            place = "0x%x" % pc
            if image >= 0:
                name = self.images[image][1] if image < len(self.images) else "?%d" % image
                place = name + "+" + place
            out("%d %s 0x%x %d %s%s" % (index, "LSA"[kind], address, size, place, lost))
            lost, index = "", index + 1
