#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of the fuzz target trace: the files of a trace directory in one file (tests/fuzz/trace_blob.h).

  trace_corpus.py pack DIRECTORY FILE      a trace becomes an input
  trace_corpus.py unpack FILE DIRECTORY    an input, such as a crash, becomes a trace that bobbin reads
  trace_corpus.py make BOBBIN DIRECTORY    record programs of tests/prog and pack them: a new corpus

`make` writes one input for each kind of trace, and says what it leaves out because this machine has no MPI or the
build no engine for it."""
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

HEAD, NAME, FILE_HEAD = 256, 60, 4096
MOST = 64 << 10  # bytes of an input
# All of it, since traces have some of it. Open MPI: also for root, and more ranks than processors.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "prog")
GOLDEN = os.path.join(HERE, "..", "golden", "v1")

CALLS = """
static int odd(int n); static int even(int n) { return n ? odd(n - 1) : 1; }
static int odd(int n) { return n ? even(n - 1) : 0; }
int main(void) { int s = 0; for (int i = 0; i < 20; i++) s += even(i % 3); return s < 0; }
"""
MEMORY = """
static double a[12][10]; static int order[16], n;
static void fill(int k) { for (int i = 0; i < 12 - k; i++) for (int j = 0; j < 10; j++) a[i][j] += a[j][i % 10] + k; }
int main(void) { for (int k = 0; k < 2; k++) fill(k);
  for (unsigned i = 0, x = 7; i < 16; i++) { x = x * 1103515245 + 12345; order[x >> 28] += (x & 64) ? n++ : 1; } return a[1][1] < 0; }
"""
# Two threads that take turns with a mutex.
THREADS = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int sum, part[2][8];
static void *work(void *p) { int *q = p; for (int i = 0; i < 8; i++) { q[i] += i; pthread_mutex_lock(&m); sum += q[i]; pthread_mutex_unlock(&m); } return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, part[0]); work(part[1]); pthread_join(t, 0); return sum < 0; }
"""
MPI = """
#include <mpi.h>
static double a[8], b[8];
int main(int argc, char **argv) { int r, n, to, from; MPI_Comm c; MPI_Request q[2]; MPI_Status s[2];
  MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);
  to = (r + 1) % n; from = (r + n - 1) % n;
  MPI_Comm_split(MPI_COMM_WORLD, r & 1, r, &c);
  for (int i = 0; i < 6; i++) { MPI_Irecv(b, 8, MPI_DOUBLE, from, i & 1, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(a, 1 + (i & 3), MPI_DOUBLE, to, i & 1, MPI_COMM_WORLD, &q[1]); MPI_Waitall(2, q, s); }
  MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, c); MPI_Bcast(a, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&c); MPI_Finalize(); return 0; }
"""
# Rank 0 starts one more process of the program.
SPAWN = """
#include <mpi.h>
int main(int argc, char **argv) { MPI_Comm p, c; double x = 1; MPI_Init(&argc, &argv); MPI_Comm_get_parent(&p);
  if (p == MPI_COMM_NULL) { MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c, MPI_ERRCODES_IGNORE);
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 3, c); MPI_Comm_disconnect(&c); }
  else { MPI_Recv(&x, 1, MPI_DOUBLE, 0, 3, p, MPI_STATUS_IGNORE); MPI_Comm_disconnect(&p); }
  MPI_Finalize(); return 0; }
"""
EVENTS = """
#include <bobbin/events.h>
static void step(int i, bob_event_id e) { static char *const names[] = { "even", "odd" };
  BOB_EVENT_BEGIN(e, bob_int(i), bob_text(names[i & 1])); BOB_EVENT_END(e, bob_real(i * 0.5)); }
int main(void) { bob_event_id e = bob_event_register("step", 0, "int n, string what -> double x");
  for (int i = 0; i < 9; i++) step(i, e);
  BOB_EVENT_BEGIN(e, bob_int(9), bob_text("left open")); return 0; }
"""
KILLED = """
#include <signal.h>
#include <unistd.h>
static volatile int v[64]; static void f(int i) { v[i & 63] += i; }
int main(void) { for (int i = 0; i < 200; i++) f(i); kill(getpid(), SIGKILL); return 0; }
"""


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


def trim(data):
    """The file with shorter rooms: zeros at the end of chunks that are not sealed."""
    out, at, moved, folds = bytearray(data[:FILE_HEAD]), FILE_HEAD, {}, []
    (used,) = struct.unpack_from("<Q", data, 136)
    while at + 64 <= min(used, len(data)):
        magic, kind, flags, stream, crc, size, aux, length, _, rest = struct.unpack_from(CHUNK, data, at)
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
        out += struct.pack(CHUNK, magic, kind, flags, stream, crc, len(payload), aux, length, crc32c(head), rest)
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
            if any(data[HEAD:FILE_HEAD]):
                fail(name + ": a file head that a blob cannot hold")
            data = trim(data)
            data = data[:HEAD] + data[FILE_HEAD:]
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
            body = body[:HEAD] + bytes(FILE_HEAD - HEAD) + body[HEAD:]
        with open(os.path.join(directory, name), "wb") as f:
            f.write(body)
        at += 4 + NAME + size


# --- recording ---


class Maker:
    def __init__(self, bobbin, to):
        self.to = to
        self.dir = os.path.join(tempfile.gettempdir(), "bobbin-corpus")  # traces have paths: always the same ones
        os.mkdir(self.dir)
        for part in ("bin", "lib"):
            built = os.path.join(os.path.dirname(os.path.abspath(bobbin)), "..", part)
            shutil.copytree(built, os.path.join(self.dir, "build", part), symlinks=True)
        self.bobbin = os.path.join(self.dir, "build", "bin", "bobbin")
        os.makedirs(to, exist_ok=True)

    def run(self, command):
        try:
            r = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
        except OSError as e:
            return str(e)
        return None if r.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL) else r.stderr or str(r.returncode)

    def build(self, name, text, compiler="cc"):
        with open(os.path.join(self.dir, name + ".c"), "w") as f:
            f.write(text)
        include = os.path.join(HERE, "..", "..", "include")
        return self.run([compiler, "-O1", "-g", "-I" + include, "-o", name, name + ".c"])

    def record(self, name, options, program, before=(), after=()):
        """`before`: words before the recorder, such as those of mpirun. `after`: verbs on the trace."""
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
        for name, text in (("calls", CALLS), ("memory", MEMORY), ("threads", THREADS), ("events", EVENTS), ("killed", KILLED)):
            why = m.build(name, text)
            if why:
                print(f"{name}: {why}")
        for name, text in (("mpi", MPI), ("spawn", SPAWN)):
            why = m.build(name, text, "mpicc.openmpi")
            if why:
                print(f"{name}: {why}")
        record_all(m)
    finally:
        shutil.rmtree(m.dir)
    for name in sorted(os.listdir(GOLDEN)):
        trace = os.path.join(GOLDEN, name)
        if os.path.isdir(trace) and sum(os.path.getsize(e.path) for e in os.scandir(trace)) < 15000:
            m.put("golden_" + name.replace("-", "_"), trace)


def record_all(m):
    mpi = ["--mpi", "-q"]
    one, two = ["mpirun.openmpi", "-n", "1"], ["mpirun.openmpi", "-n", "2"]
    m.record("calls", [], ["./calls"])
    m.record("calls_killed", [], ["./killed"])
    m.record("memory", ["--mem"], ["./memory"])
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
