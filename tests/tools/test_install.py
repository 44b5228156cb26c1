#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `make install` puts under DESTDIR works from there: bobbin finds its agent, and a program
that knows nothing but `pkg-config bobbin` reads the trace it made."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ["BOBBIN_BUILD"]


def run(*command, env=None):
    p = subprocess.run(command, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    assert p.returncode == 0, (command, p.returncode, p.stdout, p.stderr)
    return p.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="bobbin-install-") as work:
        stage = os.path.join(work, "stage")
        prefix = re.search("CMAKE_INSTALL_PREFIX:PATH=(.*)", open(os.path.join(BUILD, "CMakeCache.txt")).read()).group(1)
        run("cmake", "--install", BUILD, env={**os.environ, "DESTDIR": stage})
        assert os.listdir(stage) == [prefix.split("/")[1]], os.listdir(stage)
        top = stage + prefix
        bobbin = os.path.join(top, "bin/bobbin")
        assert os.path.exists(os.path.join(top, "lib/bobbin/libbobbin-agent.so"))
        assert "bobbin" in run(bobbin, "--version")

        trace = os.path.join(work, "t.bobbin")
        run(bobbin, "record", "-q", "-o", trace, "--", "/bin/ls", "/")
        pc = next(os.path.join(d, f) for d, _, names in os.walk(stage) for f in names if f == "bobbin.pc")
        env = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(pc)}
        flags = run("pkg-config", "--cflags", "--libs", "bobbin", env=env).split()
        reader = os.path.join(work, "reader")
        run("gcc", "-std=c11", "-o", reader, os.path.join(ROOT, "tests/headers/reader.c"), *flags)
        events = int(re.match(r"(\d+) events, \d+ bytes", run(reader, trace)).group(1))
        assert events > 0, "a trace of ls has no events"
        missing = subprocess.run((reader, os.path.join(work, "none")), capture_output=True, text=True)
        assert missing.returncode == 1 and "no such" in missing.stderr, missing.stderr


if __name__ == "__main__":
    sys.exit(main())
