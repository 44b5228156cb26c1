/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's part in the merge of running processes (docs/mpi.md, One file): a helper process that
 * MPI_Finalize starts, so that the program's memory stays unchanged.
 *
 * Standard input has *messages*, u64 length and bytes: first what the process has contributed
 * before (array of struct bob_rec_after), then the heads that other ranks send, then a message of
 * length 0. They are merged with what the process's own file has recorded since. The result is a
 * message on standard output; for the last rank it is a file in the directory, or one more part of
 * the existing file, and then a message of length 0. A length of ~0 reports a failure, which leaves
 * nothing. Another message follows with what the process has contributed now. */
#ifndef BOB_CLI_RUNNING_H
#define BOB_CLI_RUNNING_H

#define CLI_RUNNING_BYTES_MAX (1ull << 28) /* of a message */
#define CLI_RUNNING_MEMORY (1ull << 30)	/* address space limit of this program */

/* `file`: name of the process's own file in `dir`. Returns an exit status. */
int cli_running(const char *dir, const char *file, int is_last);

#endif
