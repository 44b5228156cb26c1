/* SPDX-License-Identifier: BSD-3-Clause */
/* bobbin info: how well events with values fold, and what makes their trace grow. */
#ifndef BOB_CLI_INFO_COLUMNS_H
#define BOB_CLI_INFO_COLUMNS_H

#include "bobbin/trace.h"

/* Nothing if the trace has none that are folded. */
void cli_info_columns(const struct bob_trace *t);

#endif
