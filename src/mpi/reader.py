# SPDX-License-Identifier: BSD-3-Clause
"""Write the readers' table of MPI functions (src/archive/events/mpi_functions.h) in C.

It depends on functions.txt alone; readers print the words of events with it."""
from table import LARGE

NOWHERE = 255


def flags(p):
    out = []
    if p.goes_in:
        out.append("BOB_MPI_GOES_IN")
    if p.comes_out:
        out.append("BOB_MPI_COMES_OUT")
    if p.is_vector:
        out.append("BOB_MPI_VECTOR")
    if p.rotated:
        out.append("BOB_MPI_ROTATED")
    if p.mark == "receives":
        out.append("BOB_MPI_RECEIVES")
    return " | ".join(out)


def function_flags(f):
    return " | ".join(f"BOB_MPI_{m.upper()}" for m in f.marks
                      if m in ("started", "finishing")) or "0"


def place(words, p, what):
    return words.index((p, what)) if (p, what) in words else NOWHERE


def reader(table):
    out = ["/* Written by src/mpi/generate.py from functions.txt. */",
           '#include "archive/events/mpi_functions.h"', ""]
    entries = []
    for f in sorted(table.functions.values(), key=lambda f: f.number):
        words = f.layout()
        if len(words) >= NOWHERE:
            raise AssertionError(f.name)
        if f.parameters:
            out.append(f"static const struct bob_mpi_param params_{f.name}[] = {{")
            for p in f.parameters:
                out.append('\t{ "%s", BOB_MPI_ROLE_%s, %s, %d, %d },' % (
                    p.name, p.role.upper(), flags(p),
                    place(words, p, "in"), place(words, p, "out")))
            out.append("};")
        numbers = [(f.number, f.name)]
        if f.number < LARGE and f.name + "_c" not in table.functions:
            numbers.append((f.number + LARGE, f.name + "_c"))
        params = f"params_{f.name}" if f.parameters else "NULL"
        result = place(words, None, "result")
        for number, name in numbers:
            entries.append((number, '\t{ "%s", "%s", %s, %d, %d, %d, %d, %s },' % (
                name, f.kind, params, number, len(f.parameters), len(words), result,
                function_flags(f))))
    out += ["", "const struct bob_mpi_function bob_mpi_functions[] = {",
            *(text for _, text in sorted(entries)), "};",
            f"const uint32_t bob_mpi_function_count = {len(entries)};", "",
            "const struct bob_mpi_name bob_mpi_names[] = {"]
    for kind, number, name, size in sorted(table.predefined, key=lambda h: (h[0], h[1])):
        out.append('\t{ "%s", BOB_MPI_ROLE_%s, %d, %d },' % (name, kind.upper(), number, size))
    out += ["};", f"const uint32_t bob_mpi_name_count = {len(table.predefined)};", ""]
    return "\n".join(out)
