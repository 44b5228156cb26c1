/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel interface of the agent: x86-64 Linux system calls by number. Inline assembly avoids
 * libc's entry points (which may be patched) and leaves errno unchanged. */
#include "agent/os.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "agent/agent.h"
#include "agent/arch/x86_64/syscall.h"

#define PR_GET_NAME 16
#define MREMAP_MAYMOVE 1
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif
#define RENAME_NOREPLACE 1

bool bob_os_forbidden;

bool os_allowed(void)
{
	return !bob_os_forbidden;
}

void os_forbid(void)
{
	bob_os_forbidden = true;
}

static void *pointer_or_null(long r)
{
	return r < 0 && r > -4096 ? NULL : (void *)r; /* NOLINT: a kernel address as a number */
}

static long map_private(uint64_t where, size_t size, int prot, int flags)
{
	return sys6(__NR_mmap, (long)where, (long)size, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static size_t with_guards(size_t size)
{
	return whole_pages(size) + 2ul * BOB_PAGE;
}

/* Reserve address space between two guard pages, without access; 0: failed. */
static long reserve(size_t size)
{
	long r = map_private(0, with_guards(size), PROT_NONE, 0);

	return pointer_or_null(r) ? r + (long)BOB_PAGE : 0;
}

/* `r` is the result of making the memory reserved at p accessible; on failure, unmaps it. */
static void *opened(long r, long p, size_t size)
{
	if (r >= 0)
		return pointer_or_null(p);
	os_unmap(pointer_or_null(p), size);
	return NULL;
}

void *os_map(size_t size)
{
	long p = reserve(size);

	return p ? opened(sys3(__NR_mprotect, p, (long)size, PROT_READ | PROT_WRITE), p, size) :
		   NULL;
}

void *os_map_window(long fd, uint64_t off, size_t len)
{
	long p = reserve(len);

	return p ? opened(sys6(__NR_mmap, p, (long)len, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_FIXED, fd, (long)off),
			  p, len) :
		   NULL;
}

/* Needs neither a descriptor nor the file's name: mremap of length 0 of a shared mapping maps its
 * pages again, together with the following pages of the file. */
void *os_map_again(const void *page, uint64_t skip, size_t len)
{
	const size_t all = skip + len + BOB_PAGE;
	long r = sys5(__NR_mremap, (long)page, 0, (long)all, MREMAP_MAYMOVE, 0);
	const long guard = r + (long)(skip - BOB_PAGE);

	if (!pointer_or_null(r))
		return NULL;
	if (skip > BOB_PAGE)
		sys2(__NR_munmap, r, (long)(skip - BOB_PAGE));
	sys3(__NR_mprotect, guard, BOB_PAGE, PROT_NONE);
	sys3(__NR_mprotect, r + (long)(skip + len), BOB_PAGE, PROT_NONE);
	return pointer_or_null(r + (long)skip);
}

void os_unmap(void *p, size_t size)
{
	os_unmap_bare((uint8_t *)p - BOB_PAGE, with_guards(size));
}

void *os_map_at(uint64_t where, size_t size)
{
	long r = map_private(where, size, PROT_READ | PROT_WRITE, where ? MAP_FIXED_NOREPLACE : 0);

	/* before Linux 4.17 the address was only a hint */
	if (where && r > 0 && (uint64_t)r != where) {
		sys2(__NR_munmap, r, (long)size);
		return NULL;
	}
	return pointer_or_null(r);
}

void os_unmap_bare(const void *p, size_t size)
{
	sys2(__NR_munmap, (long)p, (long)size);
}

long os_protect(uint64_t addr, size_t size, int prot)
{
	return sys3(__NR_mprotect, (long)addr, (long)size, prot);
}

long os_wipe_on_fork(void *p, size_t size)
{
	return sys3(__NR_madvise, (long)p, (long)size, MADV_WIPEONFORK);
}

long os_drop_pages(void *p, size_t size)
{
	return sys3(__NR_madvise, (long)p, (long)size, MADV_DONTNEED);
}

long os_small_pages(void *p, size_t size)
{
	return sys3(__NR_madvise, (long)p, (long)size, MADV_NOHUGEPAGE);
}

long os_open(const char *path, enum os_open how)
{
	/* a FIFO or device with the file's name must not block the program */
	long flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	flags |= how == OS_READ ? O_RDONLY : O_RDWR;
	if (how == OS_CREATE_NEW)
		flags |= O_CREAT | O_EXCL;
	else if (how == OS_UNNAMED)
		flags |= O_TMPFILE;
	return sys4(__NR_openat, AT_FDCWD, (long)path, flags, 0666);
}

void os_close(long fd)
{
	sys1(__NR_close, fd);
}

long os_read(long fd, void *buf, size_t len)
{
	long r;

	do
		r = sys3(__NR_read, fd, (long)buf, (long)len);
	while (r == -OS_EINTR);
	return r;
}

/* Beyond RLIMIT_FSIZE the kernel would send SIGXFSZ to the program. */
static bool may_reach(uint64_t size)
{
	struct rlimit r;

	return sys4(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&r) != 0 || size <= r.rlim_cur;
}

/* For new files: writes at offset 0. */
long os_write(long fd, const void *buf, size_t len)
{
	const char *p = buf;
	size_t done = 0;

	if (!may_reach(len))
		return -OS_EFBIG;
	while (done < len) {
		long r = sys3(__NR_write, fd, (long)(p + done), (long)(len - done));
		if (r == -OS_EINTR)
			continue;
		if (r <= 0)
			return r ? r : -5;
		done += (size_t)r;
	}
	return (long)done;
}

bool os_is_mapped(uint64_t addr)
{
	unsigned char v;

	return sys3(__NR_mincore, (long)(addr & ~4095ull), 1, (long)&v) == 0;
}

bool os_readable(const void *const *what, size_t n)
{
	char bytes[64];
	struct {
		const void *p;
		size_t len;
	} to = { bytes, n }, from[64];

	if (n > 64)
		return false;
	for (size_t i = 0; i < n; i++) {
		from[i].p = what[i];
		from[i].len = 1;
	}
	long r = sys6(__NR_process_vm_readv, os_pid(), (long)&to, 1, (long)from, (long)n, 0);
	return r == (long)n || r == -OS_ENOSYS || r == -OS_EPERM;
}

long os_file_size(long fd)
{
	struct stat st;
	long r = sys2(__NR_fstat, fd, (long)&st);

	return r < 0 ? r : st.st_size;
}

void os_mode_as(long fd, const char *dir)
{
	struct stat st;

	if (sys4(__NR_newfstatat, AT_FDCWD, (long)dir, (long)&st, 0) >= 0)
		sys2(__NR_fchmod, fd, st.st_mode & 0666);
}

long os_file_owner(long fd, uint32_t *uid, uint32_t *mode)
{
	struct stat st;
	long r = sys2(__NR_fstat, fd, (long)&st);

	if (r < 0)
		return r;
	*uid = st.st_uid;
	*mode = st.st_mode;
	return 0;
}

/* On file systems without fallocate, writing zeros allocates as well. */
long os_allocate(long fd, uint64_t off, uint64_t len)
{
	static const char zeros[4096];
	long r;

	if (!may_reach(off + len))
		return -OS_EFBIG;
	do
		r = sys4(__NR_fallocate, fd, 0, (long)off, (long)len);
	while (r == -OS_EINTR);
	if (r != -OS_EOPNOTSUPP)
		return r;
	for (uint64_t done = 0; done < len; done += sizeof(zeros)) {
		r = sys4(__NR_pwrite64, fd, (long)zeros, sizeof(zeros), (long)(off + done));
		if (r != (long)sizeof(zeros))
			return r < 0 ? r : -28;
	}
	return 0;
}

long os_truncate(long fd, uint64_t len)
{
	return sys2(__NR_ftruncate, fd, (long)len);
}

const void *os_map_file(long fd, size_t len)
{
	return pointer_or_null(sys6(__NR_mmap, 0, (long)len, PROT_READ, MAP_PRIVATE, fd, 0));
}

long os_rename_new(const char *from, const char *to)
{
	return sys5(__NR_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, RENAME_NOREPLACE);
}

long os_link(const char *from, const char *to)
{
	return sys5(__NR_linkat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, AT_SYMLINK_FOLLOW);
}

long os_unlink(const char *path)
{
	return sys3(__NR_unlinkat, AT_FDCWD, (long)path, 0);
}

long os_readlink(const char *path, char *buf, size_t size)
{
	long r = sys4(__NR_readlinkat, AT_FDCWD, (long)path, (long)buf, (long)size - 1);

	buf[r < 0 ? 0 : r] = 0;
	return r;
}

long os_getcwd(char *buf, size_t size)
{
	long r = sys2(__NR_getcwd, (long)buf, (long)size);

	if (r < 0)
		buf[0] = 0;
	return r;
}

uint32_t os_pid(void)
{
	return (uint32_t)sys0(__NR_getpid);
}

uint32_t os_ppid(void)
{
	return (uint32_t)sys0(__NR_getppid);
}

uint32_t os_tid(void)
{
	return (uint32_t)sys0(__NR_gettid);
}

uint32_t os_uid(void)
{
	return (uint32_t)sys0(__NR_geteuid);
}

bool os_thread_alive(uint32_t pid, uint32_t tid)
{
	return sys3(__NR_tgkill, pid, tid, 0) != -OS_ESRCH;
}

#define STAT_FLAGS 7     /* blanks between the name and the flags, see proc(5) */
#define PF_EXITING 0x4u /* kernel flag, set before a joining thread is woken */

/* Read state and flags, see proc(5). The name may contain blanks and parentheses. */
static char read_stat(const char *stat, uint64_t *flags)
{
	char text[256], state = 0;
	long fd = os_open(stat, OS_READ);
	long len = fd < 0 ? 0 : os_read(fd, text, sizeof(text));
	long at = len;

	*flags = 0;
	if (fd >= 0)
		os_close(fd);
	while (at > 0 && text[at - 1] != ')')
		at--;
	if (at > 0 && at + 1 < len)
		state = text[at + 1];
	for (int blanks = 0; at > 0 && at < len && blanks <= STAT_FLAGS; at++) {
		if (text[at] == ' ')
			blanks++;
		else if (blanks == STAT_FLAGS)
			*flags = *flags * 10 + (uint64_t)(text[at] - '0');
	}
	return state;
}

bool os_exiting(const char *stat)
{
	uint64_t flags;

	read_stat(stat, &flags);
	return flags & PF_EXITING;
}

bool os_sleeps_deeply(const char *stat)
{
	uint64_t flags;

	return read_stat(stat, &flags) == 'D';
}

bool os_process_alive(uint32_t pid)
{
	return sys2(__NR_kill, pid, 0) != -OS_ESRCH;
}

uint64_t os_pid_namespace(void)
{
	struct stat st;

	return sys2(__NR_stat, (long)"/proc/self/ns/pid", (long)&st) ? 0 : st.st_ino;
}

#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

void os_wait_word(const uint32_t *word, uint32_t is, unsigned ms)
{
	const struct timespec limit = { ms / 1000, (long)(ms % 1000) * 1000000 };

	sys6(__NR_futex, (long)word, FUTEX_WAIT, is, (long)&limit, 0, 0);
}

void os_wake_word(const uint32_t *word)
{
	sys6(__NR_futex, (long)word, FUTEX_WAKE, 1, 0, 0, 0);
}

void os_nap(unsigned us)
{
	const struct timespec nap = { 0, (long)us * 1000 };

	sys2(__NR_nanosleep, (long)&nap, 0);
}

void os_thread_name(char name[16])
{
	name[0] = 0;
	sys5(__NR_prctl, PR_GET_NAME, (long)name, 0, 0, 0);
}

void os_hostname(char *buf, size_t size)
{
	struct utsname u;
	size_t i = 0;

	if (sys1(__NR_uname, (long)&u) == 0)
		for (; u.nodename[i] && i + 1 < size; i++)
			buf[i] = u.nodename[i] == '/' ? '_' : u.nodename[i];
	buf[i] = 0;
}

uint64_t os_stack_limit(void)
{
	struct rlimit r;

	if (sys4(__NR_prlimit64, 0, RLIMIT_STACK, 0, (long)&r) != 0)
		return 8u << 20;
	return r.rlim_cur;
}

void os_yield(void)
{
	sys0(__NR_sched_yield);
}

#define TRAP_FLAG 0x100u /* trap flag of the processor: single-stepping */
static unsigned long to_block = ~0ul;

void os_never_block(int sig)
{
	to_block &= ~(1ul << (sig - 1));
}

/* A single-step trap while SIGTRAP is blocked would kill the program, because the kernel forces the
 * default action. So SIGTRAP is not blocked while stepping; bob_signal_begin ignores steps in our
 * code. */
unsigned long os_block_signals(void)
{
	const bool is_stepped = __builtin_ia32_readeflags_u64() & TRAP_FLAG;
	const unsigned long mask = is_stepped ? to_block & ~(1ul << (SIGTRAP - 1)) : to_block;
	unsigned long old = 0;

	sys4(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&old, 8);
	return old;
}

void os_restore_signals(unsigned long old)
{
	sys4(__NR_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, 8);
}

long os_sigaction(int sig, const struct os_action *act, struct os_action *old)
{
	return sys4(__NR_rt_sigaction, sig, (long)act, (long)old, 8);
}

void os_raise(int sig)
{
	sys3(__NR_tgkill, os_pid(), os_tid(), sig);
}

static uint64_t parse_hex(const char **p, const char *end)
{
	uint64_t v = 0;

	for (; *p < end; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return v;
}

/* Parse lines "lo-hi perms ..." in ascending order. The next read completes a line that is cut by
 * the buffer; of a line longer than the buffer only the head is used. */
static bool find_in(long fd, uint64_t addr, uint64_t *lo, uint64_t *hi, uint64_t *below)
{
	char buf[1024];
	size_t have = 0;
	bool found = false;

	*below = 0;
	while (!found) {
		long n = sys3(__NR_read, fd, (long)(buf + have), (long)(sizeof(buf) - have));
		if (n <= 0)
			break;
		have += (size_t)n;
		size_t at = 0;
		while (!found) {
			size_t end = at;

			while (end < have && buf[end] != '\n')
				end++;
			if (end == have)
				break;
			const char *p = buf + at;
			uint64_t a = parse_hex(&p, buf + end);

			p++;
			uint64_t b = parse_hex(&p, buf + end);
			if (addr >= a && addr < b) {
				*lo = a;
				*hi = b;
				found = true;
			} else if (b <= addr) {
				*below = b;
			}
			at = end + 1;
		}
		/* a path of over 900 bytes: keep the head of the line */
		if (at == 0 && have == sizeof(buf)) {
			have = 64;
		} else {
			for (size_t i = at; i < have; i++)
				buf[i - at] = buf[i];
			have -= at;
		}
	}
	return found;
}

/* Open the maps of this thread, because that of the process is empty once its first thread has
 * ended. By its number first, because proot resolves thread-self to itself; not if /proc shows
 * another pid namespace. */
static long open_maps(void)
{
	char path[48];
	size_t n = text_add(path, sizeof(path), 0, "/proc/self/task/");
	long fd;

	n = text_add_u64(path, sizeof(path), n, os_tid(), 10);
	text_add(path, sizeof(path), n, "/maps");
	fd = os_open(path, OS_READ);
	return fd >= 0 ? fd : os_open("/proc/thread-self/maps", OS_READ);
}

/* Linux 6.11 and later can look up an address. Otherwise the text of all preceding mappings must be
 * read, which may be a megabyte with 2,000 threads. */
#define PROCMAP_QUERY 0xc0686611ul
struct procmap_query {
	uint64_t size, flags, addr, lo, hi, more[5];
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};
BOB_STATIC_ASSERT(sizeof(struct procmap_query) == 104, "as the kernel has it");

static bool query(long fd, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	struct procmap_query q = { .size = sizeof(q), .addr = addr };

	if (fd < 0 || sys3(__NR_ioctl, fd, PROCMAP_QUERY, (long)&q) != 0)
		return false;
	*lo = q.lo;
	*hi = q.hi;
	return true;
}

/* Tries the maps of the process first: the kernel caches that entry, whereas the first open of a
 * thread's file takes tens of microseconds. */
bool os_find_mapping(uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	long fd = os_open("/proc/self/maps", OS_READ);
	bool found = query(fd, addr, lo, hi);
	uint64_t below;

	if (fd >= 0)
		os_close(fd);
	if (found)
		return true;
	fd = open_maps();
	if (fd < 0)
		return false;
	found = query(fd, addr, lo, hi) || find_in(fd, addr, lo, hi, &below);
	os_close(fd);
	return found;
}

uint64_t os_end_below(uint64_t addr)
{
	const long fd = open_maps();
	uint64_t lo, hi, below = 0;

	if (fd < 0)
		return 0;
	(void)find_in(fd, addr, &lo, &hi, &below);
	os_close(fd);
	return below;
}

static uint64_t now(long clock)
{
	struct timespec ts = { 0, 0 };

	sys2(__NR_clock_gettime, clock, (long)&ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t os_time_mono(void)
{
	return now(CLOCK_MONOTONIC);
}

uint64_t os_time_real(void)
{
	return now(CLOCK_REALTIME);
}
