/* SPDX-License-Identifier: BSD-3-Clause */
/* Extends files of watched processes, and trims them when the processes have ended (keeper.h). */
#define _GNU_SOURCE
#include "cli/record/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/format.h"
#include "cli/record/watching.h"

#define AHEAD_MAX (64ull << 20)
#define PAGE 4096u

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static int write_head(int fd, size_t off, const void *value, size_t len)
{
	return pwrite(fd, value, len, (off_t)off) == (ssize_t)len ? 0 : -1;
}

/* Returns 0 or the errno of the failure. The program's limit on file sizes applies to this process
 * as well, if inherited: checking it first avoids SIGXFSZ. */
static int try(int fd, uint64_t from, uint64_t to)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && to > limit.rlim_cur)
		return EFBIG;
	return fallocate(fd, 0, (off_t)from, (off_t)(to - from)) ? errno : 0;
}

/* Allocates up to `to`; `from` bytes are allocated already. Reports the result in the file's
 * head. */
static void allocate(int fd, uint64_t from, uint64_t to)
{
	const uint32_t refused = (uint32_t)try(fd, from, to);

	if (!refused)
		(void)write_head(fd, offsetof(struct bob_file_head, allocated), &to, sizeof(to));
	else if (refused != EINTR)
		(void)write_head(fd, offsetof(struct bob_file_head, refused), &refused,
				 sizeof(refused));
}

int cli_keeper_look(const struct cli_watched *f)
{
	struct bob_file_head h;
	uint64_t to;

	if (pread(f->fd, &h, sizeof(h), 0) != sizeof(h))
		return 0;
	to = h.wanted;
	if (h.ahead) /* twice, so that it is there before it is needed */
		to = h.used + 2 * (h.ahead < AHEAD_MAX ? h.ahead : AHEAD_MAX);
	to = whole_pages(to);
	if (to > h.allocated && !h.refused && to < (uint64_t)INT64_MAX &&
	    (!h.ahead || to - h.allocated >= h.ahead || !h.allocated))
		allocate(f->fd, h.allocated, to);
	return h.wanted || h.ahead;
}

/* A collector may still write after the process has ended. */
static int has_collector(int fd)
{
	struct bob_chunk_head c;

	return pread(fd, &c, sizeof(c), BOB_FILE_HEAD_BYTES) == sizeof(c) &&
	       c.kind == BOB_CHUNK_COLLECTOR;
}

void cli_keeper_end(const struct cli_watched *f)
{
	struct bob_file_head h;
	struct stat sb;

	if (pread(f->fd, &h, sizeof(h), 0) != sizeof(h) || !(h.wanted || h.ahead) ||
	    has_collector(f->fd) || fstat(f->fd, &sb))
		return;
	if (h.used >= BOB_FILE_HEAD_BYTES && (uint64_t)sb.st_size > whole_pages(h.used))
		(void)ftruncate(f->fd, (off_t)whole_pages(h.used));
}
