# SPDX-License-Identifier: BSD-3-Clause
"""Decode processes in a TRACE file: docs/format.md, "Processes in a TRACE file".

The part of spec_decoder.py that converts leaves of a packed sequence to the bytes of a process's
file."""
import struct

from spec_bytes import M32, M64, Bad, Reader, crc32c
from spec_fold import Packed, events_of

NAME, HOST, HEAD, CHUNK, RECORD, TEXT, ENDED, LINE, BYTES, ZEROS, IMAGE, STREAM = b"NOHCRUTLBZIS"


def text_of(form, words):
    words, text, at = list(words), b"", 0
    while at < len(form):
        if form[at] > 2:
            text += form[at:at + 1]
        elif form[at] == 2:
            at += 1
            text += form[at:at + 1]
        else:
            text += b"%x" % words.pop(0) if form[at] else b"%d" % words.pop(0)
        at += 1
    if words:
        raise Bad
    return text


class File:
    """Chunks are (kind, stream, aux, payload); the payload of META is rows of (kind, body)."""
    def __init__(self):
        self.name, self.host, self.head, self.chunks = b"", b"", None, []

    def leaf(self, key, words):
        leaf, number = key[0], None
        if leaf in (CHUNK, RECORD, BYTES):
            number = Reader(key[1:]).n()
        if leaf == NAME:
            self.name += text_of(key[1:], words)
        elif leaf == HOST:
            self.host = text_of(key[1:], words)
        elif leaf == HEAD:
            self.head = words
        elif leaf == CHUNK:
            self.end_record()
            self.chunks.append([number, words[0] & M32, words[1], b"", None])
        elif leaf == RECORD:
            self.end_record()
            self.chunks[-1][4] = number, len(self.chunks[-1][3])
        else:
            self.chunks[-1][3] += self.bytes_of(leaf, number, key, words)

    def bytes_of(self, leaf, number, key, words):
        words = list(words)
        if leaf in (TEXT, ENDED, LINE):
            return text_of(key[1:], words) + {TEXT: b"", ENDED: b"\0", LINE: b"\n"}[leaf]
        if leaf == ZEROS:
            return bytes(words[0])
        if leaf == IMAGE:
            words[2] = (words[2] << 12 | words[2] >> 52) & M64
        elif leaf == STREAM:
            pid, begin, end = self.head[2], self.times()[1], self.times()[2]
            words[:3] = [words[0] + pid & M64, words[1] + begin & M64, words[2] + end & M64]
        elif leaf != BYTES:
            raise Bad
        return struct.pack("<%dQ" % len(words), *words)[:number]

    def end_record(self):
        if self.chunks and self.chunks[-1][4]:
            c = self.chunks[-1]
            (kind, at), c[4] = c[4], None
            body = c[3][at:]
            c[3] = c[3][:at] + struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)

    def times(self):
        h = self.head
        begin = h[4] + h[5] & M64
        return h[4], begin, begin + h[12] & M64 if h[11] else 0

    def bytes(self):
        self.end_record()
        out = b"".join(self.chunk(*c[:4]) for c in self.chunks)
        h = self.head
        real, begin, end = self.times()
        b = b"\xffBOBBIN\n" + struct.pack("<6I2Q64s", h[0] & M32, h[0] >> 32, h[1] & M32, h[2],
                                         h[2] + h[3] & M32, h[1] >> 32, real, begin, self.host)
        b += struct.pack("<Q3I", h[6], h[7] & M32, h[7] >> 32, h[8])
        head = h[1] & M32
        b += struct.pack("<IQIIQ", crc32c(b) ^ h[9], head + len(out), h[10] & M32, h[10] >> 32, end)
        return b + bytes(head - len(b)) + out

    @staticmethod
    def chunk(kind, stream, aux, payload):
        n = len(payload)
        head = struct.pack("<IHIQQ", 0x4B4E4843, kind, stream, n, aux)
        b = struct.pack("<IHHIIQQQI20x", 0x4B4E4843, kind, 1, stream, crc32c(payload), n, aux, n,
                        crc32c(head)) + payload
        return b + bytes(-n % 64)


def inner_files(data):
    """(name, number, bytes) of each process in the payload of a chunk INNER."""
    packed = Packed(data, b"")
    for at in sorted({at for at, _ in packed.parts}):
        f = File()
        for _, key, words in events_of(packed.participant(at)):
            f.leaf(key, words)
        yield f.name.decode("latin-1"), at >> 32, f.bytes()
