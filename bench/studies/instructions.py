# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of a process from callgrind's file, without those within MPI's library: it waits by
polling, so their number depends on the time that the other ranks take.

    own(path) -> number

An edge of the call graph has the inclusive cost of a call. Costs of the program's and the tool's
calls of the library are subtracted from the total. Costs of the library's calls of the tool (it
calls its own functions by name) are added."""
import re

MPI = re.compile(r'/(libmpi\w*|libmpich\w*)\.so|/openmpi/|/libopen-(pal|rte)\.so|'
                 r'/lib(pmix|ucp|uct|ucs|fabric|hwloc|event[\w-]*)\.so')
NEUTRAL = re.compile(r'/(ld-linux-x86-64|libc|libm|libpthread|libdl|libgcc_s|vgpreload\w*)[.-]')


def kind(name):
    return 'mpi' if MPI.search(name) else 'neutral' if NEUTRAL.search(name) else 'own'


def own(path):
    kinds = {}

    def of(text):
        number, _, name = text.partition(' ')
        if name:
            kinds[number] = kind(name)
        return kinds[number]

    total, here, there, inclusive = 0, 'own', None, False
    with open(path, errors='replace') as f:
        for line in f:
            if line.startswith('summary:'):
                total = int(line.split()[1])
            elif line.startswith('ob='):
                here, there = of(line[3:].strip()), None
            elif line.startswith('cob='):
                there = of(line[4:].strip())
            elif line.startswith('calls='):
                cost = int(next(f).split()[1])
                if (here, there) == ('own', 'mpi'):
                    total -= cost
                elif (here, there) == ('mpi', 'own'):
                    total += cost
                there = None
    return total
