// Hooks that throw: the program catches it, and goes on with hooks and events.
#include <cstdio>
#include <stdexcept>

#include <bobbin/hooks.h>

static bob_event_id e;
static int calls;

static void callback(void *, const struct bob_hook_event *told)
{
	if (++calls % 3 == 0)
		throw std::runtime_error(told->at_end ? "end" : "begin");
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
	std::printf("%d calls\n", calls);
}
