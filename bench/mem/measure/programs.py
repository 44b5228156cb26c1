# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the memory benchmark: how they are built, and which sizes are measured."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(HERE, "programs")
PARTS = {"dense": ["dense.c", "comm.c"], "amg": ["amg.c", "csr.c", "comm.c"],
         "aztec": ["aztec.c", "csr.c", "comm.c"]}
FLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
THREADS = {"dense", "amg"}
MPI = {"amg", "aztec"}
MPIRUN = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle",
          "1"]
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_WAIT_POLICY": "passive",
    "LC_ALL": "C",
}


class Program:
    """One program of one size. `row` is its name in tables, `raw_kb` and `kb` the paper's sizes."""

    def __init__(self, name, size, threads=1, ranks=1, paper=None, goal=None):
        self.name, self.size, self.threads, self.ranks = name, size, threads, ranks
        self.paper = paper      # of the table that is reproduced, as a text
        self.goal = goal        # CPU time of recording / native, at most

    def label(self):
        return f"{self.name} {self.size}, {self.threads} x {self.ranks}"

    def kernel(self):
        return self.name if self.name in PARTS else "dense"

    def command(self, built, bare=False):
        words = self.size.split()
        if self.kernel() != "dense":
            return [built[self.kernel(), self.ranks > 1], *words]
        return [built["dense", False], self.name, *(words if len(words) > 1 else words + ["1"]),
                *(["bare"] if bare else [])]

    def start(self, built, before=(), bare=False):
        """The whole command; `before` is a tool, right in front of the program."""
        inner = [*before, *self.command(built, bare)]
        return inner if self.ranks == 1 else [*MPIRUN, "-n", str(self.ranks), *inner]

    def environment(self, extra):
        return {**os.environ, **ENVIRONMENT, "OMP_NUM_THREADS": str(self.threads), **extra}


def build(out, with_mpi):
    """{(program, with MPI): path}"""
    os.makedirs(out, exist_ok=True)
    built = {}
    for name, parts in PARTS.items():
        for mpi in (False, True):
            if mpi and (name not in MPI or not with_mpi):
                continue
            path = os.path.join(out, name + ("-mpi" if mpi else ""))
            compiler = ["mpicc", "-DWITH_MPI"] if mpi else ["gcc"]
            flags = FLAGS + (["-fopenmp"] if name in THREADS else [])
            beside = f"{path}.{os.getpid()}"  # another runner may be executing it
            subprocess.run([*compiler, *flags, *(os.path.join(SOURCES, p) for p in parts), "-o",
                            beside, "-lm"], check=True)
            os.replace(beside, path)
            built[name, mpi] = path
    return built


def have_mpi():
    return bool(shutil.which("mpicc") and shutil.which("mpirun"))


def weak(name, sizes, paper):
    return [Program(name, str(n), t, paper=p) for (t, n), p in zip(sizes, paper)]


def paper_sizes():
    """Tables 6.1 to 6.4. The paper's figures: original and compressed, KB (AMG: MB)."""
    add = weak("add", [(4, 1024), (8, 2048), (16, 4096), (32, 8192), (64, 16384)],
               ["3,337:48.39 kB", "6,662:48.42 kB", "13,309:48.52 kB", "26,607:48.96 kB",
                "53,205:48.98 kB"])
    matmul = weak("matmul", [(4, 10), (8, 14), (16, 20), (32, 28), (64, 40)],
                  ["4,739:236 kB", "12,307:475 kB", "34,421:375 kB", "91,918:613 kB",
                   "262,518:631 kB"])
    factors = [Program(k, str(n)) for k in ("lu", "cholesky") for n in (20, 60, 200)]
    csr = [Program("csr", "5000 10"), Program("csr", "5000 100")]
    amg = [Program("amg", "16", 4, r, paper=p) for r, p in
           ((1, "170:68 MB"), (2, "340:136 MB"), (4, "680:272 MB"), (8, "1360:352 MB"),
            (16, "2720:1088 MB"))]
    aztec = [Program("aztec", "24", 1, r, paper=p) for r, p in
             ((1, "625:282 kB"), (2, "1327:438 kB"), (4, "2845:596 kB"), (8, "14,944:6,652 kB"),
              (16, None), (32, None), (64, "213,824:72,221 kB"))]
    return add + matmul + factors + csr + amg + aztec


def quick_sizes():
    return [Program("add", "1024", 4), Program("matmul", "10", 4), Program("lu", "20"),
            Program("cholesky", "20"), Program("csr", "500 5"), Program("amg", "6 3", 2, 1),
            Program("amg", "6 3", 2, 2), Program("aztec", "8 25", 1, 1),
            Program("aztec", "8 25", 1, 2)]


def breakdown():
    """Tables 6.5 to 6.7, in seconds: not instrumented within Pin, instrumented with call stacks,
    all with compression. Then sizes that run long enough to measure the cost of an access."""
    return [Program("matmul", "24", 4, paper="0.90 / 14.02 / 14.07 + 0.002 + 0"),
            Program("matmul", "48", 8, paper="0.94 / 25.80 / 25.85 + 0.008 + 0"),
            Program("matmul", "240 8", 2, goal=2), Program("add", "100000 1000", 2, goal=2),
            Program("lu", "240 20", goal=4),
            Program("cholesky", "240 20", goal=4), Program("csr", "20000 300", goal=15),
            Program("amg", "24", 4, 1, paper="3.85 / 106.02 / 112.62 + 4.66 + 0"),
            Program("amg", "24", 4, 2, paper="5.08 / 69.66 / 70.05 + 109.8 + 1163.6"),
            Program("amg", "24", 1, 4), Program("aztec", "96", 1, 1), Program("aztec", "96", 1, 4)]


def merging():
    """What merging takes of runs that get longer, and of more ranks."""
    lengths = [("amg", "24", 4, 1, (8, 60, 250)), ("amg", "24", 1, 4, (8, 60, 250)),
               ("aztec", "96", 1, 1, (30, 300, 1500)),
               ("aztec", "96", 1, 4, (30, 120, 600)), ("csr", "20000", 1, 1, (300, 3000)),
               ("matmul", "240", 2, 1, (8, 400))]
    ranks = [Program("aztec", "24 30", 1, r) for r in (4, 16, 64)]
    return [Program(n, f"{size} {steps}", t, r) for n, size, t, r, all_steps in lengths
            for steps in all_steps] + ranks


def peers():
    return [Program("matmul", "24"), Program("add", "1024"), Program("lu", "60"),
            Program("cholesky", "60"), Program("csr", "1000 5"), Program("amg", "6 3"),
            Program("aztec", "12 15")]
