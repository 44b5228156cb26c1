/* Events of all kinds, in loops and at random, nested, recursive, left by longjmp, of several
 * threads. argv: folder, threads, rounds. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>

#include "say.h"

static bob_event_id step, leaf, text, deep, left, note, residual, bare;
static int rounds;

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static void recurse(int n)
{
	SAY_BEGIN(deep, "deep", "i", bob_int(n));
	if (n)
		recurse(n - 1);
	SAY_END(deep, "deep", "", bob_int(0));
}

static void jump(jmp_buf back, int n)
{
	SAY_BEGIN(left, "left", "i", bob_int(n));
	SAY_BEGIN(leaf, "leaf", "id", bob_int(n), bob_real(n / 3.0));
	longjmp(back, 1);
}

static void leave(int n)
{
	jmp_buf back;

	SAY_BEGIN(bare, "bare", "", bob_int(0));
	if (!setjmp(back))
		jump(back, n);
	SAY_END(bare, "bare", "", bob_int(0)); /* takes both with it */
}

static void regular(void)
{
	for (int i = 0; i < rounds; i++) {
		SAY_BEGIN(step, "step", "is", bob_int(i), bob_text("mesh.dat"));
		for (int j = 0; j < 3; j++) {
			SAY_BEGIN(leaf, "leaf", "id", bob_int(i * 3 + j), bob_real(0.5 * j));
			SAY_END(leaf, "leaf", "", bob_int(0));
		}
		SAY_INSTANT(residual, "residual", "d", bob_real(1.0 / (i + 1)));
		SAY_END(step, "step", "id", bob_int(-i), bob_real(i * 1e300 * 1e10));
	}
}

static void irregular(unsigned seed)
{
	char long_text[1400];

	for (int i = 0; i < rounds; i++) {
		const unsigned what = next(&seed) % 5, n = next(&seed);

		memset(long_text, 'a' + (int)(n % 26), sizeof(long_text));
		long_text[n % 1024] = 0;
		if (what == 0) {
			SAY_INSTANT(text, "text", "ssi", bob_text(long_text), bob_text(NULL),
				    bob_int(n));
		} else if (what == 1) {
			recurse((int)(n % 7));
		} else if (what == 2) {
			leave((int)n);
		} else if (what == 3) {
			SAY_BEGIN(leaf, "leaf", "id", bob_int((int64_t)n << 47),
				  bob_real(ldexp(n, -(int)(n % 900))));
			SAY_END(leaf, "leaf", "", bob_int(0));
		} else {
			SAY_BEGIN(note, "note", "s", bob_text(long_text));
			if (n % 2)
				SAY_BEGIN(bare, "bare", "", bob_int(0));
			if (n % 2)
				SAY_END(bare, "bare", "", bob_int(0));
			SAY_END(note, "note", "s", bob_text("over"));
		}
	}
}

static void *thread(void *number)
{
	say_begin_thread();
	regular();
	irregular((unsigned)(size_t)number);
	fclose(say_file);
	return NULL;
}

int main(int argc, char **argv)
{
	const int threads = atoi(argv[2]);
	pthread_t id[64];

	(void)argc;
	say_folder = argv[1];
	rounds = atoi(argv[3]);
	step = bob_event_register("step", 0, "int n, string file -> int cells, double x");
	leaf = bob_event_register("leaf", BOB_EVENT_NO_SIGNATURE, "int a,double x");
	text = bob_event_register("text", 0, "string a, string b, int c");
	deep = bob_event_register("deep", 0, "int n");
	left = bob_event_register("left", 0, " int  n ");
	note = bob_event_register("note", 0, "string before -> string after");
	bare = bob_event_register("bare", 0, NULL);
	residual = bob_counter_register("residual", 0);
	/* the same again, and what is refused */
	printf("%d",
	       step == bob_event_register("step", 0, "int n, string file -> int cells, double x"));
	printf("%u", bob_event_register("step", 0, "int n"));
	printf("%u", bob_event_register("", 0, NULL));
	printf("%u", bob_event_register("bad", 0, "float x"));
	printf("%u", bob_event_register("bad", 0, "int x,"));
	printf("%u", bob_event_register("bad", 0,
					"int x -> "
					"string a, string b, string c, string d, string e, "
					"string f, string g, string h, string i"));
	printf("%u\n",
	       bob_event_register(
		       "a name that is longer than the sixty-three bytes that a name may have", 0,
		       NULL));
	bob_event_begin(0);
	bob_event_end(bare); /* never began */
	say_begin_thread();
	say("I", "bare", "", NULL);
	errno = 42;
	bob_event_instant(bare);
	printf("errno %d\n", errno);
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, thread, (void *)(size_t)i);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	puts("done");
	return 7;
}
