// Hooks that read the trace so far and throw: the program catches the exception, and goes on with
// hooks and events.
#include <cstdio>
#include <stdexcept>

#include <bobbin/hooks.h>

static bob_event_id e;
static int calls, looked;
static unsigned ended;

// Events that have ended, also where earlier hooks have left without releasing what they borrowed.
static void look(const struct bob_hook_event *event)
{
	const struct bob_so_far *s;
	const bob_status st = bob_hook_so_far(0, &s);

	ended += event->at_end;
	looked += st == BOB_OK ? s->read->events(s->folded, 0) == ended : st == BOB_NONE && !ended;
}

static void callback(void *, const struct bob_hook_event *event)
{
	look(event);
	calls++;
	if (calls % 7 == 3 || calls % 7 == 0) // prologues and epilogues in turn
		throw std::runtime_error(event->at_end ? "end" : "begin");
}

int main()
{
	static struct bob_hook h = {};
	h.size = sizeof(h);
	h.flags = BOB_HOOK_CALLBACK_ONLY;
	h.callback = callback;
	e = bob_event_register("e", 0, "int n");
	std::printf("%d\n", bob_hook_add(&h));
	for (int i = 0; i < 9; i++)
		try {
			BOB_EVENT_BEGIN(e, bob_int(i));
			bob_event_end(e);
		} catch (std::exception &x) {
			std::printf("%d: %s\n", i, x.what());
		}
	std::printf("%d calls, %d looked\n", calls, looked);
}
