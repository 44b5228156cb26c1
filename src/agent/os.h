/* SPDX-License-Identifier: BSD-3-Clause */
/* All system calls of the agent. Raw, without libc, errno of the program unchanged. A negative
 * result is -errno. After the program has installed a seccomp filter, no system call may be made:
 * every caller on the event path checks os_allowed() first. */
#ifndef BOB_AGENT_OS_H
#define BOB_AGENT_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_EPERM 1
#define OS_ENOENT 2
#define OS_ESRCH 3
#define OS_EINTR 4
#define OS_EEXIST 17
#define OS_EINVAL 22
#define OS_EFBIG 27
#define OS_ENOSYS 38
#define OS_EOPNOTSUPP 95

/* Once false, it stays false in this process and its fork children, like the filter. */
bool os_allowed(void);
void os_forbid(void);
extern bool bob_os_forbidden; /* for assembly */

/* Allocate memory, zeroed and private, between two guard pages, so that out-of-bounds writes of the
 * program hit these and not our memory. NULL on failure. */
void *os_map(size_t size);
/* Map bytes of a file in the same way, shared and writable. */
void *os_map_window(long fd, uint64_t off, size_t len);
/* Map `len` bytes of the file of which `page` is mapped, `skip` bytes (whole pages, > 0) after that
 * page. */
void *os_map_again(const void *page, uint64_t skip, size_t len);
void os_unmap(void *p, size_t size); /* for these three */
/* Allocate memory without guard pages, exactly at `where` or not at all; 0: anywhere. */
void *os_map_at(uint64_t where, size_t size);
/* Map a file for reading. */
const void *os_map_file(long fd, size_t len);
void os_unmap_bare(const void *p, size_t size); /* for these two */
/* `prot`: bit 0 read, 1 write, 2 execute. */
long os_protect(uint64_t addr, size_t size, int prot);
long os_wipe_on_fork(void *p, size_t size);
long os_drop_pages(void *p, size_t size);
long os_small_pages(void *p, size_t size); /* use pages of the smallest size only */
bool os_is_mapped(uint64_t addr);
/* Whether one byte at each of the n <= 64 addresses is readable; true if the kernel cannot
 * answer. */
bool os_readable(const void *const *what, size_t n);

/* Files. Paths are absolute. Descriptors are closed before the agent returns to the program. */
/* OS_UNNAMED: a new file in that directory, without a name until os_link */
enum os_open { OS_READ, OS_WRITE, OS_CREATE_NEW, OS_UNNAMED };
long os_open(const char *path, enum os_open how);
void os_close(long fd);
long os_read(long fd, void *buf, size_t len);
long os_write(long fd, const void *buf, size_t len);
long os_file_size(long fd);
/* Set the permissions of the file to those of the directory, independent of the program's umask. */
void os_mode_as(long fd, const char *dir);
/* Owner and mode bits of an open file. -errno on failure. */
long os_file_owner(long fd, uint32_t *uid, uint32_t *mode);
long os_allocate(long fd, uint64_t off, uint64_t len); /* without holes */
long os_truncate(long fd, uint64_t len);
long os_rename_new(const char *from, const char *to); /* fails if `to` exists */
long os_link(const char *from, const char *to); /* fails if `to` exists */
long os_unlink(const char *path);
long os_readlink(const char *path, char *buf, size_t size);
long os_getcwd(char *buf, size_t size);

/* Processes and threads. */
uint32_t os_pid(void);
uint32_t os_ppid(void);
uint32_t os_tid(void);
uint32_t os_uid(void);
bool os_thread_alive(uint32_t pid, uint32_t tid); /* or not reaped yet */
/* Whether a thread, given by its file in /proc, has finished running the program. */
bool os_exiting(const char *stat);
bool os_sleeps_deeply(const char *stat); /* likewise: is in uninterruptible sleep, as the parent of
					  * a vfork */
void os_thread_name(char name[16]);
void os_hostname(char *buf, size_t size);
uint64_t os_stack_limit(void); /* RLIMIT_STACK, ~0 if unlimited */
void os_yield(void);
bool os_process_alive(uint32_t pid); /* or is a zombie */
uint64_t os_pid_namespace(void); /* 0: unknown */
/* Wait until *word differs from `is`, another thread wakes it, a signal arrives, or the time is
 * over. Works between processes. */
void os_wait_word(const uint32_t *word, uint32_t is, unsigned ms);
void os_wake_word(const uint32_t *word);
void os_nap(unsigned us);

/* --- os_socket.c --- each call waits at most a second */
/* Connect to a listener by its abstract name (no file system path). */
long os_connect(const char *name, size_t len);
long os_send(long fd, const void *bytes, size_t len);
/* Receive a message, and the descriptor passed with it (-1: none). */
long os_receive(long fd, void *bytes, size_t len, long *passed);
unsigned long os_block_signals(void); /* returns the argument for os_restore_signals */
void os_never_block(int sig); /* never block this signal from now on */
void os_restore_signals(unsigned long old);
/* As in the kernel. */
struct os_action {
	uint64_t handler, flags, restorer, mask;
};
/* `act` or `old` may be NULL. */
long os_sigaction(int sig, const struct os_action *act, struct os_action *old);
void os_raise(int sig); /* to this thread */
/* Bounds of the mapping that contains addr. */
bool os_find_mapping(uint64_t addr, uint64_t *lo, uint64_t *hi);
/* End of the mapping before the one that contains addr; 0: none, or unknown. */
uint64_t os_end_below(uint64_t addr);
uint64_t os_time_mono(void); /* ns, by system call */
uint64_t os_time_real(void);

/* Hide the programs that we run from tracers of the process, or not. */
void os_hide_children(bool hide);
/* Run `argv` (argv[0] is a path) with `envp`, without inherited descriptors, output to /dev/null,
 * and wait for it; it is killed after `limit_ms`. Invisible to the program's wait and SIGCHLD.
 * Returns the exit status (0..255) or -1. */
int os_run(const char *const *argv, const char *const *envp, unsigned limit_ms);
/* The same without waiting. Its standard input and output are a socket; *fd is our end of it, and
 * belongs to the caller. Returns a number for os_helper_end, or -errno. */
long os_helper_begin(const char *const *argv, const char *const *envp, unsigned limit_ms, long *fd);
/* Wait until it has ended by itself, or kill it (`at_once`). */
void os_helper_end(long pid, bool at_once);

#endif
