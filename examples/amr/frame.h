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
/* A square with its lower left corner at x, y. `value`: 0 is blue, 1 is white. */
void frame_paint(struct frame *f, double x, double y, double size, double value);
/* Writes PREFIX.NUMBER.ppm. Returns 0, or -1 with errno. */
int frame_write(const struct frame *f, const char *prefix, int number);

#endif
