#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write C from functions.txt.

    generate.py --table FILE --wrappers OUT.c --predefined OUT.c COMPILER...
                                    the shim of the MPI that COMPILER (mpicc) compiles for
    generate.py --table FILE --relink OUT.c FLAGS COMPILER...
                                    the relink library, for programs that link MPI statically
    generate.py --table FILE --reader OUT.c
                                    the table of functions, for readers of traces

Deterministic: the same table and mpi.h give the same bytes. Each error in the table is reported on
one line; the exit status is then 1.
"""
import argparse
import os
import re
import sys

from header import check, preprocess, prototypes
from predefined import predefined, probe
from reader import reader
from relink import chosen, flags, relink
from table import Bad, Table
from wrappers import wrappers

# Open MPI still defines MPI-1's functions, and Fortran programs call them, but its header declares
# them only with this definition.
REMOVED = "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n"
HERE = os.path.dirname(os.path.abspath(__file__))


def matched(table, declared):
    """(function, number, prototype) of every function to wrap. Raises all errors at once."""
    found, faults = [], []
    for name in sorted(declared):
        prototype = declared[name]
        if table.skipped(name):
            continue
        line = table.find(name)
        try:
            if not line:
                raise Bad(f"functions.txt: no line for mpi.h's {prototype.text()}")
            if "by_hand" in line[0].marks:
                continue
            if prototype.result != "int":
                raise Bad(f"functions.txt: mpi.h's {prototype.text()} returns no int")
            check(line[0], prototype)
            found.append((*line, prototype))
        except Bad as fault:
            faults.append(str(fault))
    if faults:
        raise Bad("\n".join(faults))
    return sorted(found, key=lambda f: f[1])


def check_by_hand(table):
    """Check that pcontrol.c has the number of the table."""
    with open(os.path.join(HERE, "pcontrol.c"), encoding="utf-8") as f:
        number = int(re.search(r"#define PCONTROL (\d+)u", f.read())[1])
    if table.functions["Pcontrol"].number != number:
        raise Bad(f"functions.txt: Pcontrol has not the number of pcontrol.c, {number}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", required=True)
    parser.add_argument("--wrappers")
    parser.add_argument("--predefined")
    parser.add_argument("--reader")
    parser.add_argument("--relink", nargs=2)
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        table = Table(options.table)
        if options.reader:
            write(options.reader, reader(table))
        if options.wrappers or options.predefined or options.relink:
            text = preprocess(options.compiler, REMOVED + "#include <mpi.h>\n" + probe(table))
        if options.wrappers:
            if "Pcontrol" in table.functions:
                check_by_hand(table)
            write(options.wrappers, wrappers(matched(table, prototypes(text))))
        if options.relink:
            found = chosen(table, text, prototypes(text))
            write(options.relink[0], relink(found))
            write(options.relink[1], flags(found))
        if options.predefined:
            write(options.predefined, predefined(table, text))
    except Bad as fault:
        sys.exit(str(fault))


if __name__ == "__main__":
    main()
