# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the programs: natively, recorded step by step, and under other tools. A row for each."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import time

from . import alone, rows, tables


class Failed(Exception):
    """A run that ended otherwise than the native one."""


class Runner:
    def __init__(self, bobbin, built, work, log, engine, note=print):
        self.bobbin, self.built, self.work, self.log, self.engine, self.note = (
            bobbin, built, work, log, engine, note)
        self.trace = os.path.join(work, "trace")

    def timed(self, argv, env, **kw):
        """CPU seconds (user and system) of it and its children, wall seconds, standard output."""
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        r = subprocess.run(argv, env=env, cwd=self.work, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False, **kw)
        wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if r.returncode:
            raise Failed(f"{' '.join(argv)}: status "
                         f"{r.returncode}\n{r.stderr.decode(errors='replace')}")
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall, r.stdout

    def environment(self, program, extra=None):
        return program.environment({"XDG_CACHE_HOME": os.path.join(self.work, "cache"),
                                    **(extra or {})})

    def info(self):
        out = subprocess.run([self.bobbin, "info", "--json", self.trace], capture_output=True,
                             check=True).stdout
        i = json.loads(out)
        found = {k: i[k] for k in ("accesses", "raw_bytes", "stream_bytes", "processes")}
        return {**found, "streams": i["threads"]}

    def record(self, program, codec, bare, alone=False, extra=None):
        """A run under record; alone: without what the launcher does when the program has ended."""
        shutil.rmtree(self.trace, ignore_errors=True)
        tool = [self.bobbin, "record", "-q", *(["--exec"] if alone else []), "--mem",
                f"--engine={self.engine}", f"--codec={codec}", "-o", self.trace, "--"]
        return self.timed(program.start(self.built, tool, bare),
                          self.environment(program, extra))[:2]

    def merge(self, program):
        return self.timed([self.bobbin, "merge", "-q", self.trace], self.environment(program))[:2]

    def keep(self, part, program, kind, number, times, **more):
        self.log.add(rows.Row(part=part, program=program.name, size=program.size,
                              threads=program.threads, ranks=program.ranks, kind=kind, round=number,
                              cpu=times[0], wall=times[1], **more))

    # --- the parts ---

    def sizes(self, program):
        """Bytes folded by the threads, with each process's threads merged, with all merged."""
        native = self.timed(program.start(self.built, (), False), self.environment(program))
        self.keep("sizes", program, "native", 0, native)
        times = self.record(program, "run", True, alone=True)
        found = (alone.sizes(self.bobbin, self.trace, self.work)
                 if program.name in tables.THREAD_BYTES else [0])
        self.keep("sizes", program, "folded", 0, times, **self.info(), alone_bytes=sum(found),
                  alone_most=max(found))
        times = self.record(program, "run", True)
        self.keep("sizes", program, "threads merged", 0, times, **self.info())
        times = self.merge(program)
        self.keep("sizes", program, "all merged", 0, times, **self.info())

    def breakdown(self, program, number):
        run = self.timed(program.start(self.built), self.environment(program))
        self.keep("breakdown", program, "native", number, run)
        self.keep("breakdown", program, "null", number,
                  self.record(program, "null", False, alone=True))
        if self.engine == "native":
            flat = self.record(program, "run", False, alone=True, extra={"BOBBIN_CHECK": "flat"})
            self.keep("breakdown", program, "flat", number, flat, **self.info())
        self.keep("breakdown", program, "raw", number,
                  self.record(program, "none", False, alone=True), **self.info())
        folded = self.record(program, "run", False, alone=True)
        self.keep("breakdown", program, "folded", number, folded, **self.info())
        self.keep("breakdown", program, "merging both", number, self.merge(program), **self.info())
        whole = self.record(program, "run", False)
        self.keep("breakdown", program, "threads merged", number, whole, **self.info())
        self.keep("breakdown", program, "merging ranks", number, self.merge(program), **self.info())

    def merging(self, program):
        """Merges the same trace twice: with names to be resolved, and with the cached names."""
        self.keep("merging", program, "native", 0,
                  self.timed(program.start(self.built), self.environment(program)))
        self.keep("merging", program, "folded", 0, self.record(program, "run", False, alone=True),
                  **self.info())
        copy = self.trace + ".copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.trace, copy)
        for names in pathlib.Path(self.work, "cache").rglob("*.names"):
            names.unlink()
        self.keep("merging", program, "merging first", 0, self.merge(program))
        shutil.rmtree(self.trace)
        os.rename(copy, self.trace)
        self.keep("merging", program, "merging", 0, self.merge(program), **self.info())

    def peers(self, program):
        """Lackey's text through zstd, callgrind; and ours, with the program's start and end."""
        valgrind = shutil.which("valgrind.bin") or shutil.which("valgrind")
        command, env = program.start(self.built, (), True), self.environment(program)
        self.keep("peers", program, "native", 0, self.timed(command, env))
        self.keep("peers", program, "bobbin", 0, self.record(program, "run", True), **self.info())
        out = os.path.join(self.work, "lackey.zst")
        for level in (1, 19):
            tool = [valgrind, "--command-line-only=yes", "--vgdb=no", "-q", "--tool=lackey",
                    "--trace-mem=yes", "--log-fd=2"]
            pipe = ["sh", "-c", f'("$@" 2>&1 >/dev/null) | zstd -q -f -{level} -o {out}', "sh"]
            times = self.timed([*pipe, *tool, *command], env)
            raw = int(subprocess.run(f"zstd -dc {out} | wc -c", shell=True, capture_output=True,
                                     check=True).stdout)
            self.keep("peers", program, f"lackey, zstd -{level}", 0, times, raw_bytes=raw,
                      stream_bytes=os.path.getsize(out))
        tool = [valgrind, "--command-line-only=yes", "--vgdb=no", "-q", "--tool=callgrind",
                "--callgrind-out-file=/dev/null"]
        self.keep("peers", program, "callgrind", 0, self.timed([*tool, *command], env))
