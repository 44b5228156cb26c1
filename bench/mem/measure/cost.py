# SPDX-License-Identifier: BSD-3-Clause
"""Cost of recording a memory access: processor time (user and system) per access in ns, including
the program's own work, without start and end of the program.

Columns: plain, the program alone; engine native (N) and engine valgrind (V), each with null
(records are made and discarded), raw and fold; Valgrind without a tool (V none); lackey with
--lackey; accesses per run; bytes per access of engine native, raw and folded. Times are the minimum
of the rounds, which alternate; the spread is that of the rounds of `N fold`. lackey does a fiftieth
of the work."""
import json
import os
import resource
import shutil
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODECS = {"null": "null", "raw": "none", "fold": "run"}
TIMES = {"matmul": 50, "triad": 150, "lu": 50, "cholesky": 100, "csr": 400, "chase": 150}


def cpu(argv, **kw):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, **kw)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Bench:
    def __init__(self, options, work):
        self.bobbin, self.work, self.rounds = options.bobbin, work, options.rounds
        self.program = os.path.join(work, "kernels")
        source = os.path.join(HERE, "kernels.c")
        subprocess.run(["gcc", options.opt, "-o", self.program, source], check=True)
        valgrind = shutil.which("valgrind.bin") or shutil.which("valgrind")
        plain = [valgrind, "--command-line-only=yes", "--vgdb=no", "-q"]
        self.kinds = {"plain": [], "V none": [*plain, "--tool=none"]}
        for name, engine in (("N", "native"), ("V", "valgrind")):
            for kind, codec in CODECS.items():
                self.kinds[f"{name} {kind}"] = self.record(engine, codec)
        if options.lackey:
            self.kinds["lackey"] = [*plain, "--tool=lackey", "--trace-mem=yes",
                                    "--log-file=/dev/null"]

    def trace(self):
        return os.path.join(self.work, "trace")

    def record(self, engine, codec):
        return [self.bobbin, "record", "-q", "--mem", f"--engine={engine}", f"--codec={codec}",
                "-o", self.trace(), "--"]

    def once(self, kind, kernel, times):
        shutil.rmtree(self.trace(), ignore_errors=True)
        return cpu([*self.kinds[kind], self.program, kernel, str(times)], cwd=self.work)

    def sizes(self):
        out = subprocess.run([self.bobbin, "info", "--json", self.trace()], capture_output=True,
                             check=True).stdout
        return json.loads(out)

    def kernel(self, name):
        work = {k: max(1, TIMES[name] // 50) if k == "lackey" else TIMES[name] for k in self.kinds}
        empty, full, accesses, bytes_of = {}, {}, 0, {}
        for _ in range(self.rounds):
            for kind in self.kinds:
                kept = kind.endswith(("raw", "fold"))
                empty.setdefault(kind, []).append(self.once(kind, name, 0))
                start = kept and self.sizes()["accesses"]
                full.setdefault(kind, []).append(self.once(kind, name, work[kind]))
                if kept:
                    info = self.sizes()
                    accesses = info["accesses"] - start
                    bytes_of[kind] = info["stream_bytes"]
        ns = {k: 1e9 * (min(full[k]) - min(empty[k])) / accesses * TIMES[name] / work[k]
              for k in self.kinds}
        spread = 100 * (max(full["N fold"]) - min(full["N fold"])) / min(full["N fold"])
        print(f"{name:10}", *[f"{ns[k]:8.2f}" for k in self.kinds], f"{accesses:12,}",
              f"{bytes_of['N raw'] / accesses:6.2f}", f"{bytes_of['N fold'] / accesses:9.5f}",
              f"{spread:5.0f} %", flush=True)


def table(options, work):
    bench = Bench(options, work)
    print(f"{'ns/access':10}", *[f"{k:>8}" for k in bench.kinds], f"{'accesses':>12}", "raw B/",
          "folded B/", "spread")
    for name in options.kernels:
        bench.kernel(name)
