/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing all of some bytes, whatever signals come in between. */
#ifndef BOB_BASE_HOST_IO_H
#define BOB_BASE_HOST_IO_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* 0; -1: the file has ended, or an error (errno). */
static inline int bob_read_all(int fd, void *to, uint64_t len)
{
	uint8_t *at = to;

	while (len) {
		const ssize_t n = read(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		len -= (uint64_t)n;
	}
	return 0;
}

static inline int bob_write_all(int fd, const void *from, uint64_t len)
{
	const uint8_t *at = from;

	while (len) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		len -= (uint64_t)n;
	}
	return 0;
}

#endif
