#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""src/mpi/generate.py on a small mpi.h of its own: what it writes compiles and keeps the order of
words, what does not fit is said."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
GENERATE = os.path.join(ROOT, "src/mpi/generate.py")

HEADER = """
typedef int MPI_Comm; typedef int MPI_Request; typedef int MPI_Datatype; \
typedef int MPI_Group; typedef int MPI_Op; typedef int MPI_Win;
typedef int MPI_Errhandler; typedef int MPI_Info; typedef int MPI_Message; typedef void *MPI_File; \
typedef long MPI_Count;
typedef long MPI_Aint; typedef long MPI_Offset; \
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR; } MPI_Status;
#define MPI_SUCCESS 0
#define MPI_STATUS_IGNORE ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_COMM_WORLD ((MPI_Comm)0x44000000)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_SELF ((MPI_Comm)MPI_COMM_NULL)
enum { MPI_TAG_UB = 5 };
typedef int (QMPI_Send_t)(int tool, const void *buf);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) \
__attribute__((visibility("default")));
int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, \
MPI_Comm comm);
extern int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
int MPI_Gatherv(const void *sendbuf, int n, void *recvbuf, const int recvcounts[], int root, \
MPI_Comm comm);
int MPI_Comm_free(MPI_Comm *comm);
double MPI_Wtime(void);
"""
TABLE = """# comment
class p2p
  1  Send     buf:buf count:count datatype:type dest:rank
              tag:tag comm:comm
  2  Waitall  count:count <>array_of_requests:request[count] \
>array_of_statuses:status(array_of_requests)[count]
  3  Gatherv  sendbuf:buf n:count?sendbuf recvbuf:buf@root recvcounts:count[peers~(comm)]@root \
root:root comm:comm
  4  Comm_free <>comm:comm
skip Wtime    a time
predefined comm
  1  COMM_WORLD
  2  COMM_SELF
predefined keyval
  1  TAG_UB
  2  NOT_THERE
"""


def generate(root, header, table, *more):
    for name, text in (("mpi.h", header), ("table.txt", table)):
        with open(os.path.join(root, name), "w", encoding="utf-8") as f:
            f.write(text)
    out = [os.path.join(root, n) for n in ("wrappers.c", "predefined.c", "reader.c")]
    p = subprocess.run([sys.executable, "-B", GENERATE, "--table", os.path.join(root, "table.txt"),
                        "--wrappers", out[0], "--predefined", out[1], "--reader", out[2], *more,
                        "gcc", "-I" + root], capture_output=True, text=True)
    texts = []
    for path in out if p.returncode == 0 else ():
        with open(path, encoding="utf-8") as f:
            texts.append(f.read())
    return p.returncode, p.stderr, texts


def order(text, *parts):
    """The parts are in the text, one after the other."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        assert found >= 0, (part, text)
        at = found + len(part)


def body(wrappers, name):
    return re.search(rf"static int body_{name}\(.*?\n}}\n", wrappers, re.S)[0]


def test_output(root):
    status, text, out = generate(root, HEADER, TABLE)
    assert status == 0, text
    wrappers, predefined, reader = out
    assert sorted(re.findall(r"^BOB_MPI_EXPORT int own_(\w+)\(.*\) __asm__\(\"\1\"\);", wrappers,
                             re.M)) == sorted(
        p + n for p in ("MPI_", "PMPI_")
        for n in ("Send", "Send_c", "Waitall", "Gatherv", "Comm_free"))
    order(body(wrappers, "Send"), "bob_mpi_enter(&c_, 1u", "bob_mpi_buf(buf)", "bob_mpi_int(count)",
          "bob_mpi_rank(dest)", "bob_mpi_before", "next_(buf, count", "bob_mpi_after",
          "bob_mpi_int(r_)", "bob_mpi_leave")
    order(body(wrappers, "Send_c"), "MPI_Count count", "bob_mpi_enter(&c_, 1025u")
    order(body(wrappers, "Waitall"), "bob_mpi_keep_requests(&c_, array_of_requests",
          "bob_mpi_statuses(&c_, array_of_statuses", "next_(count, array_of_requests, s_)",
          "bob_mpi_put_was", "bob_mpi_put_statuses", "bob_mpi_left_requests")
    order(body(wrappers, "Gatherv"), "at_root = bob_mpi_at(comm, root)",
          "sendbuf != MPI_IN_PLACE ? bob_mpi_int(n) : 0", "at_root ? bob_mpi_buf(recvbuf) : 0",
          "recvcounts && at_root ? bob_mpi_peers(comm) : 0",
          "bob_mpi_put_ints(&c_, recvcounts, n_recvcounts, bob_mpi_me(comm))")
    order(body(wrappers, "Comm_free"), "was_comm = *comm", "bob_mpi_comm(was_comm)",
          "bob_mpi_left_comm(was_comm, *comm, word_comm)")
    order(predefined, "MPI_COMM_NULL, 0u, 0u", "MPI_COMM_WORLD, 0u, 1u, BOB_MPI_KIND_COMM",
          "MPI_TAG_UB, 0u, 1u")
    assert "COMM_SELF" not in predefined, "it is the null handle"
    assert "NOT_THERE" not in predefined and "NOT_THERE" in reader
    order(reader, '"array_of_requests", BOB_MPI_ROLE_REQUEST', ", 1, 255 }", '"array_of_statuses"',
          ", 255, 3 }", '"Send", "p2p", params_Send, 1, 6, 7, 6',
          '"Send_c", "p2p", params_Send, 1025, 6, 7, 6')
    for name in ("wrappers.c", "predefined.c", "reader.c"):
        subprocess.run(["gcc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                        "-Wconversion", "-Wshadow", "-I" + root, "-I" + os.path.join(ROOT, "src"),
                        "-I" + os.path.join(ROOT, "include"), os.path.join(root, name)], check=True)
    assert generate(root, HEADER, TABLE)[2] == out, "not the same a second time"


def fails(root, expect, header=HEADER, table=TABLE):
    status, text, _ = generate(root, header, table)
    assert status == 1 and expect in text and "Traceback" not in text, (expect, text)


def without(line):
    return "".join(x for x in TABLE.splitlines(True) if line not in x)


def test_faults(root):
    fails(root, "functions.txt: no line for mpi.h's int MPI_Comm_free(MPI_Comm *comm)",
          table=without("Comm_free"))
    fails(root, "functions.txt: no line for mpi.h's double MPI_Wtime(void)", table=without("Wtime"))
    fails(root, "double MPI_Wtime(void) returns no int",
          table=TABLE.replace("skip Wtime    a time", "  5  Wtime"))
    fails(root, "it has 2 parameters", table=TABLE.replace("<>comm:comm", "<>comm:comm more:int"))
    for role, why in (("dest:comm", "dest cannot be a comm"),
                      ("dest:string", "dest cannot be a string"),
                      (">dest:rank", "dest cannot be a rank that comes out"),
                      ("dest:rank[count]", "dest cannot be a rank"),
                      ("dest:function", "dest cannot be a function"),
                      ("dest:colour", "no role is called 'colour'"),
                      ("dest:rank?nothing", "speaks of 'nothing'"),
                      ("dest:rank[many(comm)]", "what length is 'many(comm)'"),
                      ("dest:rank!odd", "no mark is called 'odd'"), ("dest", "what is 'dest'?")):
        fails(root, why, table=TABLE.replace("dest:rank", role))
    fails(root, "buf cannot be a buf that comes out", table=TABLE.replace(" buf:buf", " >buf:buf"))
    fails(root, "recvcounts cannot be a count",
          table=TABLE.replace("recvcounts:count[peers~(comm)]", "recvcounts:count"))
    fails(root, "array_of_requests cannot be a type",
          table=TABLE.replace("array_of_requests:request[count]", "array_of_requests:type[count]"))
    fails(root, "Send: it is of no class", table=without("class"))
    fails(root, "is there already", table=TABLE.replace("  4  Comm_free", "  3  Comm_free"))
    fails(root, "handles of what kind are 'city'?",
          table=TABLE.replace("predefined comm", "predefined city"))
    fails(root, "gcc", header="#error no\n")
    # Two faults are both reported.
    status, text, _ = generate(root, HEADER + "int MPI_A(void);\nint MPI_B(void);\n", TABLE)
    assert status == 1 and len(text.splitlines()) == 2, text


def main():
    with tempfile.TemporaryDirectory() as root:
        test_output(root)
        test_faults(root)
    print("mpi_generate: ok")


if __name__ == "__main__":
    main()
