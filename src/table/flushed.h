/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of the renderer: incremental printing, which drops rows once printed. */
#ifndef BOB_TABLE_FLUSHED_H
#define BOB_TABLE_FLUSHED_H

#include "table/table.h"

bool bob_table_was_flushed(const struct bob_table *t);
void bob_table_forget_rows(struct bob_table *t);

#endif
