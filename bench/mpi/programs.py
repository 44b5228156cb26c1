# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose traces are measured: our kernels (kernels/ and those of bench/calls), and Debian's
hpcc, lammps, scalapack-mpi-test. Each runs in its own directory. Its output, except for times, must
be the same with and without Bobbin."""
import math
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OWN = ('ring', 'cg', 'lu', 'bt')
CALLS = ('ft', 'is', 'ep', 'mg')
SCALAPACK = '/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests'

# The melt of LAMMPS's benchmark, smaller.
LJ = """units lj
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
run 100
"""

# Input of ScaLAPACK's testers: two sizes, two blockings, one grid.
LU = """'LU factorization'
'a small run'
'LU.out'
6 device out
2 number of problem sizes
64 130 values of M
64 130 values of N
2 number of NB's
4 16 values of NB
1 number of NRHS's
3 values of NRHS
1 number of NBRHS's
3 values of NBRHS
1 number of process grids
{p} values of P
{q} values of Q
1.0 threshold
F condition estimates, iterative refinement
"""
LLT = LU.replace("'LU.out'\n6 device out\n", "'LLT.out'\n6 device out\n'U' upper\n").replace(
    "64 130 values of M\n", "").replace("1.0 threshold", "3.0 threshold")
QR = """'orthogonal factorizations'
'a small run'
'QR.out'
6 device out
3 number of factorizations
'QR' 'LQ' 'QP' factorizations
2 number of problem sizes
60 100 values of M
60 80 values of N
2 number of blocking sizes
4 8 values of MB
4 8 values of NB
1 number of process grids
{p} values of P
{q} values of Q
5.0 threshold
"""


def grid(ranks):
    p = int(math.isqrt(ranks))
    while ranks % p:
        p -= 1
    return p, ranks // p


def without_times(text):
    """Lines that contain no time; floating-point numbers are replaced."""
    lines = [re.sub(r'[-+]?\d+\.\d+([eE][-+]?\d+)?|\d+\.(?=\s|$)', '#', line)
             for line in text.splitlines()]
    return [re.sub(r'[ \t]+', ' ', line) for line in lines
            if not re.search(r'\d\d:\d\d:\d\d|[Tt]ime|[Ss]econds|microsec|usec|Performance|% CPU',
                             line)]


class Program:
    """One that is there: a command in a directory."""

    def __init__(self, name, argv, files=None, ranks=None, result=None, exact=None, only='.',
                 env=None, mpi='openmpi'):
        self.name, self.argv, self.files, self.env, self.mpi = (name, argv, files or {}, env or {},
                                                                mpi)
        self.ranks = ranks or (lambda n: True)  # the numbers of ranks that it takes
        self.result = result                    # the file that has its result; else its output
        self.exact = exact          # pattern of lines that are compared to the last digit
        self.only = only            # other compared lines, without times, contain this

    def prepare(self, directory, ranks):
        p, q = grid(ranks)
        for name, text in self.files.items():
            with open(os.path.join(directory, name), 'w') as f:
                f.write(text.replace('{p}', str(p)).replace('{q}', str(q)))

    def said(self, directory, output):
        if self.result:
            with open(os.path.join(directory, self.result), errors='replace') as f:
                output = f.read()
        exact = [line for line in output.splitlines() if self.exact and re.match(self.exact, line)]
        return sorted(line for line in without_times(output) if re.search(self.only, line)), exact


def is_power_of_two(n):
    return n & n - 1 == 0


def is_square(n):
    return math.isqrt(n) ** 2 == n


def build_own(name, out, mpi='openmpi'):
    exe = os.path.join(out, name + '.' + mpi)
    subprocess.check_call(['mpicc.' + mpi, '-O2', '-std=gnu11',
                           os.path.join(HERE, 'kernels', name + '.c'), '-lm', '-o', exe])
    return exe


def build_yield(out):
    """MPICH waits without a pause; with more ranks than processors that takes for ever."""
    library = os.path.join(out, 'yield.so')
    subprocess.check_call(['gcc', '-O2', '-shared', '-fPIC',
                           os.path.join(ROOT, 'tests', 'prog', 'mpi', 'yield.c'), '-o', library])
    return library


def build_calls(name, out):
    sys.path.insert(0, os.path.join(ROOT, 'bench', 'calls'))
    from harness import programs
    return programs.build_kernel(name, out)


def hpcc_input():
    with open(os.path.join(ROOT, 'tools', 'hpccinf.txt')) as f:
        text = f.read().replace('@N@', '200').replace('@P@', '{p}')
    return re.sub(r'(?m)^2( +Qs)', r'{q}\1', text)


FITS = {'bt': is_square, 'ring': bool}


def find(name, out, mpi='openmpi'):
    """The program of that name, built into `out` if it is ours; None: it is not installed. With
    MPICH there are kernels only."""
    if mpi == 'mpich':
        if name not in OWN or not shutil.which('mpicc.mpich'):
            return None
        return Program(name, [build_own(name, out, mpi)], ranks=FITS.get(name, is_power_of_two),
                       exact='.', env={'LD_PRELOAD': build_yield(out)}, mpi=mpi)
    if name in OWN:
        return Program(name, [build_own(name, out)], ranks=FITS.get(name, is_power_of_two),
                       exact='.')
    if name in CALLS:
        return Program(name, [build_calls(name, out), 'S'], ranks=is_power_of_two, exact='.')
    if name == 'hpcc' and shutil.which('hpcc'):
        return Program(name, ['hpcc'], {'hpccinf.txt': hpcc_input()}, result='hpccoutf.txt',
                       # it measures how often it can do things
                       only='PASSED|FAILED|Success|tests|rrors')
    if name == 'lammps' and shutil.which('lmp'):
        return Program(name, ['lmp', '-in', 'lj.in', '-log', 'none'], {'lj.in': LJ},
                       exact=r' +\d+0 ')
    for test, data, text in (('xdlu', 'LU.dat', LU), ('xdllt', 'LLT.dat', LLT),
                             ('xdqr', 'QR.dat', QR)):
        exe = os.path.join(SCALAPACK, test)
        if name == test and os.path.exists(exe):
            return Program(name, [exe], {data: text})
    return None


ALL = OWN + CALLS + ('hpcc', 'lammps', 'xdlu', 'xdllt', 'xdqr')
