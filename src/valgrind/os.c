/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that Valgrind does not offer to tools. No descriptor stays open, so the program sees
 * none of ours. */
#include "tool.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

/* From Valgrind's core, with which the tool is linked; the header is not installed. */
SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);
SysRes VG_(am_mmap_anon_float_valgrind)(SizeT length);

#define RLIMIT_FILE_BYTES 1 /* RLIMIT_FSIZE; Valgrind names it for other systems only */

static long syscall4(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* Growing a file beyond the limit would send SIGXFSZ to the program. */
static Bool is_allowed(uint64_t end)
{
	struct vki_rlimit limit;

	return VG_(getrlimit)(RLIMIT_FILE_BYTES, &limit) != 0 || end <= limit.rlim_cur;
}

void *vgb_map(const HChar *path, uint64_t off, uint64_t size, enum bob_stop_reason *why)
{
	SysRes fd = VG_(open)(path, VKI_O_RDWR, 0), map;

	*why = BOB_STOP_PATH;
	if (sr_isError(fd))
		return NULL;
	*why = BOB_STOP_DISK;
	if (!is_allowed(off + size) ||
	    syscall4(__NR_fallocate, (long)sr_Res(fd), 0, (long)off, (long)size) < 0) {
		VG_(close)((Int)sr_Res(fd));
		return NULL;
	}
	*why = BOB_STOP_MEMORY;
	map = VG_(am_shared_mmap_file_float_valgrind)(size, VKI_PROT_READ | VKI_PROT_WRITE,
						      (Int)sr_Res(fd), (Off64T)off);
	VG_(close)((Int)sr_Res(fd));
	return sr_isError(map) ? NULL : (void *)sr_Res(map);
}

void vgb_unmap(void *p, uint64_t size)
{
	VG_(am_munmap_valgrind)((Addr)p, size);
}

void *vgb_pages(uint64_t size)
{
	SysRes map =
		VG_(am_mmap_anon_float_valgrind)((size + VGB_PAGE - 1) & ~(SizeT)(VGB_PAGE - 1));

	return sr_isError(map) ? NULL : (void *)sr_Res(map);
}

Int vgb_create(const HChar *path)
{
	SysRes fd = VG_(open)(path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL, 0666);

	if (sr_isError(fd))
		return sr_Err(fd) == VKI_EEXIST ? -1 : -2;
	VG_(close)((Int)sr_Res(fd));
	return 0;
}

uint64_t vgb_time(Bool real)
{
	struct vki_timespec ts;

	VG_(clock_gettime)(&ts, real ? VKI_CLOCK_REALTIME : VKI_CLOCK_MONOTONIC);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void vgb_hostname(HChar *buf, SizeT size)
{
	struct vki_new_utsname u;

	buf[0] = 0;
	if (syscall4(__NR_uname, (long)&u, 0, 0, 0) == 0)
		VG_(strncpy)(buf, u.nodename, size - 1);
	buf[size - 1] = 0;
}

/* Bobbin's freestanding parts need memcmp, which Valgrind does not have. */
int memcmp(const void *a, const void *b, size_t n)
{
	return VG_(memcmp)(a, b, n);
}
