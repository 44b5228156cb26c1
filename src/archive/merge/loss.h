/* SPDX-License-Identifier: BSD-3-Clause */
/* Lossy folding with bob_fold_settings (archive.h): the steps before and after folding. It uses
 * malloc, so it is not part of the agent. */
#ifndef BOB_ARCHIVE_LOSS_H
#define BOB_ARCHIVE_LOSS_H

#include "archive/archive.h"
#include "archive/folds.h"
#include "mem/fold.h"

struct bob_mem_window;

/* Call before the first record of a stream. Flush *window after the last one, and free it; NULL: no
 * window. */
bob_status bob_loss_begin(const struct bob_fold_settings *how, const struct bob_process *p,
			  struct bob_folder *folder, struct bob_mem_fold *m,
			  struct bob_mem_window **window);
/* Steps over all participants; replaces *f. */
bob_status bob_loss_end(const struct bob_fold_settings *how, const struct bob_process *p,
			struct bob_folded **f);
/* Makes the META record of all losses, earlier and current; *len is 0 if there are none. The bytes
 * are malloc'ed. */
bob_status bob_loss_record(const struct bob_fold_settings *how, const struct bob_process *p,
			   uint8_t **bytes, size_t *len);

#endif
