/* SPDX-License-Identifier: BSD-3-Clause */
/* Socket calls for communication with the keeper (keeper.c). */
#include "agent/os.h"

#include <asm/unistd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "agent/arch/x86_64/syscall.h"

#define WAIT_S 1	/* timeout of an answer */

long os_connect(const char *name, size_t len)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const struct timeval wait = { .tv_sec = WAIT_S };
	long fd, r;

	if (len + 1 > sizeof(to.sun_path))
		return -OS_EINVAL;
	memcpy(to.sun_path + 1, name, len); /* after a zero byte: an abstract address */
	fd = sys3(__NR_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	sys5(__NR_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&wait, sizeof(wait));
	sys5(__NR_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&wait, sizeof(wait));
	r = sys3(__NR_connect, fd, (long)&to,
		 (long)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
	if (r < 0) {
		sys1(__NR_close, fd);
		return r;
	}
	return fd;
}

long os_send(long fd, const void *bytes, size_t len)
{
	return sys6(__NR_sendto, fd, (long)bytes, (long)len, MSG_NOSIGNAL, 0, 0);
}

long os_receive(long fd, void *bytes, size_t len, long *passed)
{
	union {
		struct cmsghdr align;
		char control[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec to = { bytes, len };
	struct msghdr m = { .msg_iov = &to, .msg_iovlen = 1, .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	long r = sys3(__NR_recvmsg, fd, (long)&m, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = r < 0 ? NULL : CMSG_FIRSTHDR(&m);
	int file = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(file)))
		memcpy(&file, CMSG_DATA(c), sizeof(file));
	*passed = file;
	return r;
}
