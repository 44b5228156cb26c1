/* SPDX-License-Identifier: BSD-3-Clause */
/* Connects a verb's session with the writers of src/export. */
#ifndef BOB_CLI_EXPORTING_H
#define BOB_CLI_EXPORTING_H

#include "cli/session.h"
#include "export/export.h"

/* Sets up `x` from the session, including the chosen threads; the caller sets out and limits. 0, or
 * 1 after a complaint. Pairs with cli_export_end. */
int cli_export_begin(struct bob_export *x, struct cli_session *s);
void cli_export_end(struct bob_export *x);

#endif
