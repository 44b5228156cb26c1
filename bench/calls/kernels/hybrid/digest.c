/* SPDX-License-Identifier: BSD-3-Clause */
/* The digesting thread and its one-slot hand-over. */
#include "hybrid.h"

#include "frame/frame.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_row(const double *row, int n)
{
	uint64_t h = 14695981039346656037ull;

	for (int x = 0; x < n; x++) {
		uint64_t bits;

		memcpy(&bits, &row[x], sizeof(bits));
		h = (h ^ bits) * 1099511628211ull;
	}
	return h;
}

static uint64_t hash_snapshot(const struct digest *d)
{
	uint64_t sum = 0;

	for (int y = 0; y < d->rows; y++)
		sum += hash_row(d->snapshot + (size_t)y * (size_t)d->n, d->n);
	return sum;
}

static void *digest_main(void *arg)
{
	struct digest *d = arg;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		while (!d->full && !d->stop)
			pthread_cond_wait(&d->changed, &d->lock);
		if (!d->full)
			break;
		pthread_mutex_unlock(&d->lock);
		d->sum = d->sum * 3 + hash_snapshot(d);
		pthread_mutex_lock(&d->lock);
		d->full = 0;
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

int digest_begin(struct digest *d, int n, int rows)
{
	memset(d, 0, sizeof(*d));
	d->n = n;
	d->rows = rows;
	d->snapshot = frame_alloc((uint64_t)n * (uint64_t)rows, sizeof(double));
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	return pthread_create(&d->thread, NULL, digest_main, d);
}

void digest_give(struct digest *d, const struct heat_strip *s)
{
	pthread_mutex_lock(&d->lock);
	while (d->full)
		pthread_cond_wait(&d->changed, &d->lock);
	for (int y = 0; y < d->rows; y++)
		memcpy(d->snapshot + (size_t)y * (size_t)d->n,
		       s->now + (size_t)(y + 1) * ((size_t)s->n + 2) + 1,
		       (size_t)d->n * sizeof(double));
	d->full = 1;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

uint64_t digest_end(struct digest *d)
{
	pthread_mutex_lock(&d->lock);
	d->stop = 1;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	free(d->snapshot);
	return d->sum;
}
