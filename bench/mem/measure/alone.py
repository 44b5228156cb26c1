# SPDX-License-Identifier: BSD-3-Clause
"""The size of each thread's trace alone: its records folded and packed with the descriptors that
they name, as by bobbin merge if there was no other thread. While a program runs, the records of its
threads are in raw buffers that outlive a kill -9. Those of threads that are alive at the end stay
there until they are merged, so the file does not have the folded size of a thread's records."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from spec_bytes import crc32c  # noqa: E402

HEAD = struct.Struct("<IHHIIQQQI20x")   # docs/format.md, Chunks
STREAM, PAD, OF_A_STREAM = 2, 7, (2, 16, 17, 18, 19)


def chunks(data):
    """(offset, head) of each."""
    at = 4096
    while at + HEAD.size <= len(data):
        head = HEAD.unpack_from(data, at)
        if head[0] != 0x4B4E4843:
            return
        yield at, head
        at = (at + HEAD.size + head[5] + 63) // 64 * 64


def only(data, number):
    """The process without its other threads: their chunks become unused space."""
    out = bytearray(data)
    for at, (magic, kind, _, stream, _, size, aux, _, _) in chunks(data):
        if kind in OF_A_STREAM and stream != number:
            struct.pack_into("<H", out, at + 4, PAD)
            struct.pack_into("<I", out, at + 40,
                             crc32c(struct.pack("<IHIQQ", magic, PAD, stream, size, aux)))
    return out


def sizes(bobbin, trace, work):
    """stream_bytes of each thread of the one process in `trace`."""
    (path,) = pathlib.Path(trace).glob("p*.bob")
    data, found = path.read_bytes(), []
    folder = os.path.join(work, "alone")
    for number in sorted(head[3] for _, head in chunks(data) if head[1] == STREAM):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        pathlib.Path(folder, path.name).write_bytes(only(data, number))
        subprocess.run([bobbin, "merge", "-q", folder], check=True)
        out = subprocess.run([bobbin, "info", "--json", folder], capture_output=True,
                             check=True).stdout
        found.append(json.loads(out)["stream_bytes"])
    shutil.rmtree(folder, ignore_errors=True)
    return found
