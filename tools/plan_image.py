# SPDX-License-Identifier: BSD-3-Clause
"""Where control may enter the code of an ELF image: an independent reading for check_plans.py.

Written from the ELF, LSB (.eh_frame, .gcc_except_table), DWARF (call frame instructions), SystemTap
(.note.stapsdt), XRay and rseq specifications, not from src/plan. Nothing here decodes code, but for
the few byte patterns that may move the stack pointer before a row of frame information.
"""
import bisect
import mmap
import os
import struct

OMIT = 0xFF
FIXED = {0: "<Q", 2: "<H", 3: "<I", 4: "<Q", 10: "<h", 11: "<i", 12: "<q"}
LENGTH = {0: 8, 2: 2, 3: 4, 4: 8, 10: 2, 11: 4, 12: 8}
SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM, SHT_RELR = 2, 4, 7, 8, 11, 19
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_IFUNC = 0, 1, 2, 10
R_64, R_GLOB_DAT, R_JUMP_SLOT, R_RELATIVE, R_IRELATIVE = 1, 6, 7, 8, 37

# Personality routines whose tables have the form of .gcc_except_table.
KNOWN = {
    b"__gxx_personality_v0", b"__gcc_personality_v0", b"__gnat_personality_v0",
    b"__gnat_eh_personality", b"__objc_personality_v0", b"__gnu_objc_personality_v0",
    b"__gnustep_objc_personality_v0", b"__gnustep_objcxx_personality_v0",
    b"__gdc_personality_v0", b"_d_eh_personality", b"__dmd_personality_v0",
    b"__gccgo_personality_v0", b"__gcj_personality_v0",
}


class Damaged(Exception):
    pass


class Section:
    __slots__ = ("name", "type", "flags", "addr", "off", "size", "link", "entsize")


def uleb(b, p):
    value = shift = 0
    while True:
        c = b[p]
        p += 1
        value |= (c & 127) << shift
        if c < 128:
            return value, p
        shift += 7


def sleb(b, p):
    value = shift = 0
    while True:
        c = b[p]
        p += 1
        value |= (c & 127) << shift
        shift += 7
        if c < 128:
            return (value - (1 << shift) if c & 64 else value), p


def number(b, p, enc):
    """A value without its base."""
    form = enc & 15
    if form == 1:
        return uleb(b, p)
    if form == 9:
        return sleb(b, p)
    if form not in FIXED:
        raise Damaged(f"pointer encoding {enc:#x}")
    return struct.unpack_from(FIXED[form], b, p)[0], p + LENGTH[form]


class Common:
    """A CIE."""

    def __init__(self):
        self.fde_enc, self.lsda_enc = 0, OMIT
        self.personality = None  # (encoding, address)
        self.signal = self.augmented = False
        self.code_align, self.data_align, self.program = 1, 1, (0, 0)


class Frame:
    __slots__ = ("lo", "hi", "lsda", "cie", "program")

    def __init__(self, lo, hi, lsda, cie, program):
        self.lo, self.hi, self.lsda, self.cie, self.program = lo, hi, lsda, cie, program


class Image:
    def __init__(self, path):
        with open(path, "rb") as f:
            if os.fstat(f.fileno()).st_size < 64:
                raise Damaged("no ELF file")
            self.b = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        self.read_headers()
        self.read_symbols()
        self.read_relocations()
        self.frames, self.pads, self.untold = [], [], []
        self.read_frames()
        self.read_tables()
        self.frames.sort(key=lambda f: f.lo)
        self.frame_starts = [f.lo for f in self.frames]

    # --- the file

    def read_headers(self):
        b = self.b
        (self.kind,) = struct.unpack_from("<H", b, 16)
        phoff, shoff = struct.unpack_from("<QQ", b, 32)
        phsize, phnum, shsize, shnum, strndx = struct.unpack_from("<HHHHH", b, 54)
        self.segments, self.sections = [], []
        self.hdr = None
        for i in range(phnum):
            kind, flags, off, addr, _, size = struct.unpack_from("<IIQQQQ", b, phoff + i * phsize)
            if kind == 1:
                self.segments.append((addr, addr + size, off, flags))
            elif kind == 0x6474E550:
                self.hdr = addr
        if shoff and shnum:
            names = struct.unpack_from("<Q", b, shoff + strndx * shsize + 24)[0]
            for i in range(shnum):
                s = Section()
                (name, s.type, s.flags, s.addr, s.off, s.size, s.link, _, _, s.entsize) = \
                    struct.unpack_from("<IIQQQQIIQQ", b, shoff + i * shsize)
                s.name = self.text(names + name)
                self.sections.append(s)
        self.codes = sorted((s.addr, s.addr + s.size) for s in self.sections
                            if s.flags & 4 and s.type != SHT_NOBITS)
        if not self.codes:
            self.codes = sorted((s[0], s[1]) for s in self.segments if s[3] & 1)
        self.code_starts = [c[0] for c in self.codes]

    def text(self, off):
        return self.b[off:self.b.find(b"\0", off)]

    def named(self, name):
        return [s for s in self.sections if s.name == name and s.type != SHT_NOBITS]

    def off(self, addr):
        for lo, hi, off, _ in self.segments:
            if lo <= addr < hi:
                return off + addr - lo
        raise Damaged(f"address {addr:x} is not in the file")

    def in_code(self, addr):
        i = bisect.bisect_right(self.code_starts, addr) - 1
        return i >= 0 and addr < self.codes[i][1]

    # --- symbols and relocations

    def read_symbols(self):
        self.symbols, self.name_at, self.dynamic, self.objects = [], {}, [], []
        for s in self.sections:
            if s.type not in (SHT_SYMTAB, SHT_DYNSYM):
                continue
            names = self.sections[s.link].off
            data = self.b[s.off:s.off + s.size // 24 * 24]
            for name, info, _, shndx, value, size in struct.iter_unpack("<IBBHQQ", data):
                if s.type == SHT_DYNSYM:
                    self.dynamic.append((names + name, value, shndx))
                kind = info & 15
                if kind == STT_OBJECT and 0 < shndx < 0xFF00 and self.in_code(value):
                    self.objects.append((value, value + size))
                if kind not in (STT_NOTYPE, STT_FUNC, STT_IFUNC) or not self.in_code(value):
                    continue
                if kind == STT_FUNC:
                    self.name_at.setdefault(value, names + name)
                if 0 < shndx < 0xFF00:
                    self.symbols.append(value)

    def read_relocations(self):
        self.pointers, self.slots, self.values = [], {}, {}
        for s in self.sections:
            if not s.flags & 2 or s.type == SHT_NOBITS:
                continue
            if s.type == SHT_RELA:
                self.read_rela(self.b[s.off:s.off + s.size // 24 * 24])
            elif s.type == SHT_RELR:
                self.read_relr(s)
            elif s.name.startswith((b".init_array", b".fini_array", b".preinit_array")):
                self.pointers += [v for (v,) in
                                  struct.iter_unpack("<Q", self.b[s.off:s.off + s.size // 8 * 8])]

    def read_rela(self, data):
        for at, info, addend in struct.iter_unpack("<QQq", data):
            kind = info & 0xFFFFFFFF
            if kind in (R_RELATIVE, R_IRELATIVE):
                self.values[at] = addend
                self.pointers.append(addend)
            elif kind in (R_64, R_GLOB_DAT, R_JUMP_SLOT):
                if info >> 32 >= len(self.dynamic):
                    continue
                name, value, shndx = self.dynamic[info >> 32]
                self.slots[at] = name
                if 0 < shndx < 0xFF00 and kind == R_64:
                    self.pointers.append(value + addend)

    def word(self, addr):
        return self.values.get(addr) or struct.unpack_from("<Q", self.b, self.off(addr))[0]

    def read_relr(self, s):
        at = 0
        for (entry,) in struct.iter_unpack("<Q", self.b[s.off:s.off + s.size // 8 * 8]):
            if entry & 1:
                for bit in range(63):
                    if entry >> (bit + 1) & 1:
                        self.pointers.append(self.word(at + 8 * bit))
                at += 63 * 8
            else:
                self.pointers.append(self.word(entry))
                at = entry + 8

    # --- call frame information

    def read_frames(self):
        b, cies = self.b, {}
        for s in self.named(b".eh_frame"):
            p, end, delta = s.off, s.off + s.size, s.addr - s.off
            while p + 4 <= end:
                (length,) = struct.unpack_from("<I", b, p)
                p += 4
                if length == 0:
                    continue
                if length == 0xFFFFFFFF:
                    raise Damaged("64-bit frame information")
                stop = p + length
                if stop > end:
                    raise Damaged("frame information runs out of its section")
                (back,) = struct.unpack_from("<I", b, p)
                if back:
                    start = p - back
                    cie = cies.get(start)
                    if cie is None:
                        cie = cies[start] = self.read_cie(start)
                    self.read_fde(cie, p + 4, stop, delta)
                p = stop

    def read_cie(self, start):
        b, c = self.b, Common()
        length, mark = struct.unpack_from("<II", b, start)
        if mark:
            raise Damaged("frame information refers to no common entry")
        stop, p = start + 4 + length, start + 8
        version = b[p]
        augmentation = self.text(p + 1)
        p += 2 + len(augmentation)
        if version == 4:
            p += 2
        c.code_align, p = uleb(b, p)
        c.data_align, p = sleb(b, p)
        _, p = (b[p], p + 1) if version == 1 else uleb(b, p)
        if augmentation[:1] == b"z":
            c.augmented = True
            length, p = uleb(b, p)
            q, p = p, p + length
            for letter in augmentation[1:]:
                if letter == ord("R"):
                    c.fde_enc, q = b[q], q + 1
                elif letter == ord("L"):
                    c.lsda_enc, q = b[q], q + 1
                elif letter == ord("P"):
                    c.personality, q = self.read_personality(q)
                elif letter == ord("S"):
                    c.signal = True
                elif letter != ord("B"):
                    raise Damaged(f"augmentation {augmentation}")
        elif augmentation:
            raise Damaged(f"augmentation {augmentation}")
        c.program = (p, stop)
        return c

    def read_personality(self, q):
        enc = self.b[q]
        at = q + 1
        value, q = number(self.b, at, enc)
        if enc & 0x70 == 0x10:
            value += self.addr(at)
        return (enc, value & 0xFFFFFFFFFFFFFFFF), q

    def addr(self, off):
        for lo, hi, at, _ in self.segments:
            if at <= off < at + hi - lo:
                return lo + off - at
        raise Damaged("offset outside of the segments")

    def read_fde(self, c, p, stop, delta):
        b = self.b
        if c.fde_enc == 0x1B:
            lo, size = struct.unpack_from("<iI", b, p)
            lo += p + delta
            p += 8
        else:
            at = p
            lo, p = number(b, p, c.fde_enc)
            if c.fde_enc & 0x70 == 0x10:
                lo += at + delta
            size, p = number(b, p, c.fde_enc & 15)
        lsda = 0
        if c.augmented:
            length, p = uleb(b, p)
            if c.lsda_enc != OMIT and length:
                value, _ = number(b, p, c.lsda_enc)
                if value:
                    lsda = value + (p + delta if c.lsda_enc & 0x70 == 0x10 else 0)
            p += length
        if size and self.in_code(lo):
            self.frames.append(Frame(lo, lo + size, lsda, c, (p, stop)))

    # --- exception tables

    def is_known(self, cie):
        """Whether the table has the common form. A stripped program's own routine has no name."""
        if cie.personality is None:
            return True
        enc, value = cie.personality
        if enc & 0x80:
            if value in self.slots:
                return self.is_known_name(self.text(self.slots[value]))
            value = self.word(value)
        if value in self.name_at:
            return self.is_known_name(self.text(self.name_at[value]))
        return self.in_code(value)

    @staticmethod
    def is_known_name(name):
        return name.split(b"@")[0] in KNOWN or name.endswith(b"rust_eh_personality")

    def read_tables(self):
        known = {}
        for f in self.frames:
            if not f.lsda or f.cie.personality is None:
                continue
            if f.cie not in known:
                known[f.cie] = self.is_known(f.cie)
            if not known[f.cie]:
                self.untold.append((f.lo, f.hi))
                continue
            try:
                self.read_table(f)
            except (Damaged, IndexError, struct.error):
                self.untold.append((f.lo, f.hi))

    def read_table(self, f):
        b = self.b
        p = self.off(f.lsda)
        delta = f.lsda - p
        enc = b[p]
        p += 1
        base = f.lo
        if enc != OMIT:
            at = p
            base, p = number(b, p, enc)
            if enc & 0x70 == 0x10:
                base += at + delta
        p += 1
        if b[p - 1] != OMIT:
            _, p = uleb(b, p)
        enc = b[p]
        length, p = uleb(b, p + 1)
        end = p + length
        if end > len(b):
            raise Damaged("call site table")
        if enc != 1:
            while p < end:
                _, p = number(b, p, enc)
                _, p = number(b, p, enc)
                pad, p = number(b, p, enc)
                _, p = uleb(b, p)
                if pad:
                    self.pads.append(base + pad)
            return
        while p < end:
            for _ in range(2):
                while b[p] > 127:
                    p += 1
                p += 1
            pad = b[p]
            p += 1
            if pad > 127:
                pad, p = uleb(b, p - 1)
            while b[p] > 127:
                p += 1
            p += 1
            if pad:
                self.pads.append(base + pad)

    # --- queries

    def entries(self):
        """Addresses at which control may enter, by kind."""
        yield "landing pad", self.pads
        yield "start of frame information", self.frame_starts
        yield "symbol", self.symbols
        yield "relocation", self.pointers
        yield "abort of a restartable sequence", [abort for _, _, abort in self.sequences()]

    def sites(self):
        """Spans of code that must stay as they are, by kind."""
        yield "exception table that cannot be read", self.untold
        yield "signal return", [(f.lo, f.hi) for f in self.frames if f.cie.signal]
        yield "restartable sequence", [(lo, hi) for lo, hi, _ in self.sequences()]
        yield "signature of a restartable sequence", [(a - 4, a) for _, _, a in self.sequences()]
        yield "USDT probe", [(pc, pc + 1) for pc in self.probes()]
        yield "XRay sled", list(self.sleds())
        yield "patchable entry", list(self.patchable())
        yield "data", self.objects

    def sequences(self):
        """(start, end, abort) of __rseq_cs."""
        for s in self.named(b"__rseq_cs"):
            for at in range((s.addr + 31) & ~31, s.addr + s.size - 31, 32):
                start, size, abort = (self.values.get(a) if a in self.values else
                                      struct.unpack_from("<Q", self.b, self.off(a))[0]
                                      for a in (at + 8, at + 16, at + 24))
                yield start, start + size, abort

    def probes(self):
        base = [s.addr for s in self.named(b".stapsdt.base")]
        for s in self.named(b".note.stapsdt"):
            p, end = s.off, s.off + s.size
            while p + 12 <= end:
                name, desc, kind = struct.unpack_from("<III", self.b, p)
                p += 12 + (name + 3 & ~3)
                if kind == 3 and desc >= 24:
                    pc, was, _ = struct.unpack_from("<QQQ", self.b, p)
                    yield pc + (base[0] - was if base and was else 0)
                p += desc + 3 & ~3

    def sleds(self):
        for s in self.named(b"xray_instr_map"):
            for at in range(s.addr, s.addr + s.size - 31, 32):
                off = self.off(at)
                place = struct.unpack_from("<q", self.b, off)[0]
                version = self.b[off + 18]
                addr = at + place if version >= 2 else self.values.get(at, place)
                if not self.in_code(addr):
                    continue
                code = self.off(addr)
                jump = self.b[code] == 0xEB
                yield addr, addr + (2 + self.b[code + 1] if jump else 11)

    def patchable(self):
        for s in self.named(b"__patchable_function_entries"):
            for at in range(s.addr, s.addr + s.size - 7, 8):
                lo = self.values.get(at) or struct.unpack_from("<Q", self.b, self.off(at))[0]
                if self.in_code(lo):
                    hi = lo
                    if self.b[self.off(lo):self.off(lo) + 4] == b"\xf3\x0f\x1e\xfa":
                        hi += 4
                    while self.in_code(hi) and self.b[self.off(hi)] == 0x90:
                        hi += 1
                    yield lo, hi

    # --- rows

    def rows_within(self, lo, hi):
        """Starts of rows strictly inside [lo, hi) that the bytes before them do not explain."""
        i = bisect.bisect_right(self.frame_starts, lo) - 1
        if i < 0 or lo >= self.frames[i].hi:
            return
        f = self.frames[i]
        before = None
        for at, cfa in self.rows(f, hi):
            if before and cfa != before and lo < at < hi and \
               not self.explains(self.b[self.off(f.lo):self.off(at)], before, cfa):
                yield at
            before = cfa

    def rows(self, f, limit):
        """(address, (register, offset)) of the rows of f that begin before `limit`."""
        state, saved = [None, 0], []
        for _ in self.run(f.cie, f.cie.program, f.lo, state, saved):
            pass
        for at in self.run(f.cie, f.program, f.lo, state, saved):
            yield at, tuple(state)
            if at >= limit:
                return

    def run(self, cie, program, loc, state, saved):
        """Runs call frame instructions; yields the location whenever the state holds for it."""
        b, (p, end) = self.b, program
        while p < end:
            op = b[p]
            p += 1
            high = op >> 6
            if high == 1 or op in (1, 2, 3, 4):
                yield loc
                if op == 1:
                    return  # set_loc: no toolchain generates it
                size = {2: 1, 3: 2, 4: 4}.get(op, 0) if high == 0 else 0
                step = int.from_bytes(b[p:p + size], "little") if size else op & 63
                loc += step * cie.code_align
                p += size
            elif high == 2:
                _, p = uleb(b, p)
            elif high == 3 or op == 0:
                pass
            elif op == 0x0C:
                state[0], p = uleb(b, p)
                state[1], p = uleb(b, p)
            elif op == 0x0D:
                state[0], p = uleb(b, p)
            elif op == 0x0E:
                state[1], p = uleb(b, p)
            elif op == 0x0F:
                n, p = uleb(b, p)
                state[0] = "expression"
                p += n
            elif op == 0x0A:
                saved.append(list(state))
            elif op == 0x0B:
                if not saved:
                    return
                state[:] = saved.pop()
            elif op in (0x06, 0x07, 0x08, 0x2E):
                _, p = uleb(b, p)
            elif op in (0x05, 0x09, 0x14, 0x2F):
                _, p = uleb(b, p)
                _, p = uleb(b, p)
            elif op in (0x10, 0x16):
                _, p = uleb(b, p)
                n, p = uleb(b, p)
                p += n
            elif op == 0x11 or op == 0x15:
                _, p = uleb(b, p)
                _, p = sleb(b, p)
            else:
                return
        yield loc

    @staticmethod
    def explains(code, before, after):
        """Whether the last instruction of `code` may lead from one CFA to the other."""
        if before[0] != after[0] or before[0] != 7:
            return True  # another register: its value is not tracked here
        grown = after[1] - before[1]
        if grown == 8 and (0x50 <= code[-1] <= 0x57 or code[-1] == 0x9C or code[-2:-1] == b"\x6a" or
                           code[-5:-4] == b"\x68" or b"\xff" in code[-8:-1]):
            return True
        if grown == -8 and 0x58 <= code[-1] <= 0x5F:
            return True
        if -128 <= -grown < 128 and (
                code[-4:] == b"\x48\x83\xec" + (grown & 255).to_bytes(1, "little") or
                code[-4:] == b"\x48\x83\xc4" + (-grown & 255).to_bytes(1, "little") or
                code[-5:] == b"\x48\x8d\x64\x24" + (-grown & 255).to_bytes(1, "little")):
            return True
        wide = (grown & 0xFFFFFFFF).to_bytes(4, "little")
        back = (-grown & 0xFFFFFFFF).to_bytes(4, "little")
        if code[-4:] in (wide, back):
            return True
        # Several pushes, and one row for all.
        return grown > 8 and grown % 8 == 0 and 0x50 <= code[-1] <= 0x57
