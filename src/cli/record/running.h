/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's part in the merge of running processes (docs/mpi.md, One file): a helper process that
 * MPI_Finalize starts, so that the program's memory stays unchanged.
 *
 * On standard input come *messages*, u64 length and bytes: first what the process has given before
 * (struct bob_rec_after each), then the heads that other ranks send, then one of length 0. They are
 * merged with what the process's own file has recorded since. The result is a message on standard
 * output; of the last rank, a file in the directory, or one more part of that which is there, and
 * then a message of length 0. A length of ~0: it was not possible, and nothing is left. A message
 * follows of what the process has contributed now. */
#ifndef BOB_CLI_RUNNING_H
#define BOB_CLI_RUNNING_H

#define CLI_RUNNING_BYTES_MAX (1ull << 28) /* of a message */
#define CLI_RUNNING_MEMORY (1ull << 30)	/* of the address space of this program */

/* `file`: the process's own, in `dir`. An exit status. */
int cli_running(const char *dir, const char *file, int is_last);

#endif
