/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of numbers as pieces, or, where that is shorter, as a group of one member (group.h), which knows pieces that take turns:
 *     series:   varint pieces, pieces; or 0, varint bytes, group */
#ifndef BOB_FOLD_SERIES_H
#define BOB_FOLD_SERIES_H

#include "fold/buffer.h"

void bob_series_put(struct bob_buffer *b, const uint64_t *value, uint32_t n);
/* Reads at *at; *at moves only on BOB_OK. BOB_ERR_CORRUPT: there are not just `n`. */
bob_status bob_series_get(const struct bob_alloc *alloc, const uint8_t **at, const uint8_t *end,
			  uint64_t *value, uint32_t n);
/* Number `i`. Work: those before it. */
bob_status bob_series_at(const struct bob_alloc *alloc, const struct bob_fold_bytes *series,
			 uint32_t i, uint64_t *value);

#endif
