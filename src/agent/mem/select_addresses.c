/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording of selected addresses only (--mem-only, mem/select.h). Probes write to a selection
 * buffer of the thread. When it is full, the selected records are copied to the thread's record
 * buffer, and all later steps are the same as without a selection. Contents of selection buffers
 * are not in the trace: a killed process loses up to BUFFER_WORDS words per thread.
 *
 * The addresses are in BOBBIN_MEM_BOXES: a comma-separated list of "KEY+ADDRESS+BYTES" in
 * hexadecimal. KEY is that of an image (plan/format.h) and ADDRESS one of its link addresses, or
 * KEY is 0 and ADDRESS absolute. Boxes of an image are added when it is loaded. They are kept when
 * it is unloaded, because its records may not have been processed yet. */
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/os.h"

#define BUFFER_WORDS 8192u
#define WAIT_MS 20u /* timeout for a thread that is selecting when the process ends */

static struct bob_mem_selection *selection;
static struct bob_mem_box *boxes; /* all boxes, in order of arrival */
static uint32_t box_count, box_capacity;

/* --- addresses --- */

static uint64_t read_hex(const char **at)
{
	uint64_t v = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

static bool add_box(uint64_t lo, uint64_t bytes)
{
	if (box_count == box_capacity) {
		uint32_t capacity = 2 * box_capacity + 64;
		struct bob_mem_box *more = os_map(capacity * sizeof(*more));

		if (!more)
			return false;
		if (box_count)
			memcpy(more, boxes, box_count * sizeof(*more));
		boxes = more;
		box_capacity = capacity;
	}
	boxes[box_count++] = (struct bob_mem_box){ lo, lo + bytes };
	return true;
}

/* Publish the boxes; other threads may continue to use the previous ones. */
static bool publish(void)
{
	struct bob_mem_boxes *b = os_map(sizeof(*b) + box_count * sizeof(b->box[0]));

	if (!b)
		return false;
	if (box_count)
		memcpy(b->box, boxes, box_count * sizeof(b->box[0]));
	b->count = bob_mem_boxes_sort(b->box, box_count);
	__atomic_store_n(&selection->boxes, b, __ATOMIC_RELEASE);
	return true;
}

/* Add the boxes of the image with this key. */
static bool add_boxes(uint64_t key, uint64_t bias)
{
	const char *at = bob_process.config.mem_boxes;
	bool ok = true;

	while (at && *at) {
		uint64_t of = read_hex(&at), addr, bytes;

		at += *at == '+';
		addr = read_hex(&at);
		at += *at == '+';
		bytes = read_hex(&at);
		if (of == key)
			ok &= add_box(bias + addr, bytes);
		while (*at && *at++ != ',')
			;
	}
	return ok && publish();
}

void mem_select_image(const struct bob_image *im)
{
	if (!selection)
		return;
	if (im->mem)
		bob_mem_selection_forget(selection, im->mem->first_desc, im->mem->plan->desc_count);
	if (im->plan && !add_boxes(im->plan->key, im->bias))
		agent_log("accesses may be missing", "no memory for selected addresses");
}

/* --- the selection --- */

static bob_status find_desc(void *unused, uint32_t number, struct bob_mem_desc *d, uint64_t *bias)
{
	(void)unused;
	return mem_desc_whole(number, d, bias) ? BOB_OK : BOB_ERR_CORRUPT;
}

static uint32_t make_desc(void *unused, const struct bob_mem_desc *d)
{
	(void)unused;
	return mem_desc_make(d);
}

/* Never freed; allocations are mostly small. */
static void *get_memory(void *unused, size_t bytes)
{
	static uint8_t *at;
	static size_t left;
	const size_t many = 256u << 10;
	uint8_t *p;

	(void)unused;
	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > many / 4)
		return os_map(bytes);
	if (bytes > left) {
		at = os_map(many);
		left = at ? many : 0;
	}
	if (bytes > left)
		return NULL;
	p = at;
	at += bytes;
	left -= bytes;
	return p;
}

static void lock(void *unused)
{
	(void)unused;
	lock_process();
}

static void unlock(void *unused)
{
	(void)unused;
	unlock_process();
}

bool mem_select_begin(void)
{
	if (!bob_process.config.mem_boxes)
		return true;
	if (selection) {
		bob_mem_selection_anew(selection);
		return true;
	}
	selection = os_map(sizeof(*selection));
	if (!selection)
		return false;
	selection->io = (struct bob_mem_selection_io){ .desc = find_desc, .make = make_desc,
						       .alloc = get_memory, .lock = lock,
						       .unlock = unlock };
	return add_boxes(0, 0);
}

/* --- threads --- */

static uint64_t *take_space(void *thread, uint32_t words)
{
	struct bob_thread *t = thread;
	struct bob_mem_select *s = t->mem->select;
	uint64_t *to;

	if (!s->at || words > (size_t)(s->end - s->at))
		s->at = mem_buffer_next(t, s->at, &s->end, &s->why);
	if (!s->at)
		return NULL;
	to = s->at;
	s->at += words;
	return to;
}

bool mem_select_thread(struct bob_thread *t)
{
	struct bob_mem_select *s;

	if (!selection)
		return true;
	s = os_map(sizeof(*s) + BUFFER_WORDS * sizeof(uint64_t));
	t->mem->select = s;
	if (!s)
		return false;
	s->selector.of = selection;
	s->selector.reserve = take_space;
	s->selector.ctx = t;
	return true;
}

static bool claim(struct bob_mem_select *s)
{
	return !__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQ_REL);
}

/* `at`: the thread's cursor; NULL: only complete records. The caller has claimed the buffer. */
static bob_status drain(struct bob_thread *t, const uint64_t *at)
{
	struct bob_mem_select *s = t->mem->select;
	size_t count = at ? (size_t)(at - s->buffer) : BUFFER_WORDS, used;
	bob_status st;

	s->why = BOB_OK;
	st = bob_mem_select_put(&s->selector, s->buffer, count, !at, &used);
	if (s->why != BOB_OK)
		st = s->why;
	t->head->count.outside = s->selector.outside;
	/* free space must be zeroed */
	memset(s->buffer, 0, (at ? count : used) * sizeof(uint64_t));
	return st;
}

bob_status mem_select_next(struct bob_thread *t, const uint64_t *at, uint64_t **end)
{
	struct bob_mem_select *s = t->mem->select;
	bob_status st = BOB_OK;

	if (!claim(s))
		return BOB_NONE;
	if (at)
		st = drain(t, at);
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
	bob_mem_slots.cursor = s->buffer;
	*end = s->buffer + BUFFER_WORDS;
	return st;
}

bool mem_select_end(struct bob_thread *t, bool own, const uint64_t **at)
{
	struct bob_mem_select *s = t->mem->select;
	bob_status st;

	for (unsigned i = 0; !claim(s); i++) {
		if (i == WAIT_MS)
			return false;
		os_wait_word(&s->busy, 1, 1);
	}
	st = drain(t, own && mem_is_recorded() ? bob_mem_slots.cursor : NULL);
	if (st != BOB_OK)
		thread_dead_end(t, st);
	*at = s->at;
	return true;
}

void mem_select_free(struct bob_thread *t)
{
	struct bob_mem_select *s = t->mem->select;

	if (s)
		os_unmap(s, sizeof(*s) + BUFFER_WORDS * sizeof(uint64_t));
}
