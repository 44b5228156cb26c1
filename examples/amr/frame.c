/* SPDX-License-Identifier: BSD-3-Clause */
/* Paints squares into an image in memory, and writes it as PPM. */
#include "frame.h"

#include <stdio.h>
#include <stdlib.h>

int frame_create(struct frame *f, int width)
{
	f->width = width;
	f->pixel = calloc((size_t)width * (size_t)width, 3);
	return f->pixel ? 0 : -1;
}

void frame_destroy(struct frame *f)
{
	free(f->pixel);
}

void frame_paint(struct frame *f, double x, double y, double size, double value)
{
	int left = (int)(x * f->width), right = (int)((x + size) * f->width);
	int low = (int)(y * f->width), high = (int)((y + size) * f->width);
	uint8_t light = (uint8_t)(255 * (value < 0 ? 0 : value > 1 ? 1 : value));

	for (int row = low; row < high && row < f->width; row++)
		for (int i = left; i < right && i < f->width; i++) {
			uint8_t *p = f->pixel + 3 * ((f->width - 1 - row) * f->width + i);
			int edge = i == left || row == low;

			p[0] = edge ? light / 2 : light;
			p[1] = edge ? light / 2 : light;
			p[2] = (uint8_t)(128 + light / 2);
		}
}

int frame_write(const struct frame *f, const char *prefix, int number)
{
	size_t bytes = 3 * (size_t)f->width * (size_t)f->width;
	char name[4096];
	FILE *out;
	int bad;

	snprintf(name, sizeof(name), "%s.%03d.ppm", prefix, number);
	out = fopen(name, "wb");
	if (!out)
		return -1;
	fprintf(out, "P6\n%d %d\n255\n", f->width, f->width);
	bad = fwrite(f->pixel, 1, bytes, out) != bytes;
	return fclose(out) || bad ? -1 : 0;
}
