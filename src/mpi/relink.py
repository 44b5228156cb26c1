# SPDX-License-Identifier: BSD-3-Clause
"""Write one MPI's relink library (relink/relink.h), and the linker's list of --wrap options."""

# Variables of MPI that the shim looks up.
VARIABLES = ("MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY")


def declared(prototype):
    """The parameters of the header with generated names; and these names."""
    listed = []
    for i, text in enumerate(prototype.parameters):
        if text == "...":
            listed.append("...")
            continue
        head, bracket, tail = text.partition("[")
        words = head.replace("*", " * ").split()
        if (len(words) > 1 and words[-1] not in ("*", "int", "char", "long")
                and not words[-1].startswith("MPI_")):
            words.pop()  # its name
        listed.append(" ".join(words) + f" a{i}" + bracket + tail)
    return ", ".join(listed) or "void", ", ".join(
        f"a{i}" for i, t in enumerate(prototype.parameters) if t != "...")


def function(name, prototype):
    listed, given = declared(prototype)
    out = []
    for prefix in ("MPI_", "PMPI_"):
        full = prefix + name
        out += [f"int __real_{full}({listed});", f"int __wrap_{full}({listed});",
                f"static int (*to_{full})({listed}) = __real_{full};",
                f'BOB_MPI_RELINK({full}, "{full}", (void **)&to_{full}, (void *)__real_{full});',
                f"int __wrap_{full}({listed})", "{", f"\treturn to_{full}({given});", "}", ""]
    return "\n".join(out)


HEAD = ("/* Written by src/mpi/generate.py from mpi.h. */", "#include <mpi.h>", "",
        '#include "mpi/relink/relink.h"', "")


def chosen(table, text, found):
    """Prototypes of the functions to wrap.

    MPI-1's functions of Open MPI are omitted: its build options decide whether they exist."""
    without = "removed" if "ompi_mpi_comm_world" in text else None
    return {n: p for n, p in found.items()
            if not table.skipped(n) and table.find(n)[0].kind != without}


def relink(found):
    lines = [*HEAD, "#ifdef OPEN_MPI", "const char bob_mpi_relinked_openmpi = 1;", "#else",
             "const char bob_mpi_relinked_mpich = 1;"] + [
                 f'BOB_MPI_RELINK({v}, "{v}", (void **)0, (void *)&{v});' for v in VARIABLES
             ] + ["#endif", ""]
    return "\n".join(lines + [function(n, found[n]) for n in sorted(found)])


def flags(found):
    """Options for the linker.

    The exported symbols are what the shim looks up, and the launcher in stripped programs."""
    return "--export-dynamic-symbol=bob_mpi_relinked_*\n" + "".join(
        f"--wrap={prefix}{n}\n" for n in sorted(found) for prefix in ("MPI_", "PMPI_"))
