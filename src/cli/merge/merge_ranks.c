/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge by the processes of an MPI launcher, synchronised by marker files (merge_ranks.h). A
 * marker's bytes say how far its rank is; a lock on it shows that the rank is alive. */
#define _GNU_SOURCE
#include "cli/merge/merge_ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/hash.h"
#include "base/host/clock.h"
#include "cli/terminal/complain.h"
#include "sys/sys.h"

#define POLL_MS 20
#define BEGIN_MS 10000		/* for other ranks to begin, after rank 0 */
#define COME_MS 30000		/* for rank 0 to begin */
#define WAIT_S 600		/* for all others to end; BOBBIN_MERGE_WAIT overrides */
#define RANKS_MAX 65536u

enum { GO = 1, BEGUN = 2, DONE = 3 }; /* bytes of a marker */

struct place {
	const char *dir;
	char key[17];		/* of this job */
};

/* --- rank and size --- */

static int number_of(const char *name, uint32_t *out)
{
	const char *text = getenv(name);
	char *end;
	unsigned long v;

	if (!text || !*text)
		return 0;
	v = strtoul(text, &end, 10);
	*out = (uint32_t)v;
	return !*end && v <= RANKS_MAX;
}

int cli_rank(uint32_t *rank, uint32_t *size)
{
	/* a batch script has a rank, but no step */
	static const char *const names[][3] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_RANK", "PMI_SIZE", NULL },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (number_of(names[i][0], rank) && number_of(names[i][1], size) &&
		    (!names[i][2] || getenv(names[i][2])))
			return *size > 1 && *rank < *size;
	return 0;
}

static void find_place(const char *dir, struct place *p)
{
	char key[512];

	p->dir = dir;
	bob_run_key(key, sizeof(key));
	snprintf(p->key, sizeof(p->key), "%016" PRIx64, bob_hash64(0, key, strlen(key)));
}

/* --- files --- */

static char *path_of(const struct place *p, uint32_t rank, const char *end)
{
	char *path;

	return asprintf(&path, "%s/merge.%s.%" PRIu32 "%s", p->dir, p->key, rank, end) < 0 ? NULL :
											     path;
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ 0, POLL_MS * 1000000L }, NULL);
}

/* Locks the directory. A rank holds the lock when it publishes its file, and rank 0 when it stops
 * waiting for it. -1: locks do not work. */
static int lock_all(const struct place *p)
{
	char *path = path_of(p, 0, ".lock");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;

	free(path);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) && errno == EINTR)
			;
	return fd;
}

/* The marker has its contents from its creation. */
static void make_marker(const struct place *p, uint32_t rank, char what)
{
	char *path = path_of(p, rank, ""), *beside = path_of(p, rank, ".new");
	int fd = path && beside ? open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;

	if (fd >= 0 && (write(fd, &what, 1) != 1 || rename(beside, path)))
		unlink(beside);
	if (fd >= 0)
		close(fd);
	free(path);
	free(beside);
}

static void remove_marker(const struct place *p, uint32_t rank)
{
	char *path = path_of(p, rank, "");

	if (path)
		unlink(path);
	free(path);
}

/* --- a share --- */

struct share {
	struct bob_memory_file *file;
	char **name;
	size_t count, files;
};

static int is_process(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return e->d_name[0] == 'p' && len > 4 && !strcmp(e->d_name + len - 4, ".bob");
}

static void add_file(const char *dir, struct share *s, const char *name)
{
	struct stat sb;
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(path);
	if (fd >= 0 && !fstat(fd, &sb) && S_ISREG(sb.st_mode) && sb.st_size) {
		void *at = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (at != MAP_FAILED)
			s->file[s->files++] =
				(struct bob_memory_file){ name, at, (uint64_t)sb.st_size };
	}
	if (fd >= 0)
		close(fd);
}

/* Assigns files in order of names: these contain pids, so neighbouring ranks mostly stay
 * together. */
static void open_share(const char *dir, uint32_t rank, uint32_t size, struct share *s)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_process, alphasort);

	memset(s, 0, sizeof(*s));
	if (n < 0)
		return;
	s->file = calloc((size_t)n + 1, sizeof(*s->file));
	s->name = calloc((size_t)n + 1, sizeof(*s->name));
	for (uint64_t i = 0; i < (uint64_t)n; i++) {
		if (s->file && s->name && i * size / (uint64_t)n == rank) {
			s->name[s->count] = strdup(entry[i]->d_name);
			if (s->name[s->count])
				add_file(dir, s, s->name[s->count++]);
		}
		free(entry[i]);
	}
	free(entry);
}

static void close_share(struct share *s)
{
	for (size_t i = 0; i < s->files; i++)
		munmap((void *)(uintptr_t)s->file[i].bytes, s->file[i].len);
	for (size_t i = 0; i < s->count; i++)
		free(s->name[i]);
	free(s->file);
	free(s->name);
}

/* BOB_NONE: nothing can be merged. */
static bob_status merge_to(const struct share *s, const char *path)
{
	struct bob_trace *t = NULL;
	uint8_t *is_in = NULL;
	FILE *to = NULL;
	bob_status st = bob_archive_open_running(s->file, s->files, &t, NULL);

	if (st == BOB_OK) {
		bob_archive_sum(t, 1);
		is_in = calloc(bob_trace_process_count(t) + 1, 1);
		to = is_in ? fopen(path, "wbxe") : NULL;
		st = to ? bob_archive_merge_processes(t, 0, to, is_in, NULL) : BOB_ERR_IO;
	}
	if (to && fclose(to) && st == BOB_OK)
		st = BOB_ERR_IO;
	if (to && st != BOB_OK)
		unlink(path);
	free(is_in);
	bob_trace_close(t);
	return st;
}

/* Publishes the file, but only if rank 0 still waits for it. */
static void give(const struct place *p, uint32_t rank, int marker, const char *beside)
{
	struct stat sb;
	char *path = NULL;
	int lock = lock_all(p);

	if (asprintf(&path, "%s/trace.%s.%" PRIu32 ".bob", p->dir, p->key, rank) < 0)
		path = NULL;
	if (!path || (rank && (fstat(marker, &sb) || !sb.st_nlink)) || rename(beside, path))
		unlink(beside);
	free(path);
	if (lock >= 0)
		close(lock);
}

static int do_share(const struct place *p, uint32_t rank, uint32_t size, int marker)
{
	char *beside = path_of(p, rank, ".part");
	bob_status st = BOB_NONE;
	struct share s;

	open_share(p->dir, rank, size, &s);
	if (beside && s.files > 1)
		st = merge_to(&s, beside);
	close_share(&s);
	if (st == BOB_OK)
		give(p, rank, marker, beside);
	free(beside);
	return st == BOB_OK || st == BOB_NONE ?
		       0 :
		       cli_fail("merge", "rank %" PRIu32 ": %s: rank 0 does it", rank,
				bob_status_text(st));
}

/* --- ranks above 0 --- */

static int await_marker(const struct place *p, uint32_t rank)
{
	char *path = path_of(p, rank, "");
	int fd = -1;

	for (int ms = 0; path && fd < 0 && ms < COME_MS; ms += POLL_MS) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			pause_a_little();
	}
	free(path);
	return fd;
}

int cli_merge_rank(const char *dir, uint32_t rank, uint32_t size)
{
	struct place p;
	int marker, status = 0;
	char what = 0;

	find_place(dir, &p);
	marker = await_marker(&p, rank);
	if (marker < 0)
		return cli_fail("merge", "rank %" PRIu32 ": rank 0 did not begin within %d s", rank,
				COME_MS / 1000);
	while (flock(marker, LOCK_EX) && errno == EINTR)
		;
	if (read(marker, &what, 1) == 1 && what == 'g' && write(marker, "s", 1) == 1) {
		status = do_share(&p, rank, size, marker);
		if (write(marker, "d", 1) != 1)
			status = cli_fail("merge", "rank %" PRIu32 ": %m", rank);
	} else {
		remove_marker(&p, rank);
	}
	close(marker);
	return status;
}

/* --- rank 0 --- */

/* The lock is free, so its owner has died. */
static int is_free(int fd)
{
	return !flock(fd, LOCK_EX | LOCK_NB);
}

/* Why rank 0 need not wait any longer; NULL: it must. "": the rank has done its share. */
static const char *ended(const struct place *p, uint32_t rank, int64_t ms, int64_t most)
{
	char *path = path_of(p, rank, "");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	const char *why = NULL;
	struct stat sb;

	free(path);
	if (fd < 0 || fstat(fd, &sb))
		why = "its marker cannot be read";
	else if (sb.st_size >= DONE)
		why = "";
	else if (sb.st_size == BEGUN && is_free(fd) && !fstat(fd, &sb))
		why = sb.st_size >= DONE ? "" : "it died";
	else if (sb.st_size == GO && ms >= BEGIN_MS)
		why = "it did not begin";
	else if (ms >= most)
		why = "it takes too long";
	if (fd >= 0)
		close(fd);
	return why;
}

static int64_t now_ms(void)
{
	return (int64_t)(bob_clock_ns(CLOCK_MONOTONIC) / 1000000);
}

static int64_t most_ms(void)
{
	const char *text = getenv("BOBBIN_MERGE_WAIT");
	long seconds = text ? strtol(text, NULL, 10) : 0;

	return 1000 * (int64_t)(seconds > 0 ? seconds : WAIT_S);
}

static void await_rank(const struct place *p, uint32_t rank, int64_t begin)
{
	const int64_t most = most_ms();
	const char *why;
	int lock;

	while (!(why = ended(p, rank, now_ms() - begin, most)))
		pause_a_little();
	if (*why)
		fprintf(stderr, "bobbin merge: rank %" PRIu32 ": %s; rank 0 does its share\n", rank,
			why);
	lock = lock_all(p);
	remove_marker(p, rank);
	if (lock >= 0)
		close(lock);
}

/* Waits until the rank removes its marker, having seen that there is nothing to do. A launcher that
 * gets the report of our failure might kill it before. */
static void await_leave(const struct place *p, uint32_t rank, int64_t begin)
{
	char *path = path_of(p, rank, "");

	while (path && !access(path, F_OK) && now_ms() - begin < BEGIN_MS)
		pause_a_little();
	free(path);
	remove_marker(p, rank);
}

/* Removes files of earlier, interrupted merges. Their trace files are part of the trace. */
static void remove_old(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "merge.", 6))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

/* Whether there is a trace file of processes that continue in their own files: only a single
 * process can combine these. */
static int has_heads(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int found = 0;

	while (d && (e = readdir(d)))
		found |= e->d_name[0] == 't' && strcmp(e->d_name, "trace.bob") != 0;
	if (d)
		closedir(d);
	return found;
}

void cli_merge_shares(const char *dir, uint32_t size, int alone)
{
	struct place p;
	int64_t begin;

	find_place(dir, &p);
	if (!alone)
		remove_old(dir);
	alone = alone || has_heads(dir);
	for (uint32_t rank = 1; rank < size; rank++)
		make_marker(&p, rank, alone ? 'n' : 'g');
	begin = now_ms();
	for (uint32_t rank = 1; rank < size && alone; rank++)
		await_leave(&p, rank, begin);
	if (alone)
		return;
	(void)do_share(&p, 0, size, -1);
	for (uint32_t rank = 1; rank < size; rank++)
		await_rank(&p, rank, begin);
	remove_old(dir);
}
