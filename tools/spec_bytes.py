# SPDX-License-Identifier: BSD-3-Clause
"""Integers and checksums, for spec_decoder.py and its parts."""

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


class Bad(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u8(self):
        if self.at >= len(self.data):
            raise Bad
        self.at += 1
        return self.data[self.at - 1]

    def n(self):
        value = shift = 0
        while True:
            b = self.u8()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                break
            if shift > 63:
                raise Bad
        if value > M64:
            raise Bad
        return value

    def s(self):
        v = self.n()
        return v >> 1 ^ -(v & 1)


def make_crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


CRC_TABLE = make_crc_table()


def crc32c(data):
    crc = M32
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ M32
