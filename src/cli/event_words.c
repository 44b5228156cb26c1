/* SPDX-License-Identifier: BSD-3-Clause */
/* Nouns for events with values in messages, singular and plural (event_words.h). */
#include "cli/event_words.h"

const char *cli_event_words(const struct bob_trace *t, uint64_t count)
{
	static const char *const words[4][2] = {
		{ "MPI calls", "MPI call" },
		{ "MPI calls", "MPI call" },
		{ "events", "event" },
		{ "MPI calls and events", "MPI call or event" },
	};

	return words[bob_trace_value_origins(t) & 3u][count == 1];
}

int cli_event_only_own(const struct bob_trace *t)
{
	return bob_trace_value_origins(t) == BOB_VALUES_OF_PROGRAM;
}
