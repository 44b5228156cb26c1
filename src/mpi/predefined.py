# SPDX-License-Identifier: BSD-3-Clause
"""Write the table of one MPI's predefined handles and constants, by numbers of functions.txt."""
import re

from table import BITS, CODES, HANDLES

NULLS = (("comm", "COMM_NULL"), ("group", "GROUP_NULL"), ("type", "DATATYPE_NULL"),
         ("op", "OP_NULL"), ("win", "WIN_NULL"), ("file", "FILE_NULL"), ("errh", "ERRHANDLER_NULL"),
         ("info", "INFO_NULL"), ("request", "REQUEST_NULL"), ("message", "MESSAGE_NULL"),
         ("session", "SESSION_NULL"), ("keyval", "KEYVAL_INVALID"))
PROBE = "bob_probe"
# Open MPI's library defines these, but its header no longer declares them.
HIDDEN = {"LB": "ompi_mpi_lb", "UB": "ompi_mpi_ub"}


def handles(table):
    return [(kind, 0, name, 0) for kind, name in NULLS] + [
        h for h in table.predefined if h[0] in HANDLES]


def probe(table):
    """Lines to preprocess after #include <mpi.h>: they show what MPI's macros expand to."""
    names = sorted({name for _, _, name, _ in handles(table) + table.predefined})
    return "".join(f"#ifdef MPI_{name}\n{PROBE} {name} = MPI_{name}\n#endif\n" for name in names)


def predefined(table, preprocessed):
    constants = [h for h in table.predefined if h[0] in CODES + BITS]
    return predefined_handles(table, preprocessed) + "\n".join(
        ["", "const struct bob_mpi_code bob_mpi_codes[] = {"]
        + [f"\t{{ MPI_{name}, {number}, BOB_MPI_ROLE_{kind.upper()} }},"
           for kind, number, name, _ in constants
           if re.search(rf"^{PROBE} {name} = |\bMPI_{name}\b", preprocessed, flags=re.M)]
        + ["};", "const uint32_t bob_mpi_code_count = "
           "sizeof(bob_mpi_codes) / sizeof(bob_mpi_codes[0]);", ""])


def predefined_handles(table, preprocessed):
    expands = dict(re.findall(rf"^{PROBE} (\w+) = (.*)$", preprocessed, flags=re.M))
    # Enumerators are no macros: the name itself is used.
    lines = ["/* Written by src/mpi/generate.py from functions.txt and mpi.h. */",
             "#include <mpi.h>", "#include <stddef.h>", "",
             '#include "mpi/predefined.h"', "",
             "const struct bob_mpi_predefined bob_mpi_predefined[] = {"]
    nulls = [expands[name] for _, name in NULLS if name in expands]
    for kind, number, name, size in handles(table):
        text = expands.get(name)
        if text is None and re.search(rf"\bMPI_{name}\b", preprocessed):
            text = f"MPI_{name}"
        if name in HIDDEN and "ompi_mpi_comm_world" in preprocessed:
            text = f"&{HIDDEN[name]}"
        # An MPI may define a type that it does not support as the null handle.
        if text is None or number and any(null in text for null in nulls):
            continue
        symbol = re.search(r"&\s*\(?\s*(\w+)", text)
        value = "0" if symbol else f"(uint64_t)MPI_{name}"
        lines.append("\t{ %s, %s, %du, %du, BOB_MPI_KIND_%s }, /* %s */" %
                     (f'"{symbol[1]}"' if symbol else "NULL", value, size, number, kind.upper(),
                      name))
    return "\n".join(lines + ["};", "const uint32_t bob_mpi_predefined_count =",
                              "\tsizeof(bob_mpi_predefined) / sizeof(bob_mpi_predefined[0]);", ""])
