/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of a field over the unit square: PPM files, painted square by square. */
#ifndef AMR_FRAME_H
#define AMR_FRAME_H

#include <stdint.h>

struct frame {
	int width;		/* pixels, and so many high */
	uint8_t *pixel;		/* three bytes each */
};

/* Returns 0, or -1: out of memory. */
int frame_create(struct frame *f, int width);
void frame_destroy(struct frame *f);
/* A square with its lower left corner at x, y. `value` from 0 to 1 goes from blue to white. */
void frame_paint(struct frame *f, double x, double y, double size, double value);
/* Into PREFIX.NUMBER.ppm. Returns 0, or -1: errno says why. */
int frame_write(const struct frame *f, const char *prefix, int number);

#endif
