/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads with the smallest stack that the C library allows, with all kinds of events; and how much
 * stack each kind takes.
 *
 *     small_stacks run SIZE [given]   four threads, one after the other, then four at once; given:
 *                                     the program allocates the stacks
 *     small_stacks space SIZE         bytes of stack that are left to the thread's function
 *     small_stacks depth              each kind of event, and how many bytes below its caller are
 *                                     written to
 *     small_stacks whole              an empty thread, one with an event, one with a signal handler
 *                                     on its own stack: how many bytes of the stacks are used
 *     small_stacks exit SIZE          a thread ends the process
 *     small_stacks fork SIZE          a thread forks; the child has events, and so has its thread
 *     small_stacks signals SIZE       handlers that interrupt a thread: how many used other stacks
 *
 * Threads print nothing: printf takes more stack than they have. */
#define _GNU_SOURCE
#include <bobbin/events.h>
#include <bobbin/hooks.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define THREADS 4
#define IRREGULAR 3000
#define PAINT 0xa5a5a5a5a5a5a5a5ull
#define PAINTED_BYTES (256u << 10)

static bob_event_id plain, nowhere, text, outer, value, beside;
static char long_text[1001];
static int sum;			/* of all threads */
static const volatile int sink;	/* calls have a result that the compiler does not know */

/* --- functions to be wrapped, hooked and recorded --- */

APART int small_own(int n, const char *s)
{
	return n + (int)strlen(s) + sink;
}

APART int small_variable(int n, ...)
{
	va_list l;
	int s = 0;

	va_start(l, n);
	while (n--)
		s += va_arg(l, int);
	va_end(l);
	return s + sink;
}

APART int small_hooked(int n)
{
	return n * 3 + sink;
}

APART int small_deep(int n)
{
	int result;

	if (!n) {
		BOB_EVENT_BEGIN(plain, bob_int(n));
		BOB_EVENT_END(plain, bob_int(n));
		return sink;
	}
	result = small_deep(n - 1);
	return result + n;
}

/* --- kinds --- */

static void add(int result)
{
	__atomic_fetch_add(&sum, result, __ATOMIC_RELAXED);
}

static void do_plain(void)
{
	BOB_EVENT_BEGIN(plain, bob_int(1));
	BOB_EVENT_END(plain, bob_int(2));
}

static void do_again(void)
{
	for (int i = 0; i < 3; i++) {
		BOB_EVENT_BEGIN(plain, bob_int(i));
		BOB_EVENT_END(plain, bob_int(i));
	}
}

static void do_nowhere(void)
{
	BOB_EVENT_BEGIN(nowhere, bob_int(3), bob_real(0.5));
	BOB_EVENT_END(nowhere, bob_int(4));
}

static void do_text(void)
{
	BOB_EVENT_BEGIN(text, bob_text(long_text), bob_text("short"));
	BOB_EVENT_END(text, bob_text(long_text));
}

static void do_nested(void)
{
	BOB_EVENT_BEGIN(outer, bob_int(5));
	do_text();
	BOB_EVENT_BEGIN(outer, bob_int(6));
	do_plain();
	BOB_EVENT_END(outer, bob_int(6));
	BOB_EVENT_END(outer, bob_int(5));
}

static void do_counter(void)
{
	bob_counter_set(value, 1.25);
}

static void do_instant(void)
{
	BOB_EVENT_INSTANT(beside, bob_int(7), bob_text("now"));
}

static void do_deep(void)
{
	add(small_deep(12));
}

/* Values without a rule: what the folder does when its buffers are full. */
static void do_irregular(void)
{
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < IRREGULAR; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		BOB_EVENT_BEGIN(x & 1 ? plain : outer, bob_int((int64_t)(x >> 40)));
		if (x & 2)
			bob_counter_set(value, (double)(x >> 50));
		BOB_EVENT_END(x & 1 ? plain : outer, bob_int((int64_t)(x & 7)));
	}
}

static void do_library(void)
{
	add(getenv("HOME") != NULL);
}

static void do_library_variable(void)
{
	add(fcntl(1, F_GETFD) >= 0);
}

static void do_own(void)
{
	add(small_own(3, "abc"));
}

static void do_own_variable(void)
{
	add(small_variable(3, 1, 2, 3));
}

static void do_hooked(void)
{
	add(small_hooked(4));
}

static const struct kind {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "first", do_plain },
	{ "new-place", do_again },
	{ "nowhere", do_nowhere },
	{ "text", do_text },
	{ "nested", do_nested },
	{ "counter", do_counter },
	{ "instant", do_instant },
	{ "deep", do_deep },
	{ "irregular", do_irregular },
	{ "irregular-again", do_irregular },
	{ "known", do_again },
	{ "library", do_library },
	{ "library-variable", do_library_variable },
	{ "own", do_own },
	{ "own-variable", do_own_variable },
	{ "hooked", do_hooked },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* --- threads --- */

static void *work(void *unused)
{
	for (size_t i = 0; i < KINDS; i++)
		kinds[i].run();
	return unused;
}

static void *space(void *out)
{
	pthread_attr_t a;
	void *lo;
	size_t size, guard;

	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &lo, &size);
	pthread_attr_getguardsize(&a, &guard);
	*(size_t *)out = (size_t)((char *)__builtin_frame_address(0) - (char *)lo);
	pthread_attr_destroy(&a);
	return NULL;
}

/* Memory for a stack, between pages that may not be touched. */
static char *stack_memory(size_t size)
{
	char *p = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + 4096, size, PROT_READ | PROT_WRITE))
		abort();
	return p + 4096;
}

static int start(pthread_t *t, size_t size, char *memory, void *(*fn)(void *), void *arg)
{
	pthread_attr_t a;
	int r;

	pthread_attr_init(&a);
	r = memory ? pthread_attr_setstack(&a, memory, size) : pthread_attr_setstacksize(&a, size);
	if (!r)
		r = pthread_create(t, &a, fn, arg);
	pthread_attr_destroy(&a);
	if (r)
		printf("a thread cannot be made: %s\n", strerror(r));
	return r;
}

static int run(size_t size, int given)
{
	char *memory[THREADS] = { NULL };
	pthread_t t[THREADS];
	int made = 0;

	for (int i = 0; i < THREADS; i++) {
		memory[i] = given ? stack_memory(size) : NULL;
		if (start(&t[0], size, memory[i], work, NULL))
			return 1;
		pthread_join(t[0], NULL);
	}
	while (made < THREADS && !start(&t[made], size, memory[made], work, NULL))
		made++;
	for (int i = 0; i < made; i++)
		pthread_join(t[i], NULL);
	printf("ended, %d\n", sum);
	return made != THREADS;
}

/* --- depth --- */

static uint64_t *lowest;
static size_t depth_of[KINDS];

static APART size_t measure(void (*run_it)(void))
{
	volatile uint64_t *const here = __builtin_frame_address(0), *p;

	for (p = lowest; p < here - 32; p++)
		*p = PAINT;
	run_it();
	for (p = lowest; *p == PAINT; p++)
		;
	return (size_t)((const volatile char *)here - (const volatile char *)p);
}

static void *measure_all(void *unused)
{
	for (size_t i = 0; i < KINDS; i++)
		depth_of[i] = measure(kinds[i].run);
	return unused;
}

static int depth(void)
{
	char *memory = stack_memory(PAINTED_BYTES);
	pthread_t t;

	lowest = (uint64_t *)(void *)memory;
	if (start(&t, PAINTED_BYTES, memory, measure_all, NULL))
		return 1;
	pthread_join(t, NULL);
	for (size_t i = 0; i < KINDS; i++)
		printf("%s %zu\n", kinds[i].name, depth_of[i]);
	return 0;
}

/* --- whole --- */

static APART void *do_empty(void *unused)
{
	return unused;
}

static APART void *do_event(void *unused)
{
	do_text();
	return unused;
}

static APART void on_signal(int sig)
{
	add(small_hooked(sig) != 0);
}

static size_t used(const char *memory, size_t size)
{
	size_t i = 0;

	while (i < size && (unsigned char)memory[i] == (PAINT & 0xff))
		i++;
	return size - i;
}

static char *signal_memory;

static APART void *do_signal(void *unused)
{
	const stack_t s = { .ss_sp = signal_memory, .ss_size = PAINTED_BYTES };

	sigaltstack(&s, NULL);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	return unused;
}

static int whole(void)
{
	static void *(*const fn[])(void *) = { do_empty, do_event, do_signal };
	static const char *const name[] = { "empty", "event", "signal" };
	const struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &a, NULL);
	signal_memory = stack_memory(PAINTED_BYTES);
	memset(signal_memory, PAINT & 0xff, PAINTED_BYTES);
	for (int i = 0; i < 3; i++) {
		char *memory = stack_memory(PAINTED_BYTES);
		pthread_t t;

		memset(memory, PAINT & 0xff, PAINTED_BYTES);
		if (start(&t, PAINTED_BYTES, memory, fn[i], NULL))
			return 1;
		pthread_join(t, NULL);
		printf("%s %zu\n", name[i], used(memory, PAINTED_BYTES));
	}
	printf("handler %zu\n", used(signal_memory, PAINTED_BYTES));
	return 0;
}

static size_t small_size;

static void *fork_there(void *unused)
{
	const pid_t child = fork();
	pthread_t t;
	int status;

	if (child < 0)
		abort();
	if (!child) {
		work(NULL);
		if (start(&t, small_size, NULL, work, NULL))
			_exit(2);
		pthread_join(t, NULL);
		_exit(0);
	}
	work(NULL);
	waitpid(child, &status, 0);
	add(status);
	return unused;
}

/* --- signals --- */

static char *interrupted;	/* the thread's stack */
static volatile int outside, handled;
static int done;

static void look_where(int sig)
{
	const char *here = __builtin_frame_address(0);

	if (here < interrupted || here >= interrupted + small_size)
		outside++;
	handled++;
	(void)sig;
}

/* Ever new places: each of these calls has a frame of another size between itself and the event. */
static APART int small_place(int n)
{
	volatile char *fill = __builtin_alloca((size_t)(n % 61) * 16 + 16);

	fill[0] = (char)n;
	do_nested();
	return fill[0];
}

static void *be_interrupted(void *unused)
{
	for (int i = 0; handled < 200; i++)
		add(small_place(i) & 1);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return unused;
}

static int signals(size_t size)
{
	const struct sigaction a = { .sa_handler = look_where };
	pthread_t t;

	small_size = size;
	interrupted = stack_memory(size);
	sigaction(SIGUSR2, &a, NULL);
	if (start(&t, size, interrupted, be_interrupted, NULL))
		return 1;
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		pthread_kill(t, SIGUSR2);
		usleep(50);
	}
	pthread_join(t, NULL);
	printf("outside %d\n", outside);
	return outside != 0;
}

static void *end_process(void *unused)
{
	(void)unused;
	do_text();
	exit(3);
}

/* --- hooks --- */

static int end_hook(void *ctx, const struct bob_hook_event *e, uint32_t phase, union bob_datum *d)
{
	(void)ctx, (void)phase;
	d->d = e->count;
	return 1;
}

static const struct bob_hook hook = {
	.size = sizeof(hook), .name = "counts", .events = "outer:text", .end = end_hook
};

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? (size_t)atol(argv[2]) : 0;
	pthread_t t;

	memset(long_text, 'x', sizeof(long_text) - 1);
	plain = bob_event_register("plain", 0, "int i -> int o");
	nowhere = bob_event_register("nowhere", BOB_EVENT_NO_SIGNATURE, "int i, double d -> int o");
	text = bob_event_register("text", 0, "string a, string b -> string c");
	outer = bob_event_register("outer", 0, "int i -> int o");
	beside = bob_event_register("beside", 0, "int i, string s");
	value = bob_counter_register("value", 0);
	if (getenv("SMALL_HOOK"))
		bob_hook_add(&hook);
	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(size, argc > 3);
	if (argc > 2 && !strcmp(argv[1], "space")) {
		size_t bytes = 0;

		if (start(&t, size, NULL, space, &bytes))
			return 1;
		pthread_join(t, NULL);
		printf("%zu\n", bytes);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "signals"))
		return signals(size);
	small_size = size;
	if (argc > 2 && !strcmp(argv[1], "fork")) {
		if (start(&t, size, NULL, fork_there, NULL))
			return 1;
		pthread_join(t, NULL);
		printf("forked, %d\n", sum);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "exit"))
		return start(&t, size, NULL, end_process, NULL) || pthread_join(t, NULL);
	return argc > 1 && !strcmp(argv[1], "whole") ? whole() : depth();
}
