#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of unknown origin: the names in them reach no terminal and no export as they are, and no
file outside the trace is opened, written or removed."""

import random
import re
import shutil
import struct
import subprocess
import sys

import harness as h

suite = h.Suite("hostile")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
VERBS = """
info -a
info --json
check
check --complete
check --complete -f csv
check --complete -f json
report -n0
report -p thread
report --by=line
report --by=variable
report --by=instruction
report --by=api
report --by=sites
show -n0
show --no-fold -n 3000
show --no-fold -f csv -n 3000
show -f json -n 3000
show -x -n 3000
show --signatures
graph
graph --dot
export -f folded
export -f callgrind
export -f chrome
export -f csv
dump
replay --mem
replay --mem -f din
replay --mem --syncs --subscripts
cache
cache --by=line
arrays
arrays -f csv
arrays -f svg
merge
""".strip().splitlines()


def evil(folder):
    """A program whose names have control characters: its path, its words, and what its tables
    say."""
    folder.mkdir()
    r = h.run(["gcc", "-g", "-O1", "-pthread", "-o", folder / "p", h.PROG / "hostile.c"])
    h.check(r.status == 0, f"{r}")
    code = (folder / "p").read_bytes()
    for name in (b"evilfunction", b"evilvariable", b"hostile.c"):
        h.check(name in code, f"no {name}")
        code = code.replace(name + b"\0",
                            b"\x1b[3\nfake\r\x07\x7f\t"[: len(name)].ljust(len(name), b"x") + b"\0")
    exe = folder / "p\x1b[36m\nfake\x7f"
    exe.write_bytes(code)
    exe.chmod(0o755)
    return exe


def printed(options, verb):
    """Nothing that a terminal obeys, and no line that a name began."""
    trace = recorded(options)
    r = h.bobbin(*verb.split(), trace)
    h.check(r.status in (0, 1, 2, 3), f"{r}")
    for text in (r.out, r.err):
        found = CONTROL.search(text)
        h.check(not found,
                f"{verb}: {text[max(0, found.start() - 60):found.start() + 20] if found else ''}")
        h.check(not re.search(rb"^fake", text, re.M), f"{verb}: a name began a line\n{r}")
    return f"{len(r.out)} bytes"


@h.cached
def recorded(options):
    where = h.fresh("hostile")
    exe = evil(where / "d\x1b[31m\nfake")
    r = h.record([f"./{exe.name}", "a\x1b[7m\nfake"], list(options), cwd=exe.parent)
    h.check(r.status == 0, f"{r}")
    h.check(not re.search(rb"\x1b|^fake", r.err), f"{r}")
    h.check_trace(r.trace)
    return r.trace


for what, chosen in (("calls", ("--images=app",)), ("memory", ("--mem",))):
    for v in VERBS:
        suite.add(f"{what}: {v}", printed, chosen, v)


@suite.case("both decoders say the same of such names")
def _():
    for chosen in (("--images=app",), ("--mem",)):
        dump = h.bobbin("dump", recorded(chosen))
        second = h.run([sys.executable, h.ROOT / "tools" / "spec_decoder.py", recorded(chosen)])
        h.check(dump.out == second.out and b"fake" in dump.out, f"they differ, {chosen}")


@suite.case("the words of a command are printed so that a shell would take them")
def _():
    trace = recorded(("--images=app",))
    said = re.search(rb"^command +(.*)$", h.bobbin("info", trace).out, re.M)[1]
    r = h.run(["bash", "-c", f"printf '%s|' {said.decode()}"])
    h.check(r.out.endswith(b"|a\x1b[7m\nfake|"), f"{said} is {r.out}")


# --- names of files ---

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def crc(data):
    c = 0xFFFFFFFF
    for b in data:
        c = TABLE[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xFFFFFFFF


def zstd(option, data):
    size = [] if option == "-d" else [f"--stream-size={len(data)}"]
    return subprocess.run(["zstd", option, *size, "-cq"], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def renamed(path, old, new):
    """The processes of a merged trace have other names; all checksums are right. How many names."""
    data, found = path.read_bytes(), 0
    at = h.chunks_at(data)
    out = bytearray(data[:at])
    while at + 64 <= len(data):
        magic, kind, flags, stream, sum_, size, aux, length, _ = struct.unpack_from("<IHHIIQQQI",
                                                                                    data, at)
        payload = data[at + 64:at + 64 + size]
        at += 64 + size + -size % 64
        if kind == 22:
            body = zstd("-d", payload[:length])
            found += body.count(old)
            payload = zstd("-3", body.replace(old, new))
            size = length = len(payload)
            sum_ = crc(payload)
        head = crc(struct.pack("<IHIQQ", magic, kind, stream, size, aux))
        out += struct.pack("<IHHIIQQQI", magic, kind, flags, stream, sum_, size, aux, length, head)
        out += bytes(20) + payload + bytes(-size % 64)
    out[136:144] = struct.pack("<Q", len(out))
    path.write_bytes(out)
    return found


@suite.case("a process whose file would be outside the trace")
def _():
    h.need("zstd")
    program = h.compile("fork_once", [h.PROG / "hostile.c"], "gcc", ["-O1", "-pthread"])
    trace = h.record(["sh", "-c", f"{program} a; {program} a"], ["--mem"]).trace
    r = h.bobbin("merge", trace)
    h.check((trace / "trace.bob").exists(), f"nothing is merged: {r}")
    name = re.search(rb"p[\w.-]+?\.\d+\.0\.bob", h.bobbin("info", "--json", trace).out)[0]
    beyond = trace.parent / f"v{name.decode()[4:]}"
    beyond.write_bytes(b"another file")
    h.check(renamed(trace / "trace.bob", b"p" + name[1:4], b"../v"), "no name to change")
    for verb in (*VERBS, "merge --drop-below=2"):
        r = h.bobbin(*verb.split(), trace)
        h.check(r.status in (0, 1, 2, 3), f"{verb}: {r}")
    h.check(beyond.read_bytes() == b"another file", "a file outside the trace was changed")
    r = h.bobbin("check", trace)
    h.check(r.status == 1 and b"processes in a chunk cannot be read" in r.out + r.err, f"{r}")


def chunks_of(path, *kinds):
    """Where the payloads of these lie."""
    data = path.read_bytes()
    at = h.chunks_at(data)
    while at + 64 <= len(data):
        _, kind, _, _, _, size, _, length, _ = struct.unpack_from("<IHHIIQQQI", data, at)
        if kind in kinds:
            yield at + 64, length
        at += 64 + size + -size % 64


@suite.case("a changed byte of calls is found, in the last block too")
def _():
    program = h.compile("killseq", ["killseq.c"], "gcc", ["-O2", "-w"])
    trace = h.record([program, h.fresh("hostile") / "shared", "5000"], ["--images=main"]).trace
    path, = trace.glob("p*.bob")
    whole = path.read_bytes()
    (at, _), = [c for c in chunks_of(path, 3)][:1]
    # what the stream head's newest slot says: where the last block begins, and where its bytes end
    head, _ = next(chunks_of(path, 2))
    slot = head + 64 + 64 * (struct.unpack_from("<I", whole, head + 8)[0] & 1)
    end, block = (struct.unpack_from("<Q", whole, slot + off)[0] for off in (0, 16))
    h.check(block == 0, "more than one block")
    end = min(end, struct.unpack_from("<Q", whole, at - 48)[0])  # in the first piece of the stream
    for place in random.Random(1).sample(range(56, end), 40):
        path.write_bytes(whole[: at + place] + bytes([whole[at + place] ^ 4])
                         + whole[at + place + 1 :])
        r = h.bobbin("check", trace)
        h.check(r.status == 1 and b"checksum of a block" in r.out, f"byte {place} of {end}\n{r}")
    path.write_bytes(whole)
    h.check_trace(trace)


@suite.case("files that no recorder wrote so are named")
def _():
    program = h.compile("fork_once", [h.PROG / "hostile.c"], "gcc", ["-O1", "-pthread"])
    trace = h.record([program, "a"]).trace
    path = sorted(trace.glob("p*.bob"))[0]
    for name, text in (("copy.bob", b"two files are of one process"),
                       ("a\n\x1b[31m.bob", b"a??[31m.bob: not read")):
        copy = trace / name
        shutil.copy(path, copy)
        r = h.bobbin("check", trace)
        h.check(r.status == 1 and text in r.out, f"{r}")
        copy.unlink()
    h.check_trace(trace)


@suite.case("a changed byte of what was folded is said by every verb")
def _():
    """Also where it can be read all the same: the output is then undefined."""
    program = h.compile("fork_once", [h.PROG / "hostile.c"], "gcc", ["-O1", "-pthread"])
    trace = h.record([program, "a"], ["--mem"]).trace
    # FOLD_MERGED
    file, folded = next((f, c) for f in sorted(trace.glob("*.bob")) for c in chunks_of(f, 20))
    whole = file.read_bytes()
    for at in range(folded[0], folded[0] + folded[1], max(1, folded[1] // 12)):
        data = bytearray(whole)
        data[at] ^= 4
        file.write_bytes(data)
        for verb in ("report", "show --no-pager", "replay --mem"):
            r = h.bobbin(*verb.split(), trace)
            h.check(b"missing or damaged" in r.err, f"byte {at}, {verb}: {r}")
        r = h.bobbin("check", trace)
        h.check(r.status == 1 and r.out.count(b"the checksum of a chunk does not match") == 1,
                f"byte {at}: {r}")


if __name__ == "__main__":
    h.require_bobbin()
    sys.exit(suite.run())
