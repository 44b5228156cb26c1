#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of the fuzz target trace: the files of a trace directory in one file (trace_blob.h).

  trace_corpus.py pack DIRECTORY FILE      a trace becomes an input
  trace_corpus.py unpack FILE DIRECTORY    an input, such as a crash, becomes a trace that bobbin
                                           reads
  trace_corpus.py make BOBBIN DIRECTORY    record small programs and pack them: a new corpus

`make` writes one input for each kind of trace, and says what it leaves out because this machine
has no MPI or the build no engine for it."""
import glob
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

HEAD, NAME = 256, 60
MOST = 64 << 10  # bytes of an input
# All of it, since traces have some of it. Open MPI: also for root, and more ranks than processors.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "prog", "fuzz")
GOLDEN = os.path.join(HERE, "..", "golden")


def fail(text):
    sys.exit("trace_corpus.py: " + text)


# --- chunks: what was allocated and never used is left out ---

CHUNK, SEALED, FOLD = "<IHHIIQQQI20s", 1, 16
SPARE = 192  # bytes that stay


def crc32c(data):
    c = 0xFFFFFFFF
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def chunks_at(data):
    """Where a file's chunks begin, whatever its head says."""
    at = int.from_bytes(data[16:20], "little")
    return at if at % HEAD == 0 and HEAD <= at <= 4096 else 4096


def trim(data):
    """The file with shorter record buffers: zeros at the end of chunks that are not sealed."""
    at, moved, folds = chunks_at(data), {}, []
    out = bytearray(data[:at])
    (used,) = struct.unpack_from("<Q", data, 136)
    while at + 64 <= min(used, len(data)):
        magic, kind, flags, stream, crc, size, aux, length, _, rest = struct.unpack_from(CHUNK,
                                                                                         data, at)
        if magic != 0x4B4E4843:
            return data
        payload = data[at + 64 : at + 64 + size]
        moved[at] = len(out)
        at += 64 + (size + 63) // 64 * 64
        if not flags & SEALED and length <= size:
            keep = max(len(payload.rstrip(b"\0")), length) + SPARE
            payload = payload[: (keep + 63) // 64 * 64]
        if kind == FOLD:
            folds.append(len(out) + 64)
        head = struct.pack("<IHIQQ", magic, kind, stream, len(payload), aux)
        length = len(payload) if length == size else length
        out += struct.pack(CHUNK, magic, kind, flags, stream, crc, len(payload), aux, length,
                           crc32c(head), rest)
        out += payload.ljust((len(payload) + 63) // 64 * 64, b"\0")
    for fold in folds:
        for field in (fold + 8, fold + 16):
            (off,) = struct.unpack_from("<Q", out, field)
            struct.pack_into("<Q", out, field, moved.get(off, off))
    struct.pack_into("<Q", out, 136, len(out))
    return bytes(out)


# --- blobs ---


def pack(directory, path):
    with open(path, "wb") as to:
        for name in sorted(os.listdir(directory)):
            if not name.endswith(".bob"):
                continue
            with open(os.path.join(directory, name), "rb") as f:
                data = f.read()
            chunks = chunks_at(data)
            if any(data[HEAD:chunks]):
                fail(name + ": a file head that a blob cannot hold")
            data = trim(data)
            data = data[:HEAD] + data[chunks:]
            to.write(struct.pack("<I", len(data)) + name.encode().ljust(NAME, b"\0") + data)


def unpack(path, directory):
    os.makedirs(directory, exist_ok=True)
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while len(data) - at > 4 + NAME:
        (size,) = struct.unpack_from("<I", data, at)
        name = data[at + 4 : at + 4 + NAME].split(b"\0")[0].decode("latin1").replace("/", "_")
        body = data[at + 4 + NAME : at + 4 + NAME + size]
        if len(body) > HEAD:
            body = body[:HEAD] + bytes(chunks_at(body) - HEAD) + body[HEAD:]
        with open(os.path.join(directory, name), "wb") as f:
            f.write(body)
        at += 4 + NAME + size


# --- recording ---


class Maker:
    def __init__(self, bobbin, to):
        self.to = to
        # traces have paths: always the same ones
        self.dir = os.path.join(tempfile.gettempdir(), "bobbin-corpus")
        os.mkdir(self.dir)
        for part in ("bin", "lib"):
            built = os.path.join(os.path.dirname(os.path.abspath(bobbin)), "..", part)
            shutil.copytree(built, os.path.join(self.dir, "build", part), symlinks=True)
        self.bobbin = os.path.join(self.dir, "build", "bin", "bobbin")
        os.makedirs(to, exist_ok=True)

    def run(self, command):
        try:
            r = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=120,
                               env=ENVIRONMENT)
        except OSError as e:
            return str(e)
        return None if r.returncode in (0, -signal.SIGKILL,
                                        128 + signal.SIGKILL) else r.stderr or str(r.returncode)

    def build(self, name, compiler="cc"):
        shutil.copy(os.path.join(PROGRAMS, name + ".c"), self.dir)
        include = os.path.join(HERE, "..", "..", "include")
        why = self.run([compiler, "-O1", "-g", "-pthread", "-I" + include, "-o", name, name + ".c"])
        if why:
            print(f"{name}: {why}")

    def record(self, name, options, program, before=(), after=()):
        """`before`: words before the recorder, such as those of mpirun. `after`: verbs on the
        trace."""
        trace = os.path.join(self.dir, name + ".trace")
        words = [*before, self.bobbin, "record", *options, "-o", trace, "--", *program]
        why = self.run(words)
        for verb in after:
            why = why or self.run([self.bobbin, verb, trace])
        self.put(name, trace, why)

    def put(self, name, trace, why=None):
        if why or not os.path.isdir(trace):
            print(f"{name}: left out: {(why or 'no trace').strip().splitlines()[-1]}")
            return
        path = os.path.join(self.to, name)
        pack(trace, path)
        size = os.path.getsize(path)
        print(f"{name}: {size} bytes")
        if size > MOST:
            os.remove(path)
            print(f"{name}: left out: too large")


def make(bobbin, to):
    m = Maker(bobbin, to)
    try:
        for name in ("calls", "memory", "inlined", "threads", "events", "killed"):
            m.build(name)
        for name in ("mpi", "spawn"):
            m.build(name, "mpicc.openmpi")
        record_all(m)
    finally:
        shutil.rmtree(m.dir)
    for trace in sorted(glob.glob(os.path.join(GOLDEN, "v*", "*", ""))):
        version, name = trace.split(os.sep)[-3:-1]
        if sum(os.path.getsize(e.path) for e in os.scandir(trace)) < 15000:
            m.put("golden_" + (version + "_" if version != "v1" else "") + name.replace("-", "_"),
                  trace)


def record_all(m):
    mpi = ["--mpi", "-q"]
    one, two = ["mpirun.openmpi", "-n", "1"], ["mpirun.openmpi", "-n", "2"]
    m.record("calls", [], ["./calls"])
    m.record("calls_killed", [], ["./killed"])
    m.record("memory", ["--mem"], ["./memory"])
    m.record("inlined", ["--mem"], ["./inlined"])
    m.record("memory_threads", ["--mem"], ["./threads"])
    m.record("memory_killed", ["--mem"], ["./killed"])
    m.record("events", ["--events"], ["./events"])
    m.record("events_calls", ["--events", "--calls"], ["./events"])
    m.record("mpi_one", mpi, ["./mpi"], one)
    m.record("mpi_two", mpi, ["./mpi"], two)
    m.record("mpi_flat", [*mpi, "--mpi-level=flat"], ["./mpi"], two)
    m.record("mpi_calls", [*mpi, "--calls", "--images=main"], ["./mpi"], one)
    m.record("mpi_memory", [*mpi, "--mem"], ["./mpi"], two)
    m.record("mpi_exact", [*mpi, "--time=exact:mpi"], ["./mpi"], two)
    m.record("mpi_flush", [*mpi, "--flush-every=MPI_Waitall/2,all"], ["./mpi"], two)
    m.record("mpi_spawn", mpi, ["./spawn"], one)
    with open(os.path.join(m.dir, "commands"), "w") as f:
        f.write("trace file memory.c\ntrace variable a\ntrace variable order[3..9]\n")
    compiler = ["cc", "-O1", "-o", "source", "memory.c"]
    why = m.run([m.bobbin, "instrument", "--compile", "commands", "--", *compiler])
    m.record("source", ["--source"], ["./source"]) if not why else print("source:", why)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack", "make"):
        fail("pack DIRECTORY FILE | unpack FILE DIRECTORY | make BOBBIN DIRECTORY")
    {"pack": pack, "unpack": unpack, "make": make}[sys.argv[1]](*sys.argv[2:])
