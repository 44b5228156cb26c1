/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of the words of a function's events, computed from the readers' table once per
 * function. */
#include "archive/events/mpi_choice.h"
#include "mpi/recorder.h"

static struct {
	uint32_t done;
	struct bob_event_layout layout;
} layouts[BOB_MPI_NUMBERS];

static void add(struct bob_event_layout *l, uint8_t length, uint64_t words)
{
	uint32_t i = l->vectors++;

	for (; i && l->vector[i - 1].length > length; i--)
		l->vector[i] = l->vector[i - 1];
	l->vector[i].length = length;
	l->vector[i].words = (uint8_t)words;
}

static void make(uint32_t number, struct bob_event_layout *l)
{
	const struct bob_mpi_function *f = bob_mpi_function_of(number);

	*l = (struct bob_event_layout){ .words = f ? f->words : 0 };
	for (uint32_t i = 0; f && i < f->count; i++) {
		const struct bob_mpi_param *p = &f->params[i];
		uint64_t of_eight = bob_mpi_element_words(p, 8);

		uint64_t words = of_eight / 8 * (of_eight > 1);

		/* An element of 8 bytes is one word, otherwise elements are words. A vector that is
		 * both input and output is recorded twice. */
		if (p->flags & BOB_MPI_VECTOR && p->in != BOB_MPI_NOWHERE)
			add(l, p->in, words);
		if (p->flags & BOB_MPI_VECTOR && p->out != BOB_MPI_NOWHERE)
			add(l, p->out, words);
		if (bob_mpi_has_members(p))
			add(l, (uint8_t)(p->out + 1), 1);
	}
}

const struct bob_event_layout *bob_mpi_layout(uint32_t function)
{
	static const struct bob_event_layout none;

	if (function >= BOB_MPI_NUMBERS)
		return &none;
	if (!__atomic_load_n(&layouts[function].done, __ATOMIC_ACQUIRE)) {
		make(function, &layouts[function].layout); /* races store the same */
		__atomic_store_n(&layouts[function].done, 1, __ATOMIC_RELEASE);
	}
	return &layouts[function].layout;
}
