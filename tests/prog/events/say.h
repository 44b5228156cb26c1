/* Events that a program both records and logs: a line for each, in a file of the thread (argv:
 * folder).
 *
 *     B name(in) | E name -> out | I name(in) */
#ifndef SAY_H
#define SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/events.h>

static const char *say_folder = "";
static __thread FILE *say_file;
static int say_threads;

static void say_begin_thread(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%d", say_folder,
		 __atomic_fetch_add(&say_threads, 1, __ATOMIC_RELAXED));
	say_file = fopen(path, "w");
	if (!say_file)
		exit(3);
	setvbuf(say_file, NULL, _IOLBF, 0); /* for those that are killed */
}

static void say_double(double d)
{
	char text[32];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	fputs(text, say_file);
}

/* "i3 d0.5 sabc" as the letters of `types` say. */
static inline void say(const char *what, const char *name, const char *types,
		       const union bob_arg *a)
{
	fprintf(say_file, "%s %s", what, name);
	for (; *types; types++, a++) {
		fputc('\t', say_file);
		if (*types == 'i')
			fprintf(say_file, "%lld", (long long)a->i);
		else if (*types == 'd')
			say_double(a->d);
		else
			fprintf(say_file, "\"%s\"", a->s ? a->s : "");
	}
	fputc('\n', say_file);
}

#define SAY_BEGIN(e, name, types, ...)                                                             \
	do {                                                                                       \
		const union bob_arg a_[] BOB_EVENT_ARGS_(__VA_ARGS__);                             \
		say("B", name, types, a_);                                                         \
		bob_event_begin_with(e, (uint32_t)strlen(types), a_);                              \
	} while (0)
#define SAY_END(e, name, types, ...)                                                               \
	do {                                                                                       \
		const union bob_arg a_[] BOB_EVENT_ARGS_(__VA_ARGS__);                             \
		bob_event_end_with(e, (uint32_t)strlen(types), a_);                                \
		say("E", name, types, a_);                                                         \
	} while (0)
#define SAY_INSTANT(e, name, types, ...)                                                           \
	do {                                                                                       \
		const union bob_arg a_[] BOB_EVENT_ARGS_(__VA_ARGS__);                             \
		bob_event_instant_with(e, (uint32_t)strlen(types), a_);                            \
		say("I", name, types, a_);                                                         \
	} while (0)

#endif
