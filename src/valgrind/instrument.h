/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between scan.c, which divides the statements of a superblock into pieces to be
 * recorded, and instrument.c, which inserts the code. Handles one superblock at a time. */
#ifndef BOB_VALGRIND_INSTRUMENT_H
#define BOB_VALGRIND_INSTRUMENT_H

#include "tool.h"

#include <pub_tool_tooliface.h>

#define VGB_PIECES_MAX 256
#define VGB_PIECE_WORDS_MAX 2048 /* of all pieces of a superblock */

/* A word of a record: `value` is stored just before statement `at`. */
struct vgb_word {
	UInt at;
	IRExpr *value;		/* I64, or I1 (a guard); NULL: the initial stack pointer */
};

/* One record. It is complete before statement `to`. */
struct vgb_piece {
	UInt open, to;
	UInt first_word, words;
	uint32_t number;	/* of its descriptor */
};

struct vgb_pieces {
	struct vgb_piece piece[VGB_PIECES_MAX];
	UInt pieces;
	struct vgb_word word[VGB_PIECE_WORDS_MAX];
	UInt words;
	Bool failed;		/* recording has stopped */
};

/* Divide the superblock `sb` into pieces, in *out. */
void vgb_scan(const IRSB *sb, const VexGuestLayout *layout, const struct vgb_image *im,
	      struct vgb_pieces *out);

IRSB *vgb_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		     const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		     IRType host_word);

#endif
