/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the end status of a process into the head of its last file (end_status.h). */
#include "cli/record/end_status.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/format.h"
#include "archive/write/write.h"

/* Opens the file of process `pid` as its `seq`-th program, and reads its head. < 0: not found. */
static int open_file(const char *dir, const char *host, uint32_t pid, uint32_t seq,
		     struct bob_file_head *h)
{
	char path[PATH_MAX], name[BOB_NAME_BYTES];
	int fd;

	bob_name_process(name, sizeof(name), host, pid, seq);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return -1;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && (pread(fd, h, sizeof(*h), 0) != (ssize_t)sizeof(*h) ||
			h->magic != BOB_FORMAT_MAGIC || h->kind != BOB_FILE_PROCESS)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void write_status(int fd, struct bob_file_head *h, int status)
{
	const size_t from = offsetof(struct bob_file_head, end_status);
	ssize_t ignored;

	bob_file_status(h, BOB_END_PARENT, (uint32_t)status);
	ignored = pwrite(fd, (const char *)h + from, sizeof(*h) - from, (off_t)from);
	(void)ignored;
}

void cli_end_status(const char *dir, uint32_t pid, int status)
{
	char host[64] = "";
	struct bob_file_head h, newest;
	int last = -1, fd;

	gethostname(host, sizeof(host) - 1);
	for (uint32_t seq = 0; (fd = open_file(dir, host, pid, seq, &h)) >= 0; seq++) {
		if (last >= 0)
			close(last);
		last = fd;
		newest = h;
	}
	if (last < 0)
		return;
	/* after an exec, the status belongs to a program that is not recorded */
	if (newest.state != BOB_FILE_EXEC)
		write_status(last, &newest, status);
	close(last);
}
