/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries for loops and calls that are recorded as events. The generator has written before
 * this: `names`, and `events`, the identifier of each (0: not recorded). Loops and calls that
 * are open are a stack in each thread; one that was left by a jump ends with the enclosing one. */

#define DEPTH 256
static __thread struct {
	int32_t event;
	int64_t trips;
} under_way[DEPTH];
static __thread int depth;

static void end_event(int32_t e, int64_t trips)
{
	if (names[e].has_trips && depth <= DEPTH)
		BOB_EVENT_END(events[e], bob_int(trips));
	else
		bob_event_end(events[e]);
	depth--;
}

/* Ends what is open inside event `e`; false: `e` is not open, as far as is known. */
static int come_to(int32_t e)
{
	int k = depth <= DEPTH ? depth : 0;

	while (k > 0 && under_way[k - 1].event != e)
		k--;
	while (k > 0 && depth > k)
		end_event(under_way[depth - 1].event, under_way[depth - 1].trips);
	return k > 0;
}

static void begin_event(int32_t e)
{
	if (!events[e])
		return;
	if (depth < DEPTH) {
		under_way[depth].event = e;
		under_way[depth].trips = 0;
	}
	depth++;
	bob_event_begin(events[e]);
}

void BOBBIN(l)(int32_t e);
void BOBBIN(l)(int32_t e)
{
	begin_event(e);
}

void BOBBIN(b)(int32_t e);
void BOBBIN(b)(int32_t e)
{
	begin_event(e);
}

void BOBBIN(t)(int32_t e);
void BOBBIN(t)(int32_t e)
{
	if (events[e] && come_to(e))
		under_way[depth - 1].trips++;
}

void BOBBIN(e)(int32_t e);
void BOBBIN(e)(int32_t e)
{
	if (events[e] && (come_to(e) || depth > DEPTH))
		end_event(e, under_way[(depth - 1) % DEPTH].trips);
}
