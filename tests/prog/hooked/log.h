/* SPDX-License-Identifier: BSD-3-Clause */
/* The log of hooked functions: B and E lines in a file for each thread, written when it ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_MAX 200000
#define HOOKED __attribute__((noinline, noclone)) static

struct log_line {
	char what;
	const char *name;
};

static const char *log_folder;
static __thread struct log_line *log_lines;
static __thread int log_count;
static pthread_key_t log_key;
static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static inline __attribute__((always_inline)) void say(char what, const char *name)
{
	if (log_lines && log_count < LOG_MAX)
		log_lines[log_count++] = (struct log_line){ what, name };
	__asm__ volatile("" : : : "memory");
}

#define begins(name) say('B', name)
#define ends(name) say('E', name)
/* So many frames have been left without a return. */
#define left(name, count)                                                                          \
	for (int left_ = 0; left_ < (count); left_++)                                              \
	say('E', name)
/* The body of a function that has a value. */
#define SAY_IN(r, type, value)                                                                     \
	begins(__func__);                                                                          \
	type r = (value);                                                                          \
	ends(__func__);                                                                            \
	return r

static void write_lines(void *lines)
{
	const struct log_line *l = lines;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d.%p", log_folder, (int)getpid(), lines);
	f = fopen(path, "w");
	for (int i = 0; f && i < log_count; i++)
		fprintf(f, "%c %s\n", l[i].what, l[i].name);
	if (f)
		fclose(f);
}

static inline void log_write(void)
{
	write_lines(log_lines);
}

static void make_key(void)
{
	pthread_key_create(&log_key, write_lines);
}

/* Of the calling thread. */
static inline void log_begin(void)
{
	pthread_once(&log_once, make_key);
	log_lines = calloc(LOG_MAX, sizeof(*log_lines));
	log_count = 0;
	pthread_setspecific(log_key, log_lines);
}

static inline void log_begin_child(void)
{
	log_count = 0;
}
