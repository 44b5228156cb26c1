#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples are compiled against the library and its headers alone, and do what they say."""

import os
import subprocess
import sys
import zlib

import harness as h

suite = h.Suite("examples")
BUILD = os.environ.get("BOBBIN_BUILD", str(h.ROOT / "build" / "release"))


def compile_example(source):
    out = h.fresh("examples") / "example"
    subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", str(h.ROOT / "include")]
        + [str(h.ROOT / "examples" / source), f"{BUILD}/lib/libbobbin.a", "-lzstd", "-o", str(out)],
        check=True,
    )
    return str(out)


def triangle(n):
    lines = []
    for i in range(n):
        for j in range(i):
            lines.append(f"load {4096 + 8 * (i * n + j)} {j}")
        lines.append(f"store {i}")
        if i % 7 == 3:
            lines.append("note")
    return "".join(line + "\n" for line in lines).encode()


@suite.case("fold: a trace compressor")
def fold():
    program = compile_example("fold/compress.c")
    sizes = []
    for n in (40, 400):
        text = triangle(n)
        folded = subprocess.run([program], input=text, stdout=subprocess.PIPE, check=True).stdout
        again = subprocess.run([program, "-d"], input=folded, stdout=subprocess.PIPE, check=True)
        h.check(again.stdout == text, f"{n}: {h.show(again.stdout)}")
        h.check(len(folded) * 3 < len(zlib.compress(text, 9)), f"{n}: {len(folded)} bytes")
        sizes.append(len(folded))
    h.check(sizes[1] < 2 * sizes[0], f"a hundred times the events: {sizes} bytes")
    bad = subprocess.run([program, "-d"], input=b"no such thing", stdout=subprocess.PIPE)
    h.check(bad.returncode == 1 and not bad.stdout, f"{bad.returncode}")


sys.exit(suite.run())
