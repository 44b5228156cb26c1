# SPDX-License-Identifier: BSD-3-Clause
"""An independent PMPI counter: a preloaded library that counts calls, messages and bytes while the
program runs. This module generates its wrappers from mpi.h; tests/prog/mpi/pmpi_sums.c adds up.

The counter counts calls itself instead of relying on mpi_events.counter_library: of two PMPI tools
only the first one sees the calls. It wraps Fortran's entry points, too, because those of Open MPI
call PMPI_X."""
import pathlib

import harness as h
import mpi_events as m

# What a wrapper calls after its function, by the parameters' names in mpi.h.
SEND = "sums_send(count, datatype, dest, comm)"
EXCHANGE = "sums_send(sendcount, sendtype, dest, comm)"
INIT = "sums_persistent(count, datatype, dest, comm, request)"
OTHER_INIT = "sums_persistent(0, MPI_DATATYPE_NULL, MPI_PROC_NULL, MPI_COMM_NULL, request)"
PUT = "sums_put(origin_count, origin_datatype, target_rank, win)"
GET = "sums_get(target_count, target_datatype, target_rank, win)"
FETCH = f"if (op != MPI_NO_OP) {PUT}; {GET}"  # MPI_NO_OP ignores the origin buffer
SWAP = "sums_put(1, datatype, target_rank, win); sums_get(1, datatype, target_rank, win)"
SENDS = ("Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend",
         "Sendrecv_replace", "Isendrecv_replace")
AFTER = {
    **dict.fromkeys(("Init", "Init_thread"), "sums_begin()"),
    **dict.fromkeys(("Comm_spawn", "Comm_spawn_multiple"), "sums_spawned(*intercomm)"),
    **dict.fromkeys(SENDS, SEND),
    **dict.fromkeys(("Sendrecv", "Isendrecv"), EXCHANGE),
    **dict.fromkeys(("Send_init", "Bsend_init", "Ssend_init", "Rsend_init"), INIT),
    "Psend_init": INIT.replace("(count", "(partitions * count"),
    "Start": "sums_start(1, request)",
    "Startall": "sums_start(count, array_of_requests)",
    **dict.fromkeys(("Put", "Rput", "Accumulate", "Raccumulate"), PUT),
    **dict.fromkeys(("Get", "Rget"), GET),
    **dict.fromkeys(("Get_accumulate", "Rget_accumulate"), FETCH),
    "Fetch_and_op": f"if (op != MPI_NO_OP) {SWAP}",
    "Compare_and_swap": SWAP,
}
BEFORE = {"Request_free": "sums_forget(request)"}
# Functions whose parameters in Fortran differ from those in C.
FORTRAN = {"Init": [], "Init_thread": ["int required", "int *provided"], "Pcontrol": ["int level"]}
HANDLES = {"MPI_Datatype": "Type", "MPI_Comm": "Comm", "MPI_Win": "Win", "MPI_Op": "Op"}


def after(name):
    if name.endswith("_init") and name not in AFTER:
        return OTHER_INIT if name != "Session_init" else None
    return AFTER.get(name) or AFTER.get(name.removesuffix("_c"))


def name_of(parameter):
    return parameter.split("[")[0].split()[-1].lstrip("*")


def in_c(name, number, parameters):
    if name == "Pcontrol":
        parameters = ["const int level", "..."]
    passed = ", ".join(name_of(p) for p in parameters if p != "...")
    reported = f"if (outer && !st) {{ {after(name)}; }}" if after(name) else ""
    return f"""int MPI_{name}({', '.join(parameters) or 'void'})
{{
	int outer = !sums_inside++, st;
	if (outer) {{ COUNT({number}); {BEFORE.get(name, '')}; }}
	st = PMPI_{name}({passed});
	{reported}
	sums_inside--;
	return st;
}}
"""


def from_fortran(parameter, count):
    """Code that makes the C argument NAME from Fortran's f_NAME; None if no hook uses its type."""
    name, kind = name_of(parameter), parameter.split()[0]
    if "*" not in parameter and "[" not in parameter:
        if kind in ("int", "MPI_Aint", "MPI_Count"):
            return f"{kind} {name} = *({kind} *)f_{name};"
        if kind in HANDLES:
            return f"{kind} {name} = MPI_{HANDLES[kind]}_f2c(*(MPI_Fint *)f_{name});"
    elif kind == "MPI_Request":
        return (f"MPI_Request {name}[{count}]; for (int i = 0; i < {count}; i++) "
                f"{name}[i] = MPI_Request_f2c(((MPI_Fint *)f_{name})[i]);")
    return None


def in_fortran(name, number, parameters):
    parameters = FORTRAN.get(name, parameters)
    passed = [f"f_{name_of(p)}" for p in parameters] + ["f_ierror"]
    # lengths of strings are hidden arguments, after all others
    passed += [f"length_{i}" for i in range(sum("char " in p for p in parameters))]
    given = ", ".join(f"void *{x}" for x in passed)
    count = "count" if name == "Startall" else "1"
    converted = " ".join(filter(None, (from_fortran(p, count) for p in parameters)))
    reported = ""
    if after(name):
        reported = f"if (outer && !*(MPI_Fint *)f_ierror) {{ {converted} {after(name)}; }}"
    before = f"{{ {converted} {BEFORE[name]}; }}" if name in BEFORE else ""
    lower = f"mpi_{name.lower()}_"
    return f"""void {lower}({given})
{{
	int outer = !sums_inside++;
	if (outer) {{ COUNT({number}); {before} }}
	SUMS_NEXT({lower})({', '.join(passed)});
	{reported}
	sums_inside--;
}}
"""


def wrappers(mpi):
    declared = m.declared(mpi)
    names = sorted(declared)
    out = ["#define _GNU_SOURCE", "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0",
           '#include "pmpi_sums.h"', f"const int sums_functions = {len(names)};",
           f"unsigned long sums_calls[{len(names)}];",
           "const char *const sums_name[] = {" + ", ".join(f'"{x}"' for x in names) + "};",
           "#define COUNT(i) __atomic_add_fetch(&sums_calls[i], 1, __ATOMIC_RELAXED)"]
    for i, name in enumerate(names):
        out.append(in_c(name, i, declared[name].parameters))
        if not name.endswith("_c") and "Comm_spawn" not in name:
            out.append(in_fortran(name, i, declared[name].parameters))
    return h.put(h.WORK / f"pmpi_wrappers_{mpi}.c", "\n".join(out))


@h.cached
def library(mpi):
    flags = ["-shared", "-fPIC", "-O1", "-w", "-pthread", f"-I{h.PROG / 'mpi'}"]
    return h.compile(f"libpmpi_sums-{mpi}.so", [wrappers(mpi), "mpi/pmpi_sums.c"],
                     m.compiler(mpi), flags)


class Process:
    """Counts of one process: calls is {function: calls}, ways is {way: {peer: (messages, bytes)}}.
    A peer is ("rank", R) in the same MPI_COMM_WORLD, or ("pid", P) outside of it."""

    def __init__(self, path):
        self.pid, self.calls, self.ways = int(path.name), {}, {"send": {}, "put": {}, "get": {}}
        for line in path.read_text().splitlines():
            kind, *rest = line.split()
            if kind == "rank":
                self.rank, self.ranks = int(rest[0]), int(rest[2])
            elif kind == "call":
                self.calls[rest[0]] = int(rest[1])
            else:
                self.ways[kind][rest[0], int(rest[1])] = int(rest[2]), int(rest[3])


def read(directory):
    return [Process(p) for p in pathlib.Path(directory).iterdir()]
