/* SPDX-License-Identifier: BSD-3-Clause */
/* The keeper's socket (archive/write/keeper.h). One connection at a time, each with a timeout. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "archive/write/keeper.h"
#include "archive/write/write.h"
#include "cli/record/keeper.h"
#include "cli/record/watching.h"

#define WAIT_US 200000		/* for a message of the process */
#define WAITING 64		/* pending connections */
#define SEQ_MAX 100000u

int cli_keeper_listen(struct cli_watching *w, char *address)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	uint64_t name;
	int n;

	w->keeper = -1;
	if (getrandom(&w->secret, sizeof(w->secret), 0) != sizeof(w->secret) ||
	    getrandom(&name, sizeof(name), 0) != sizeof(name))
		return -1;
	n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "bobbin-%016" PRIx64, name);
	w->keeper = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (w->keeper < 0)
		return -1;
	if (bind(w->keeper, (void *)&at,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ||
	    listen(w->keeper, WAITING)) {
		close(w->keeper);
		w->keeper = -1;
		return -1;
	}
	snprintf(address, CLI_KEEPER_ADDRESS, "bobbin-%016" PRIx64 ":%016" PRIx64, name, w->secret);
	return 0;
}

static int hear(const struct cli_watching *w, int fd, enum bob_keeper_want want, uint32_t *pid)
{
	struct bob_keeper_ask a;

	if (recv(fd, &a, sizeof(a), 0) != sizeof(a) || a.secret != w->secret || a.want != want)
		return -1;
	*pid = a.pid;
	return 0;
}

static void answer(int fd, const struct bob_keeper_answer *a, int file)
{
	union {
		struct cmsghdr head;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control = { .buffer = { 0 } };
	struct iovec from = { (void *)(uintptr_t)a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &from, .msg_iovlen = 1 };

	if (file >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
	}
	(void)sendmsg(fd, &m, MSG_NOSIGNAL);
}

/* The first free number; no other process creates files of its pid. */
static uint32_t next_seq(const struct cli_watching *w, int dir, uint32_t pid, char *name)
{
	struct stat sb;

	for (uint32_t seq = 0; seq < SEQ_MAX; seq++) {
		bob_name_process(name, BOB_NAME_BYTES, w->host, pid, seq);
		if (fstatat(dir, name, &sb, AT_SYMLINK_NOFOLLOW))
			return seq;
	}
	return SEQ_MAX;
}

static int new_file(int dir)
{
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	struct stat sb;

	if (fd >= 0 && fallocate(fd, 0, 0, BOB_KEEPER_BYTES)) {
		close(fd);
		return -1;
	}
	if (fd >= 0 && !fstat(dir, &sb))
		(void)fchmod(fd, sb.st_mode & 0666);
	return fd;
}

/* 1: the file was created. */
static int converse(const struct cli_watching *w, int dir, int fd)
{
	struct bob_keeper_answer a = { .seq = 0 };
	char name[BOB_NAME_BYTES], unnamed[64];
	uint32_t pid, again;
	int file;

	if (hear(w, fd, BOB_KEEPER_NEW_FILE, &pid))
		return 0;
	a.seq = next_seq(w, dir, pid, name);
	file = a.seq < SEQ_MAX ? new_file(dir) : -1;
	a.refused = file < 0;
	answer(fd, &a, file);
	if (file < 0)
		return 0;
	snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", file);
	a.refused = hear(w, fd, BOB_KEEPER_HAS_HEAD, &again) || again != pid ||
		    linkat(AT_FDCWD, unnamed, dir, name, AT_SYMLINK_FOLLOW);
	answer(fd, &a, -1);
	close(file);
	return !a.refused;
}

int cli_keeper_serve(const struct cli_watching *w)
{
	const struct timeval wait = { .tv_usec = WAIT_US };
	int made = 0, fd;

	while (w->keeper >= 0 && (fd = accept4(w->keeper, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
		made += w->dir_fd >= 0 && converse(w, w->dir_fd, fd);
		close(fd);
	}
	return made;
}
