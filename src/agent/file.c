/* SPDX-License-Identifier: BSD-3-Clause */
/* The process file. It is mapped in windows of 64 KB, doubling to 4 MB, and filled with chunks by a
 * bump pointer. Each window is allocated by us or by the keeper (keeper.c) before it is used, so a
 * full disk means a refused window, never a SIGBUS. `used` in the file head increases after a
 * chunk's header is complete, so a reader never sees an incomplete header. No descriptor stays
 * open; windows stay mapped until the process ends. */
#include "agent/agent.h"

#include <string.h>

#include "agent/thread_area.h"
#include "agent/os.h"
#include "archive/write/keeper.h"
#include "archive/write/ring.h"

#define WINDOW_FIRST BOB_KEEPER_BYTES
#define WINDOW_MAX (4u << 20)
#define SEQ_MAX 100000u

static bool use_window(uint8_t *w, uint64_t off, uint64_t size)
{
	struct bob_process *p = &bob_process;

	if (!w) {
		p->no_space = os_allowed() ? BOB_STOP_MEMORY : BOB_STOP_SECCOMP;
		return false;
	}
	p->window = w;
	p->window_off = off;
	p->window_size = size;
	p->window_used = 0;
	return true;
}

static bool open_window(long fd, uint64_t off, uint64_t size)
{
	return os_allocate(fd, off, size) >= 0 &&
	       use_window(os_map_window(fd, off, size), off, size);
}

/* Map a window of a file that this process can no longer open or enlarge: the keeper enlarges it,
 * and a page that is already mapped gives access to the following pages. */
static bool open_window_kept(uint64_t off, uint64_t size)
{
	const struct bob_process *p = &bob_process;
	const uint64_t last = p->window_off + p->window_size - BOB_PAGE;

	/* the next one will be twice as large */
	if (!keeper_allocate(off + size, 2 * size < WINDOW_MAX ? 2 * size : WINDOW_MAX))
		return false;
	return use_window(os_map_again(p->window + p->window_size - BOB_PAGE, off - last, size),
			  off, size);
}

/* Open a window ourselves, or else through the keeper. */
static bool find_window(uint64_t off, uint64_t size)
{
	struct bob_process *p = &bob_process;
	long fd;
	bool ok;

	if (!os_allowed())
		return use_window(keeper_window(off, size), off, size);
	fd = os_open(p->path, OS_WRITE);
	p->no_space = fd < 0 ? BOB_STOP_PATH : BOB_STOP_DISK;
	ok = fd >= 0 && open_window(fd, off, size);
	if (fd >= 0)
		os_close(fd);
	return ok || open_window_kept(off, size);
}

static void fill_head(struct bob_file_head *h, uint32_t seq, const struct bob_fork *parent)
{
	char host[64];

	os_hostname(host, sizeof(host));
	bob_file_begin(h, BOB_FILE_PROCESS, host);
	h->pid = os_pid();
	h->ppid = os_ppid();
	h->seq = seq;
	h->start_real_ns = os_time_real();
	h->start_mono_ns = os_time_mono();
	if (parent) {
		h->parent_pid = parent->pid;
		h->parent_seq = parent->seq;
		h->parent_stream = parent->stream;
		h->parent_pos = parent->pos;
		h->debugged_mono_ns = parent->debugged;
	}
	bob_file_seal(h);
}

static void name_file(uint32_t seq)
{
	char *path = bob_process.path, host[64], name[BOB_NAME_BYTES];
	size_t at = text_add(path, BOB_PATH_MAX, 0, bob_process.config.dir);

	os_hostname(host, sizeof(host));
	bob_name_process(name, sizeof(name), host, os_pid(), seq);
	at = text_add(path, BOB_PATH_MAX, at, "/");
	text_add(path, BOB_PATH_MAX, at, name);
}

static long create_named(uint32_t *seq)
{
	for (*seq = 0; *seq < SEQ_MAX; ++*seq) {
		name_file(*seq);
		long fd = os_open(bob_process.path, OS_CREATE_NEW);
		if (fd != -OS_EEXIST)
			return fd;
	}
	return -OS_EEXIST;
}

/* Create the first chunk for a collector, if another process folds the records. */
static void expect_collector(void)
{
	struct bob_process *p = &bob_process;
	struct bob_chunk_head *h =
		file_chunk(BOB_CHUNK_COLLECTOR, BOB_STREAM_NONE, sizeof(*p->collector), 0);
	struct bob_collector *c = bob_chunk_data(h);

	c->end = p->window_size;
	c->namespace = os_pid_namespace();
	p->collector = c;
	bob_ring_pad(p->window + p->window_used, p->window_size - p->window_used);
	bob_ring_used(p->file, p->window_size);
	__atomic_store_n(&c->launcher, p->config.collector, __ATOMIC_RELEASE);
}

static bob_status begin_file(long fd, uint32_t seq, const struct bob_fork *parent)
{
	struct bob_process *p = &bob_process;

	os_mode_as(fd, p->config.dir);
	/* the keeper's file has already been allocated */
	if (os_file_size(fd) >= (long)WINDOW_FIRST ?
		    !use_window(os_map_window(fd, 0, WINDOW_FIRST), 0, WINDOW_FIRST) :
		    !open_window(fd, 0, WINDOW_FIRST))
		return BOB_ERR_FULL;
	p->file = (struct bob_file_head *)(void *)p->window;
	p->window_used = BOB_FILE_HEAD_BYTES;
	p->window_grown = WINDOW_FIRST;
	p->streams = 0;
	p->collector = NULL;
	fill_head(p->file, seq, parent);
	return BOB_OK;
}

/* Create the file without a name, and name it when its head is complete: a process that is killed
 * before leaves no file. BOB_NONE: the file system has no unnamed files, or there is no /proc. Not
 * with collectors, which look up the file's name in /proc/PID/maps: it would never appear there. */
static bob_status create_whole(const struct bob_fork *parent)
{
	struct bob_process *p = &bob_process;
	long fd = os_open(p->config.dir, OS_UNNAMED), r = -OS_EEXIST;
	char unnamed[64];
	bob_status st;

	if (fd < 0)
		return BOB_NONE;
	text_add_u64(unnamed, sizeof(unnamed),
		     text_add(unnamed, sizeof(unnamed), 0, "/proc/thread-self/fd/"), (uint64_t)fd,
		     10);
	st = begin_file(fd, 0, parent);
	for (uint32_t seq = 0; st == BOB_OK && r == -OS_EEXIST && seq < SEQ_MAX; seq++) {
		name_file(seq);
		p->file->seq = seq;
		bob_file_seal(p->file);
		r = os_link(unnamed, p->path);
	}
	os_close(fd);
	if (st != BOB_OK || r == 0)
		return st;
	os_unmap(p->window, WINDOW_FIRST);
	p->file = NULL;
	p->window = NULL;
	p->window_size = p->window_used = 0;
	return BOB_NONE;
}

/* Create the file through the keeper: the directory is unreachable, or this process has no space
 * for a file. Not with collectors, as above. */
static bob_status create_kept(const struct bob_fork *parent)
{
	struct bob_keeper keeper;
	uint32_t seq = 0;
	long fd = bob_process.config.collector ? -1 : keeper_new_file(&keeper, &seq);
	bob_status st;

	if (fd < 0)
		return BOB_ERR_IO;
	st = begin_file(fd, seq, parent);
	os_close(fd);
	name_file(seq);
	if (!keeper_name_file(&keeper, st == BOB_OK))
		st = BOB_ERR_IO;
	return st;
}

bob_status file_create(const struct bob_fork *parent)
{
	bob_status st = bob_process.config.collector ? BOB_NONE : create_whole(parent);
	uint32_t seq;
	long fd;

	if (st == BOB_ERR_FULL)
		return create_kept(parent) == BOB_OK ? BOB_OK : st;
	if (st != BOB_NONE)
		return st;
	fd = create_named(&seq);
	if (fd < 0)
		return create_kept(parent);
	st = begin_file(fd, seq, parent);
	os_close(fd);
	if (st != BOB_OK)
		os_unlink(bob_process.path); /* leave no incomplete file */
	else if (bob_process.config.collector)
		expect_collector();
	return st;
}

static struct bob_chunk_head *place(enum bob_chunk_kind kind, uint32_t stream, uint64_t size,
				    uint64_t aux)
{
	struct bob_process *p = &bob_process;
	struct bob_chunk_head *h = (void *)(p->window + p->window_used);

	p->window_used += sizeof(*h) + size;
	if (p->collector)
		bob_ring_pad(p->window + p->window_used, p->window_size - p->window_used);
	bob_chunk_begin(h, kind, stream, size, aux);
	if (p->collector)
		bob_ring_used(p->file, p->window_off + p->window_size);
	else
		bob_file_set_used(p->file, p->window_off + p->window_used);
	return h;
}

/* Open a window at the end of the last one, taking the collector's windows into account. */
static bool open_shared(uint64_t size)
{
	uint64_t *end = &bob_process.collector->end;
	uint64_t off = __atomic_fetch_add(end, size, __ATOMIC_RELAXED), after = off + size;

	if (find_window(off, size)) {
		bob_ring_pad(bob_process.window, size);
		return true;
	}
	(void)__atomic_compare_exchange_n(end, &after, off, false, __ATOMIC_RELAXED,
					  __ATOMIC_RELAXED);
	return false;
}

/* Fill the rest of the window with a PAD chunk, and open a new window. */
static bool next_window(uint64_t need)
{
	struct bob_process *p = &bob_process;
	uint64_t off = p->window_off + p->window_size;
	uint64_t size = p->window_grown ? p->window_grown * 2 : WINDOW_FIRST;
	uint64_t left = p->window_size - p->window_used;

	if (!os_allowed())
		size = WINDOW_FIRST;
	if (size > WINDOW_MAX)
		size = WINDOW_MAX;
	while (size < need)
		size *= 2;
	uint8_t *old = p->window;
	uint64_t old_off = p->window_off, old_used = p->window_used;
	while (!(p->collector ? open_shared(size) : find_window(off, size))) {
		if (p->no_space != BOB_STOP_MEMORY || size / 2 < need || size <= WINDOW_FIRST)
			return false;
		size /= 2; /* under RLIMIT_AS a small one may be possible */
	}
	p->window_grown = size;
	if (!p->collector && left >= sizeof(struct bob_chunk_head)) {
		uint8_t *now = p->window;

		p->window = old;
		p->window_off = old_off;
		p->window_used = old_used;
		place(BOB_CHUNK_PAD, ~0u, left - sizeof(struct bob_chunk_head), 0);
		p->window = now;
		p->window_off = off;
		p->window_used = 0;
	}
	return true;
}

struct growth {
	uint64_t need;
	bool done;
};

static void grow(void *growth)
{
	struct growth *g = growth;

	g->done = next_window(g->need);
}

/* Any event may need it, so it runs on the per-thread area: the program's stack may be small. */
static bool grow_on_area(uint64_t need)
{
	struct growth g = { .need = need };

	area_run_blocked(grow, &g);
	return g.done;
}

struct bob_chunk_head *file_chunk(enum bob_chunk_kind kind, uint32_t stream, uint64_t size,
				  uint64_t aux)
{
	struct bob_process *p = &bob_process;
	uint64_t bytes = (size + BOB_CHUNK_ALIGN - 1) & ~(uint64_t)(BOB_CHUNK_ALIGN - 1);
	uint64_t need = bytes + sizeof(struct bob_chunk_head);

	if (!p->file)
		return NULL;
	if (p->window_size - p->window_used < need && !grow_on_area(need))
		return NULL;
	return place(kind, stream, bytes, aux);
}

struct bob_chunk_head *file_chunk_at(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				     uint64_t size, uint64_t aux, uint64_t *off)
{
	const struct bob_process *p = &bob_process;
	struct bob_chunk_head *c;

	(void)ctx;
	lock_process();
	c = file_chunk(kind, stream, size, aux);
	if (c)
		*off = p->window_off + (uint64_t)((uint8_t *)c - p->window);
	unlock_process();
	return c;
}

/* Truncate the unused part of the last window. A thread that still needs space gets a new window
 * after it. */
static void trim(void)
{
	struct bob_process *p = &bob_process;
	uint64_t tail = -p->window_used & (BOB_PAGE - 1);

	if (tail >= sizeof(struct bob_chunk_head))
		place(BOB_CHUNK_PAD, ~0u, tail - sizeof(struct bob_chunk_head), 0);
	else if (tail)
		return;
	long fd = os_open(p->path, OS_WRITE);
	if (fd < 0) { /* the keeper does it when it sees the end */
		p->file->wanted = p->window_off + p->window_used;
		return;
	}
	if (os_truncate(fd, p->window_off + p->window_used) == 0)
		p->window_size = p->window_used;
	os_close(fd);
}

void file_close(enum bob_file_state state)
{
	struct bob_file_head *f = bob_process.file;

	/* a process that survived a failed exec ends a second time */
	if (!f || (f->state != BOB_FILE_OPEN && f->state != BOB_FILE_EXEC))
		return;
	if (!bob_process.collector) /* a collector may write after it */
		trim();
	bob_file_end(f, state, BOB_STOP_NONE, os_time_mono());
}

bool file_after_collector(void)
{
	struct bob_process *p = &bob_process;
	bool ok;

	lock_process();
	ok = p->window_off + p->window_size == p->collector->end || next_window(0);
	unlock_process();
	return ok;
}

uint8_t *file_map_all(uint64_t *len)
{
	long fd = os_open(bob_process.path, OS_WRITE), size = -1;
	uint8_t *file = NULL;

	if (fd < 0)
		return NULL;
	size = os_file_size(fd);
	if (size > 0)
		file = os_map_window(fd, 0, (size_t)size);
	os_close(fd);
	*len = (uint64_t)size;
	return file;
}

bool meta_open(struct bob_meta *m, size_t size)
{
	void *bytes = os_map(size);

	bob_meta_init(m, bytes, bytes ? size : 0);
	return bytes;
}

void meta_flush(struct bob_meta *m)
{
	if (m->buf && m->len) {
		struct bob_chunk_head *h = file_chunk(BOB_CHUNK_META, ~0u, m->len, 0);

		if (h) {
			memcpy(bob_chunk_data(h), m->buf, m->len);
			bob_chunk_seal(h, m->len);
		}
	}
	if (m->buf)
		os_unmap(m->buf, m->cap);
	bob_meta_init(m, NULL, 0);
}
