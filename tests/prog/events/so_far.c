/* A hook walks the thread's recorded events, and the program checks that they are what it did.
 * argv: threads, 0: without the hook */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

#define ROUNDS 4

static bob_event_id work, inner, check, text;
static int threads;
static __thread int asked;
static __thread char *out;	/* what this thread prints */
static __thread size_t out_len;
static __thread FILE *to;

struct walk {
	const struct bob_so_far *s;
	const uint64_t *iterations;
	int depth;
};

static void name(const struct walk *w, uint32_t shape)
{
	static const char *const parts[] = { "", "begin ", "end ", "element" };
	struct bob_hook_leaf l;

	if (!w->s->read->leaf(w->s, shape, &l))
		abort();
	fprintf(to, "%s%s", parts[l.part], l.name);
	for (uint32_t i = 0; i < l.count; i++)
		fprintf(to, " %s@%u", l.parameter[i].name, l.parameter[i].word);
}

/* The structure, not what it expands to. */
static int item(void *ctx, uint32_t it)
{
	struct walk *w = ctx;
	const uint32_t *body;
	uint32_t len;

	fprintf(to, "%*s", 2 * w->depth + 2, "");
	if (!(it & 1)) {
		name(w, it / 2);
		fputs("\n", to);
		return 0;
	}
	fprintf(to, "loop, %llu in all\n", (unsigned long long)w->iterations[it / 2]);
	body = w->s->read->body(w->s->folded, it / 2, &len);
	w->depth++;
	for (uint32_t i = 0; i < len; i++)
		item(w, body[i]);
	w->depth--;
	return 0;
}

static int piece(void *ctx, const struct bob_piece *p)
{
	(void)ctx;
	fprintf(to, "  %llu", (unsigned long long)p->base);
	for (uint32_t d = 0; d < p->dims; d++)
		fprintf(to, " %llux%llu", (unsigned long long)p->count[d],
			(unsigned long long)p->step[d]);
	fputs("\n", to);
	return 0;
}

static void look(const struct bob_so_far *s)
{
	const uint32_t shapes = s->read->shapes(s->folded), loops = s->read->loops(s->folded);
	uint64_t *count = calloc(shapes + 1, 8), *iterations = calloc(loops + 1, 8);
	struct walk w = { s, iterations, 0 };

	fprintf(to, "%d: %llu leaves\n", asked, (unsigned long long)s->read->events(s->folded, 0));
	for (uint32_t part = 0; part < s->read->parts(s->folded, 0); part++) {
		if (s->read->counts(s->folded, 0, part, count, iterations) != BOB_OK)
			abort();
		s->read->spine(s->folded, 0, part, item, &w);
		for (uint32_t i = 0; i < shapes; i++) {
			fprintf(to, "  %llu times ", (unsigned long long)count[i]);
			name(&w, i);
			fputs("\n", to);
			if (!i) { /* the first word of what came first */
				int left;

				s->read->pieces(s->folded, 0, part, 0, 0, piece, NULL, &left);
			}
		}
	}
	free(count);
	free(iterations);
}

static void at_check(void *ctx, const struct bob_hook_event *e)
{
	const struct bob_so_far *s = NULL, *again = NULL;

	(void)ctx;
	asked++;
	if (bob_hook_so_far(0, &s) != BOB_OK || bob_hook_so_far(0, &again) != BOB_OK ||
	    s != again || s->size < sizeof(*s) || s->read->size < sizeof(*s->read)) {
		puts("there is none");
		return;
	}
	if (bob_hook_so_far(8, &again) != BOB_ERR_FULL)
		puts("it is in 8 bytes");
	look(s);
	if (e->at_end) /* an event in a hook is one of what was recorded so far, too */
		bob_event_instant(inner);
}

static const struct bob_hook hook = { .size = sizeof(hook), .flags = BOB_HOOK_CALLBACK_ONLY,
				      .events = "check", .callback = at_check };

static void *run(void *arg)
{
	(void)arg;
	to = open_memstream(&out, &out_len);
	for (int r = 1; r <= ROUNDS; r++) {
		for (int i = 0; i < 1000 * r; i++) {
			BOB_EVENT_BEGIN(work, bob_int(i));
			bob_event_instant(inner);
			bob_event_instant(inner);
			BOB_EVENT_END(work, bob_int(2 * i));
		}
		BOB_EVENT_INSTANT(text, bob_text("0123456789"));
		bob_event_begin(check);
		bob_event_end(check);
		if (!threads)
			bob_event_instant(inner);
	}
	fclose(to);
	return NULL;
}

static void *run_and_print(void *arg)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	run(arg);
	pthread_mutex_lock(&lock);
	fputs(out, stdout);
	pthread_mutex_unlock(&lock);
	free(out);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct bob_so_far *s = NULL;
	pthread_t t[8];

	threads = argc > 1 ? atoi(argv[1]) : 1;
	work = bob_event_register("work", 0, "int n -> int m");
	inner = bob_event_register("inner", BOB_EVENT_NO_SIGNATURE, NULL);
	check = bob_event_register("check", 0, NULL);
	text = bob_event_register("text", 0, "string s");
	if (threads)
		bob_hook_add(&hook);
	printf("%d\n", (int)bob_hook_so_far(0, &s)); /* no hook is running */
	for (int i = 0; i < (threads ? threads : 1); i++)
		pthread_create(&t[i], NULL, run_and_print, NULL);
	for (int i = 0; i < (threads ? threads : 1); i++)
		pthread_join(t[i], NULL);
	return s != NULL;
}
