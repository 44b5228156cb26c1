/* SPDX-License-Identifier: BSD-3-Clause */
/* The C front end from a command line: instrument FILE [request...] [-- flags]; the new file to
 * standard output, counts to standard error.
 *   --variable=NAME --pointers --loops --calls                    begin a request
 *   --flat                                                        each access has its own probe
 *   --allocator=NAME:BYTES,COUNT,OLD[,counted|text]               arguments from 0; -1: none
 *   --path=->V --function=F --lines=A-B --box=LOW..HIGH,LOW..HIGH   details of the last one */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/c/c.h"

#define REQUESTS_MAX 32

static struct bob_source_c_request requests[REQUESTS_MAX];
static uint32_t count;

static const struct {
	const char *option;
	enum bob_source_c_what what;
} begins[] = {
	{ "--variable=", BOB_SOURCE_C_VARIABLE },
	{ "--pointers", BOB_SOURCE_C_POINTERS },
	{ "--loops", BOB_SOURCE_C_LOOPS },
	{ "--calls", BOB_SOURCE_C_CALLS },
};

static void read_box(struct bob_source_c_request *w, const char *text)
{
	long long low, high;
	int n;

	while (w->rank < BOB_SOURCE_C_RANK_MAX &&
	       sscanf(text, "%lld..%lld%n", &low, &high, &n) == 2) {
		w->box[w->rank++] = (struct bob_source_c_bounds){ low, high };
		text += n;
		text += *text == ',';
	}
}

static struct bob_source_c_allocator allocators[8];
static struct bob_source_c_options o = { .requests = requests, .allocators = allocators };

static int read_allocator(char *text)
{
	struct bob_source_c_allocator *a = &allocators[o.allocator_count];
	char *colon = strchr(text, ':'), how[16] = "";
	int bytes, of, old;

	if (!colon || o.allocator_count == 8 ||
	    sscanf(colon + 1, "%d,%d,%d,%15s", &bytes, &of, &old, how) < 3)
		return 1;
	*colon = 0;
	*a = (struct bob_source_c_allocator){ text, (uint32_t)bytes, (uint32_t)of,
					      !strcmp(how, "counted"), !strcmp(how, "text"),
					      (uint32_t)old };
	o.allocator_count++;
	return 0;
}

static int read_option(char *a)
{
	struct bob_source_c_request *w = count ? &requests[count - 1] : NULL;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(a, begins[i].option, strlen(begins[i].option)) &&
		    count < REQUESTS_MAX) {
			requests[count++] = (struct bob_source_c_request){
				.what = begins[i].what, .name = a + strlen(begins[i].option)
			};
			return 0;
		}
	if (!strcmp(a, "--flat")) {
		o.is_flat = true;
		return 0;
	}
	if (!strncmp(a, "--allocator=", 12))
		return read_allocator(a + 12);
	if (!w)
		return 1;
	if (!strncmp(a, "--path=", 7))
		w->path = a + 7;
	else if (!strncmp(a, "--function=", 11))
		w->function = a + 11;
	else if (!strncmp(a, "--box=", 6))
		read_box(w, a + 6);
	else if (sscanf(a, "--lines=%u-%u", &w->first_line, &w->last_line) != 2)
		return 1;
	return 0;
}

static void say(const struct bob_source_c_result *r)
{
	const struct bob_source_c_counts *c = &r->counts;

	fprintf(stderr,
		"probes %u proved %u filtered %u dropped %u nests %u in-nests %u variables %u\n",
		c->probes, c->proved, c->filtered, c->dropped, c->nests, c->nest_references,
		c->variables);
	for (uint32_t i = 0; i < r->refused_count; i++)
		fprintf(stderr, "refused %u: %s\n", r->refused[i].count, r->refused[i].why);
}

int main(int argc, char **argv)
{
	struct bob_source_c_complaint why = { "" };
	struct bob_source_c_result *r;
	int i = 2;

	for (; i < argc && strcmp(argv[i], "--"); i++)
		if (read_option(argv[i])) {
			fprintf(stderr, "what is %s?\n", argv[i]);
			return 2;
		}
	o.request_count = count;
	if (i < argc) {
		o.flags = (const char *const *)argv + i + 1;
		o.flag_count = (uint32_t)(argc - i - 1);
	}
	if (argc < 2 || bob_source_c_instrument(argv[1], &o, &r, &why) != BOB_OK) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	fwrite(r->text, 1, r->len, stdout);
	say(r);
	bob_source_c_close(r);
	return 0;
}
