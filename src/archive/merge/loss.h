/* SPDX-License-Identifier: BSD-3-Clause */
/* Lossy folding, as bob_fold_settings say (archive.h): the steps before, after and in addition to
 * folding. It allocates with malloc, so the agent does not contain it. */
#ifndef BOB_ARCHIVE_LOSS_H
#define BOB_ARCHIVE_LOSS_H

#include "archive/archive.h"
#include "archive/folds.h"
#include "mem/fold.h"

struct bob_mem_window;

/* Before the first record of a stream. *window is to be flushed at its end, and freed; NULL if
 * there is none. */
bob_status bob_loss_begin(const struct bob_fold_settings *how, const struct bob_process *p,
			  struct bob_folder *folder, struct bob_mem_fold *m,
			  struct bob_mem_window **window);
/* Of all participants together: *f is replaced. */
bob_status bob_loss_end(const struct bob_fold_settings *how, const struct bob_process *p,
			struct bob_folded **f);
/* A META record that says what has been given up, before and now; *len is 0 if nothing was. The
 * bytes are malloc'ed. */
bob_status bob_loss_record(const struct bob_fold_settings *how, const struct bob_process *p,
			   uint8_t **bytes, size_t *len);

#endif
