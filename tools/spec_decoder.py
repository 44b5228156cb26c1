#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An independent decoder of Bobbin traces.

It is written from docs/format.md, docs/fold.md and docs/run.md alone.

    spec_decoder.py DIRECTORY      prints the dump of a trace

It is slow and simple on purpose: it serves to find differences between the documents and the C
reader. It reads intact traces and those of killed processes. Of the rules for damage it implements
those for blocks with a wrong checksum, not the search for lost chunks and headers."""
import os
import struct
import subprocess
import sys

import spec_columns
from spec_bytes import M32, M64, crc32c
from spec_events import Values, dump_times
from spec_inner import inner_files
from spec_memory import Memory
from spec_sets import dump_sets
from spec_source import Source

A, B, C = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93


class Damaged(Exception):
    pass


# --- run.md: the coder ---

class Coder:
    def __init__(self, data):
        self.data, self.at, self.over = data, 0, 0
        self.x1, self.x2, self.x = 0, M64, 0
        for _ in range(8):
            self.x = self.x << 8 | self.next_byte()

    def next_byte(self):
        self.at += 1
        if self.at <= len(self.data):
            return self.data[self.at - 1]
        self.over += 1
        if self.over > 8:
            raise Damaged
        return 0

    def shift_equal(self):
        while self.x1 >> 56 == self.x2 >> 56:
            self.x1 = self.x1 << 8 & M64
            self.x2 = (self.x2 << 8 | 255) & M64
            self.x = (self.x << 8 | self.next_byte()) & M64

    def normalise(self):
        self.shift_equal()
        if self.x2 - self.x1 < 1 << 32:
            b = self.x2 >> 56 << 56
            if b - self.x1 > self.x2 - b:
                self.x2 = b - 1
            else:
                self.x1 = b
            self.x = min(max(self.x, self.x1), self.x2)
            self.shift_equal()

    def with_p(self, p):
        mid = self.x1 + (self.x2 - self.x1 >> 16) * p
        bit = self.x <= mid
        if bit:
            self.x2 = mid
        else:
            self.x1 = mid + 1
        self.normalise()
        return int(bit)

    def bit(self, table, i, limit=250):
        s = table[i]
        bit = self.with_p(min(max(s >> 16, 16), 65520))
        table[i] = update(s, bit, limit)
        return bit

    def raw(self, n):
        t = self.x2 - self.x1 >> n
        v = min((self.x - self.x1) // t, (1 << n) - 1)
        self.x1 += v * t
        self.x2 = self.x1 + t - 1
        self.normalise()
        return v

    def escape(self):
        last = self.x2 - (self.x2 - self.x1 >> 8)
        if self.x > last:
            self.x1 = last + 1
            self.normalise()
            return True
        self.x2 = last
        return False

    def gamma(self, g):
        e = 0
        while e < 32 and self.bit(g.exponent, e):
            e += 1
        w = node = 1
        for _ in range(min(3, e)):
            b = self.bit(g.mantissa[e], node)
            w, node = 2 * w + b, 2 * node + b
        r = e - 3
        while r > 0:
            n = min(16, r)
            w = w << n | self.raw(n)
            r -= n
        return w - 1


FRESH = 0x80000000


def update(s, bit, limit):
    n = s & 1023
    e = bit * (1 << 22) - (s >> 10)
    d = (e >> 3) * (81920 // (10 * n + 16))
    s = s + (d & ~1023) & M32
    return s + 1 if n < limit else s


class Gamma:
    def __init__(self):
        self.exponent = [FRESH] * 32
        self.mantissa = [[FRESH] * 8 for _ in range(33)]


# --- run.md: the model ---

class Table(dict):
    """A table whose entries are created on first use."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, i):
        self[i] = value = self.make()
        return value


NONE, PRESUMED, OPEN = range(3)
NO_POS = M32


class Model:
    def __init__(self, data):
        self.c = Coder(data)
        self.H = {}
        self.pos = self.start = self.dist = 0
        self.T = Table(lambda: [0, 0, 0])  # pos, prob[2]
        self.hash = self.ix = 0
        self.K = Table(lambda: (0, 0))
        self.ktotal = self.ksrc = self.krun = 0
        self.trusted = False
        self.exp_pos, self.exp_sym = NO_POS, 0
        self.khash = 0
        self.KT = Table(int)
        self.S2 = Table(lambda: [0] * 3)
        self.S1 = Table(lambda: [0] * 4)
        self.R = Table(lambda: [FRESH] * 7)
        self.level = self.misses = 0
        self.id, self.idcount, self.last_new = [], 0, 0
        self.is_new = [FRESH]
        self.run_length, self.pops, self.id_step = Gamma(), Gamma(), Gamma()

    def hist(self, i):
        return self.H.get(i & 65535, 0)

    def top(self, h):
        return h >> (56 - self.level)

    @staticmethod
    def push(h, s):
        y = s * 0x9E3779B1 & M32
        y ^= y >> 15
        return (h + y + 1) * (A << 10 & M64) & M64

    def silent(self):
        return self.trusted or self.pos - self.start >= 4096

    def where(self):
        return 2 if self.pos == self.exp_pos else 1

    def point(self):
        if self.trusted and self.pos == self.exp_pos:
            return PRESUMED, self.exp_sym
        if not self.dist:
            return NONE, None
        x = self.hist(self.pos - self.dist)
        if self.silent() or not self.T[self.ix][self.where()]:
            return PRESUMED, x
        return OPEN, x

    def advance(self, s):
        silent = self.silent()
        self.H[self.pos & 65535] = s
        self.pos += 1
        if not silent:
            self.hash = self.push(self.hash, s)
            self.ix = self.top(self.hash)
            self.T[self.ix][0] = self.pos

    def rehash(self):
        self.hash = 0
        for i in range(min(6, self.pos), 0, -1):
            self.hash = self.push(self.hash, self.hist(self.pos - i))
        self.ix = self.top(self.hash)

    def break_(self, s):
        length = self.pos - self.start
        x = (length * A & M64 ^ s * B & M64) >> 32
        if self.ksrc and self.pos == self.exp_pos and s == self.exp_sym:
            self.krun += 1
            self.ksrc += 1
        else:
            self.krun = self.ksrc = 0
        self.ktotal += 1
        self.K[self.ktotal & 8191] = (self.pos + 1, s)
        self.khash = (self.khash + x + 1) * (A << 16 & M64) & M64
        i = self.top(self.khash)
        f = self.KT[i]
        if not self.ksrc and f and self.ktotal - f < 8190:
            self.ksrc = f
        self.KT[i] = self.ktotal + 1
        self.H[self.pos & 65535] = s
        self.pos += 1
        self.start = self.pos
        self.trusted, self.exp_pos = False, NO_POS
        if self.ksrc:
            end, sym = self.K[self.ksrc & 8191]
            self.exp_pos = self.pos + end - self.K[self.ksrc - 1 & 8191][0] - 1
            if self.exp_pos >> 32:
                self.exp_pos = NO_POS
            self.exp_sym = sym
            self.trusted = self.krun >= 5
        self.rehash()
        self.dist = 0
        f = self.T[self.ix][0]
        if (2 <= f < self.pos and self.pos - f < 65536 and
                self.hist(f - 1) == self.hist(self.pos - 1) and
                self.hist(f - 2) == self.hist(self.pos - 2)):
            self.dist = self.pos - f
        self.T[self.ix][0] = self.pos

    def hit(self, s):
        if self.trusted and self.pos == self.exp_pos:
            self.break_(s)
        else:
            self.advance(s)

    def miss(self, point, s):
        self.misses += 1
        if self.misses == 512 << self.level and self.level < 5:
            self.grow()
        if point == PRESUMED:
            if not self.silent():
                self.T[self.ix][self.where()] = 0xCF400000
            if (self.trusted and self.pos == self.exp_pos and self.dist and
                    self.hist(self.pos - self.dist) == s):
                self.trusted = False
                self.krun = self.ksrc = 0
                self.exp_pos = NO_POS
                self.rehash()
                self.advance(s)
                return
        self.break_(s)

    def grow(self):
        for name in ("T", "KT", "S2", "S1", "R"):
            old = getattr(self, name)
            new = Table(old.make)
            for i, v in old.items():
                new[2 * i] = v
                new[2 * i + 1] = v[:] if isinstance(v, list) else v
            setattr(self, name, new)
        self.level += 1
        self.ix = self.top(self.hash)

    def symbol(self, x):
        c = self.c
        a = self.hist(self.pos - 1) if self.pos >= 1 else 0
        b = self.hist(self.pos - 2) if self.pos >= 2 else 0
        e, n = (1 << 32, 0) if x is None else (x, x + 1 & M32)
        two = self.S2[self.top(a * A + b * B + e * C & M64)]
        one = self.S1[(a * A & M64) >> (58 - self.level)]
        r = self.R[(a * B + e * C & M64) >> (57 - self.level)]
        key = None
        for i in range(3):
            if two[i] and two[i] != n and c.bit(r, i):
                key = two[i]
                break
        if key is None:
            for i in range(4):
                if one[i] and one[i] != n and one[i] not in two and c.bit(r, 3 + i):
                    key = one[i]
                    break
        if key is None:
            key = self.literal() + 1 & M32
        for ways in (two, one):
            at = max((i for i, v in enumerate(ways) if v == key), default=len(ways) - 1)
            del ways[at]
            ways.insert(0, key)
        return key - 1 & M32

    def literal(self):
        c = self.c
        p = c.gamma(self.pops) & 1023
        new = c.bit(self.is_new, 0)
        if not new and self.idcount:
            k = c.raw((self.idcount - 1).bit_length())
            return p << 22 | self.id[min(k, self.idcount - 1)]
        z = c.gamma(self.id_step)
        step = -(z + 1 >> 1) if z & 1 else z >> 1
        i = self.last_new + step & 0x3FFFFF
        if p != 1023:
            self.last_new = i
        if self.idcount < 8192:
            self.id.append(i)
            self.idcount += 1
        return p << 22 | i

    def decode(self, count):
        phase, left = FRESH_PHASE, 0
        for _ in range(count):
            point, x = self.point()
            if phase == FRESH_PHASE and point != NONE:
                phase = RUN_PHASE
                if self.c.escape():
                    left = self.c.gamma(self.run_length)
                    phase = ESCAPE_PHASE
            if phase == ESCAPE_PHASE and point != PRESUMED:
                raise Damaged
            if point == NONE or phase == ESCAPE_PHASE and not left:
                s = self.symbol(x)
                self.miss(point, s)
                phase = FRESH_PHASE
            elif point == PRESUMED:
                s = x
                self.hit(s)
                left -= phase == ESCAPE_PHASE
            else:
                s = self.open_point(x)
                phase = FRESH_PHASE
            yield s

    def open_point(self, x):
        entry, w = self.T[self.ix], self.where()
        bit = self.c.bit(entry, w, 60)
        if entry[w] > 0xFC000000:
            entry[w] = 0
        if bit:
            self.advance(x)
            return x
        s = self.symbol(x)
        self.miss(OPEN, s)
        return s


FRESH_PHASE, RUN_PHASE, ESCAPE_PHASE = range(3)


# --- run.md: words ---

def none_words(data):
    for i in range(0, len(data) - 1, 2):
        yield data[i] | data[i + 1] << 8
    raise Damaged


def inner_words(data):
    """Inverse of zero elimination; after the last group, 0xffff without end (marked by True)."""
    plain, at = [], 0
    while at < len(data):
        bits = data[at]
        at += 1
        for i in range(8):
            if bits >> i & 1:
                if at == len(data):
                    raise Damaged
                plain.append(data[at])
                at += 1
            else:
                plain.append(0)
    for i in range(0, len(plain), 2):
        yield plain[i] | plain[i + 1] << 8, False
    while True:
        yield 0xFFFF, True


def parlot_words(data):
    inner = inner_words(data)
    ring, last, pos = {}, {}, 0
    while True:
        v, beyond = next(inner)
        if beyond:
            raise Damaged
        f = last.get(v & 4095, 0)
        ring[pos & 65535] = v
        last[v & 4095] = pos + 1
        pos += 1
        yield v
        if not (3 <= f and pos - f <= 65532 and
                all(ring[f - i & 65535] == ring[pos - i & 65535] for i in (1, 2, 3))):
            continue
        n, _ = next(inner)
        for _ in range(n):
            v = ring[f & 65535]
            f += 1
            ring[pos & 65535] = v
            last[v & 4095] = pos + 1
            pos += 1
            yield v


def words_to_symbols(words, count):
    for _ in range(count):
        pops = 0
        w = next(words)
        while w == 0:
            pops += 1
            w = next(words)
        if w == 0xFFFF and not pops:
            low = next(words)
            yield low | next(words) << 16
        elif w == 0xFFFF or pops > 64:
            raise Damaged
        else:
            yield pops << 22 | w - 1


def decode_block(codec, data, count):
    if codec == 1:
        return Model(data).decode(count)
    return words_to_symbols(parlot_words(data) if codec == 2 else none_words(data), count)


def tail_of(codec, state):
    if codec == 1:
        x1, x2 = state[0] | state[1] << 32, state[2] | state[3] << 32
        for n in range(1, 8):
            u = 1 << 64 - 8 * n
            g = -x1 % u
            if g <= (x2 - x1) // 2:
                return (x1 + g).to_bytes(9, "big")[1:1 + n]
        return x1.to_bytes(8, "big")
    if codec == 2 and state[2]:
        held = struct.pack("<II", state[0], state[1])[:state[2]]
        return group_of(held + b"\xff" * (8 - len(held)))
    return b""


def group_of(eight):
    return bytes([sum(1 << i for i in range(8) if eight[i])]) + bytes(b for b in eight if b)


# --- format.md ---

class Chunk:
    def __init__(self, off, kind, flags, stream, aux, payload, length):
        self.kind, self.stream, self.aux, self.sealed = kind, stream, aux, flags & 1
        self.off = off
        self.payload, self.data = payload, payload[:length]
        if flags & 2:
            zstd = subprocess.run(["zstd", "-dcq"], input=self.data, stdout=subprocess.PIPE,
                                  check=True)
            self.data = zstd.stdout


class File:
    """A process's file; in a merged trace it is number `inner` in the file `outer`."""
    def __init__(self, name, b, outer=None, inner=None):
        self.name, self.outer, self.inner, self.before = name, outer, inner, None
        if b[:8] != b"\xffBOBBIN\n" or crc32c(b[:132]) != struct.unpack_from("<I", b, 132)[0]:
            raise Damaged
        version, self.kind, at, self.pid, self.ppid, self.seq = struct.unpack_from("<6I", b, 8)
        if version != 1 or at % 256 or not 256 <= at <= 4096:
            raise Damaged
        self.real, self.mono = struct.unpack_from("<QQ", b, 32)
        self.host = b[48:112].split(b"\0")[0]
        _, self.parent_pid, self.parent_seq = struct.unpack_from("<QII", b, 112)
        self.state = struct.unpack_from("<I", b, 144)[0]
        self.chunks = []
        while at + 64 <= len(b):
            magic, kind, flags, stream, _, size, aux, length, head_crc = struct.unpack_from(
                "<IHHIIQQQI", b, at)
            packed = struct.pack("<IHIQQ", magic, kind, stream, size, aux)
            packed = packed[:4] + packed[4:6] + packed[6:]
            if magic != 0x4B4E4843 or crc32c(packed) != head_crc:
                break
            payload = b[at + 64:at + 64 + size]
            self.chunks.append(Chunk(at, kind, flags, stream, aux, payload,
                                     min(length, len(payload))))
            at = (at + 64 + size + 63) // 64 * 64


    def common(self):
        """Chunks of the file with descriptors and merged streams."""
        return self.outer.chunks if self.outer else self.chunks

    def inner_files(self):
        """Process files in all parts; the newest of a name refers to the earlier ones."""
        newest = {}
        for part in [self] + [File(self.name, c.data) for c in self.chunks if c.kind == 23]:
            for c in part.chunks:
                if c.kind == 22:
                    for name, number, b in inner_files(c.data):
                        f = File(name, b, part, number)
                        f.before = newest.get(name)
                        newest[name] = f
        return list(newest.values())

    def numbers(self):
        """IMAGE_MAP: {number in the trace file: the process's number of the image}."""
        for kind, body in self.records():
            if kind == 14:
                return {number: own for own, number in
                        enumerate(struct.unpack("<%dI" % (len(body) // 4), body))}
        return {}

    def begins(self, stream, content):
        """Number of the stream's events before those of this file: table `before`, or record 19."""
        for process, of, what, events in spec_columns.rows_of(
                self.outer.chunks if self.outer else [], spec_columns.BEFORE):
            if (process, of, what) == (self.inner, stream, content):
                return events
        for kind, body in self.records():
            if kind == 19:
                for at in range(0, len(body), 16):
                    if struct.unpack_from("<II", body, at) == (stream, content):
                        return struct.unpack_from("<Q", body, at + 8)[0]
        return 0

    def records(self):
        """The last record of a kind counts, so it comes first."""
        found = []
        for c in self.chunks:
            at = 0
            while c.kind == 1 and at + 8 <= len(c.data):
                kind, length = struct.unpack_from("<II", c.data, at)
                found.append((kind, c.data[at + 8:at + 8 + length]))
                at = (at + 8 + length + 7) // 8 * 8
        return found[::-1]


class Stream:
    def __init__(self, f, chunk):
        h = chunk.payload
        commit, cur, self.codec = struct.unpack_from("<QII", h, 0)
        slot = struct.unpack_from("<QQQQ4IIIQ", h, 64 + 64 * (cur & 1))
        self.crc, = struct.unpack_from("<I", h, 16 + 4 * (cur & 1))
        self.out_len, coded_pos, self.block_off, self.block_pos = slot[:4]
        self.state, self.block_no, self.closed = slot[4:8], slot[8], slot[9] & 1
        self.count = coded_pos if self.closed else max(commit, coded_pos)
        self.number = chunk.stream
        self.start_depth, = struct.unpack_from("<Q", h, 216)
        self.bytes = bytearray()
        for c in sorted((c for c in f.chunks if c.kind == 3 and c.stream == self.number),
                        key=lambda c: c.aux):
            if c.aux != len(self.bytes):
                raise Damaged
            self.bytes += c.payload

    def blocks(self):
        """(position, extended before, coded bytes, count, checksum or None), first to last."""
        if self.codec == 4 or not self.out_len:
            return []
        data = bytes(self.bytes[self.block_off + 56:self.out_len])
        changed = self.crc and crc32c(data) != self.crc
        if not self.closed:
            data += tail_of(self.codec, self.state)
        crc = crc32c(data) ^ 1 if changed else None
        at, pos, count, found = self.block_off, self.block_pos, None, []
        count = self.count - pos
        while True:
            h = bytes(self.bytes[at:at + 56])
            magic, no, hpos, prev_off, prev_len, prev_count, ext, prev_crc, hcrc = struct.unpack(
                "<IIQQQQQII", h)
            if magic != 0x4B4C4252 or crc32c(h[:52]) != hcrc or hpos != pos:
                raise Damaged
            found.append((pos, ext, data, count, crc))
            if no == 0:
                return found[::-1]
            at, pos, count, crc = prev_off, pos - prev_count, prev_count, prev_crc
            data = bytes(self.bytes[at + 56:at + 56 + prev_len])

    def dump(self, process, out):
        ev = Events(self.start_depth, process, out)
        for pos, ext, data, count, crc in self.blocks():
            if crc is not None and crc32c(data) != crc:
                out("damaged")
                ev.hole = True
                continue
            try:
                for s in decode_block(self.codec, data, count):
                    if ev.hole:
                        ev.lose(pos - ext)
                    ev.take(s)
            except Damaged:
                out("damaged")
                ev.hole = True


class Events:
    def __init__(self, start_depth, process, out):
        self.process, self.out = process, out
        self.stacks, self.inherited = {0: []}, start_depth
        self.cur = self.index = self.high = self.printed = 0
        self.notes, self.hole = set(), False

    def end_frames(self, n):
        stack = self.stacks[self.cur]
        base = self.inherited if self.cur == 0 else 0
        while n and stack:
            index, i = stack.pop()
            line = "%d < %d %s" % (index, base + len(stack), self.process.name_of(i))
            self.out(line + self.switched())
            n -= 1
        if self.cur == 0:
            self.inherited -= min(n, self.inherited)

    def switched(self):
        """The mark of a line whose stack differs from the previous line's."""
        note = " !stack %d" % self.cur if self.cur != self.printed else ""
        self.printed = self.cur
        return note

    def end_all(self):
        cur, self.inherited = self.cur, 0
        for self.cur in sorted(self.stacks):
            self.end_frames(len(self.stacks[self.cur]))
        self.cur = cur

    def lose(self, index):
        self.hole = False
        self.end_all()
        self.index, self.cur, self.high, self.notes = index, 0, 0, {"lost"}

    def enter(self, i):
        stack = self.stacks[self.cur]
        depth = len(stack) + (self.inherited if self.cur == 0 else 0)
        line = "%d > %d %s" % (self.index, depth, self.process.name_of(i))
        for note in ("signal", "orphan", "stack", "gap", "lost"):
            if note == "stack":
                line += self.switched()
            elif note in self.notes:
                line += " !" + note
        self.out(line)
        stack.append((self.index, i))
        self.index += 1
        self.high, self.notes = 0, set()

    def take(self, s):
        pops, kind, payload = s >> 22, s >> 18 & 15, s & 0x3FFFF
        if pops != 1023:
            self.end_frames(pops)
            self.enter((s & 0x3FFFFF) + (self.high << 22) & M32)
        elif kind == 1:
            self.end_frames(payload)
        elif kind == 2:
            self.high = payload
        elif kind == 3:
            self.cur = payload
            self.stacks.setdefault(payload, [])
        elif kind in (4, 5, 7):
            self.notes.add({4: "signal", 5: "orphan", 7: "lost"}[kind])
        elif kind in (6, 8):
            self.end_all()
            if kind == 6:
                self.notes.add("gap")
        elif kind in (9, 10):
            self.out("E %d %d" % (2 if kind == 9 else 4, payload))


class Process:
    def __init__(self, f, images):
        self.file, self.rank, self.ranges, self.images, self.numbers = f, -1, [], [], {}
        self.keys, self.clock, self.shapes = [], {}, []
        for c in f.chunks:
            if c.kind == 1:
                self.read_meta(c.data, images)
        self.streams = []
        for c in sorted((c for c in f.chunks if c.kind == 2), key=lambda c: c.stream):
            if struct.unpack_from("<QII", c.payload, 0)[0::2] != (0, 0):
                self.streams.append(Stream(f, c))

    def read_meta(self, data, images):
        at = 0
        while at + 8 <= len(data):
            kind, length = struct.unpack_from("<II", data, at)
            body = data[at + 8:at + 8 + length]
            at = (at + 8 + length + 7) // 8 * 8
            if kind == 14:
                numbers = struct.unpack_from("<%dI" % (length // 4), body)
                self.numbers = {number: own for own, number in enumerate(numbers)}
            elif kind == 16:
                *clock, when, same = struct.unpack_from("<QqQII", body)
                self.clock[when] = (*clock, same)
            elif kind == 18:
                self.read_shape(body)
            elif kind == 10:
                self.rank = struct.unpack_from("<I", body)[0]
            elif kind == 6:
                _, first, count, _, bias, key = struct.unpack_from("<4IQQ", body)
                path = body[56:].split(b"\0")[0]
                base = path.rsplit(b"/", 1)[-1] or path
                image = images.get(key)
                self.images.append((bias, plain(image and image.soname or base)))
                self.keys.append(key)
                if not any(a < first + count and first < a + n for a, n, _, _ in self.ranges):
                    self.ranges.append((first, count, image, base))

    def read_shape(self, body):
        if len(body) < 24:
            return
        address, element, rank, flags = struct.unpack_from("<QIII", body)
        if not element or rank > 15 or len(body) < 24 + 16 * rank:
            return
        v = struct.unpack_from("<%dq" % (2 * rank), body, 24)
        bounds, size = list(zip(v[::2], v[1::2])), element
        for low, extent in bounds:
            size *= extent
            if extent < 1 or abs(low) > 2 ** 62 or size > 2 ** 48:
                return
        self.shapes.append("0x%x %d %s" % (address, element, "last" if flags & 1 else "first") +
                           "".join(" %d:%d" % b for b in bounds))

    def clocks(self):
        """Measurements in order; a second one that is not later is ignored."""
        found = [self.clock[when] for when in sorted(self.clock)]
        if len(found) == 2 and found[1][0] <= found[0][0]:
            del found[1]
        same = all(c[3] for c in found)
        return [(*c[:3], same) for c in found]

    def name_of(self, i):
        for first, count, image, base in self.ranges:
            if first <= i < first + count and image and image.entry(i - first) is not None:
                return image.name_of(image.entry(i - first), base)
        return "?%d" % i


class Image:
    def __init__(self, payload):
        self.payload = payload
        self.key, self.count, self.funcs, self.names, self.names_len, left_out = struct.unpack_from(
            "<QIIIII", payload)
        before = [struct.unpack_from("<I", payload, self.funcs + 32 * i + 28)[0] if left_out else 0
                  for i in range(self.count)]
        self.entries = {i + n: i for i, n in enumerate(before)}
        self.soname = payload[56:120].split(b"\0")[0]

    def entry(self, function):
        """Index in the table; None: the function is left out, or does not exist."""
        return self.entries.get(function)

    def name_of(self, i, base):
        addr, _, name = struct.unpack_from("<QII", self.payload, self.funcs + 32 * i)
        soname, text = plain(self.soname or base), b""
        if name < self.names_len:
            text = self.payload[self.names + name:self.names + self.names_len].split(b"\0")[0]
        return soname + "!" + plain(text) if text else soname + "+0x%x" % addr


def plain(raw):
    """A name for output: control characters become '?'."""
    return safe(bytes(0x3F if b < 32 or b == 0x7F else b for b in raw))


def safe(raw):
    return "".join("\\x%02x" % b if b < 32 or b in (0x7F, 0x5C) else chr(b) for b in raw)


def dump_sources(processes, sources, out):
    done = set()
    for p in processes:
        for key, (_, name) in zip(p.keys, p.images):
            if sources.get(key) and key not in done:
                done.add(key)
                sources[key].dump(name, plain, out)


def source_of(chunks):
    source = None
    for c in chunks:
        if c.kind == 10 and not source:
            source = Source(c.data)
        if c.kind == 77 and source and not source.calls:
            source.read_inlined(c.data)
    return source


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: spec_decoder.py DIRECTORY")
    files = []
    for name in sorted(os.listdir(sys.argv[1])):
        if name.endswith(".bob"):
            with open(os.path.join(sys.argv[1], name), "rb") as f:
                files.append(File(name, f.read()))
    inner = [i for f in files if f.kind == 4 for i in f.inner_files()]
    outside = {f.name for f in files if f.kind == 1}
    inner = [f for f in inner if f.state or f.name not in outside]  # else it was still running
    names = {f.name for f in inner}
    files = [f for f in files if f.kind != 1 or f.name not in names] + inner
    images, sources = {}, {}
    for f in files:
        for c in f.chunks:
            if f.kind == 2 and c.kind == 4:
                image = Image(c.data)
                if image.key not in images:
                    images[image.key] = image
                    sources[image.key] = source_of(f.chunks)
    processes = [Process(f, images) for f in files if f.kind == 1]
    processes.sort(key=lambda p: (p.rank, p.file.real, p.file.mono, p.file.name))
    sys.stdout.reconfigure(encoding="latin-1")
    timed = []
    for i, p in enumerate(processes):
        values = Values(p.file, p.images, p.numbers)
        timed.append((values, [s.number for s in p.streams]))
        memory = Memory(p.file, p.images, p.numbers)
        for k, s in enumerate(p.streams):
            print("thread %d.%d" % (i, k))
            s.dump(p, print)
            memory.dump(s.number, print)
            values.dump(s.number, print)
            values.dump_moments(s.number, print)
        memory.check_syncs([s.number for s in p.streams])
    for i, p in enumerate(processes):
        for shape in p.shapes:
            print("shape %d %s" % (i, shape))
    for i, p in enumerate(processes):
        for at, offset, uncertainty, same in p.clocks():
            print("clock %d %d %d %d%s" % (i, at, offset, uncertainty, " same" if same else ""))
    dump_times(timed, print)
    dump_sets(processes, safe, print)
    dump_sources(processes, sources, print)


if __name__ == "__main__":
    main()
