/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin show --stack-at: prints the call stack at a call of a thread. */
#ifndef BOB_CLI_STACK_AT_H
#define BOB_CLI_STACK_AT_H

#include <stdio.h>

#include "cli/session.h"

/* Prints outermost first, as the tree is drawn. BOB_END, after a complaint: the thread has no call
 * of this number. Errors: those of bob_cursor_open and bob_cursor_next. */
bob_status cli_stack_print(const struct cli_session *s, uint32_t thread, uint64_t number, FILE *out,
			   struct bob_error *err);

#endif
