/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses and evaluates choices of threads (select.h). */
#include "cli/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_THREAD, KIND_PROCESS, KIND_RANK, KIND_PID, KIND_TID, KIND_HOST, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = { "thread=", "process=", "rank=",
						    "pid=",    "tid=",     "host=" };

static int number(const char **p, uint64_t *out)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -1;
	errno = 0;
	*out = strtoull(*p, &end, 10);
	*p = end;
	return errno ? -1 : 0;
}

static int parse_host(struct cli_select_term *term, const char **p)
{
	size_t len = strcspn(*p, ",");

	if (!len || len >= sizeof(term->host))
		return -1;
	memcpy(term->host, *p, len);
	term->host[len] = 0;
	*p += len;
	return 0;
}

static int parse_term(struct cli_select_term *term, const char **p)
{
	int named = 0;

	memset(term, 0, sizeof(*term));
	for (int k = 0; k < KIND_COUNT && !named; k++) {
		size_t len = strlen(kind_names[k]);

		if (strncmp(*p, kind_names[k], len))
			continue;
		named = 1;
		term->kind = k;
		*p += len;
	}
	term->number = UINT64_MAX;
	if (term->kind == KIND_HOST)
		return parse_host(term, p);
	if (number(p, &term->first))
		return -1;
	term->last = term->first;
	if (!named && **p == '.') {
		++*p;
		term->kind = KIND_PROCESS;
		return number(p, &term->number);
	}
	if (**p != '-')
		return 0;
	++*p;
	return number(p, &term->last) || term->last < term->first ? -1 : 0;
}

int cli_select_parse(struct cli_select *s, const char *spec, const char **bad)
{
	const char *p = spec;

	*bad = spec;
	do {
		if (s->count == CLI_SELECT_TERMS_MAX || parse_term(&s->terms[s->count], &p) ||
		    (*p && *p != ',')) {
			*bad = p;
			return -1;
		}
		s->count++;
	} while (*p++ == ',');
	return 0;
}

static int term_fits(const struct cli_select_term *term, const struct bob_process_info *p,
		     const struct bob_thread_info *th)
{
	uint64_t value = 0;

	switch (term->kind) {
	case KIND_THREAD:
		value = th->number;
		break;
	case KIND_PROCESS:
		value = th->process;
		break;
	case KIND_RANK:
		if (p->rank < 0)
			return 0;
		value = (uint64_t)p->rank;
		break;
	case KIND_PID:
		value = p->pid;
		break;
	case KIND_TID:
		value = th->tid;
		break;
	default:
		return !strcmp(p->host, term->host);
	}
	if (term->number != UINT64_MAX && term->number != th->number)
		return 0;
	return value >= term->first && value <= term->last;
}

int cli_select_match(const struct cli_select *s, const struct bob_trace *t, uint32_t thread)
{
	const struct bob_thread_info *th = bob_trace_thread(t, thread);
	const struct bob_process_info *p = th ? bob_trace_process(t, th->process) : NULL;
	unsigned asked = 0, held = 0;

	if (!p)
		return 0;
	for (int i = 0; i < s->count; i++) {
		asked |= 1u << s->terms[i].kind;
		if (term_fits(&s->terms[i], p, th))
			held |= 1u << s->terms[i].kind;
	}
	return asked == held;
}
