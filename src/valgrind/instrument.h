/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the statements of a superblock to the pieces that are recorded. scan.c finds them,
 * instrument.c writes the code. One superblock at a time. */
#ifndef BOB_VALGRIND_INSTRUMENT_H
#define BOB_VALGRIND_INSTRUMENT_H

#include "tool.h"

#include <pub_tool_tooliface.h>

#define VGB_PIECES_MAX 256
#define VGB_PIECE_WORDS_MAX 2048 /* of all pieces of a superblock */

/* A word of a record: `value` is stored just before statement `at`. */
struct vgb_word {
	UInt at;
	IRExpr *value;		/* I64, or I1 (a guard); NULL: the stack pointer at the beginning */
};

/* What becomes one record. Complete before statement `to`. */
struct vgb_piece {
	UInt open, to;
	UInt first_word, words;
	uint32_t number;	/* descriptor */
};

struct vgb_pieces {
	struct vgb_piece piece[VGB_PIECES_MAX];
	UInt pieces;
	struct vgb_word word[VGB_PIECE_WORDS_MAX];
	UInt words;
	Bool failed;		/* recording has stopped */
};

/* The pieces of the superblock `sb`, in *out. */
void vgb_scan(const IRSB *sb, const VexGuestLayout *layout, const struct vgb_image *im,
	      struct vgb_pieces *out);

IRSB *vgb_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		     const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		     IRType host_word);

#endif
