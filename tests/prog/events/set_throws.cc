// A value set whose `merge` throws, which it may not: at the end of a thread (argv: anything), or of the process.
#include <stdexcept>
#include <thread>

#include <bobbin/hooks.h>

static bob_event_id e;

static void *create(void *)
{
	return new int(0);
}

static int add(void *, void *, const union bob_datum *)
{
	return 1;
}

static int merge(void *, void *, const void *)
{
	throw std::runtime_error("two sets do not fit together");
}

static size_t pack(void *, const void *, void *, size_t)
{
	return 0;
}

static void *unpack(void *, const void *, size_t)
{
	return nullptr;
}

static void destroy(void *, void *set)
{
	delete static_cast<int *>(set);
}

static int end(void *, const struct bob_hook_event *, uint32_t, union bob_datum *)
{
	return 1;
}

static void work()
{
	for (int i = 0; i < 5; i++)
		bob_event_instant(e);
}

int main(int argc, char **)
{
	static struct bob_value_set set = {};
	static struct bob_hook h = {};

	set.size = sizeof(set);
	set.create = create;
	set.add = add;
	set.merge = merge;
	set.pack = pack;
	set.unpack = unpack;
	set.destroy = destroy;
	h.size = sizeof(h);
	h.name = "throws";
	h.end = end;
	h.set = &set;
	e = bob_event_register("e", 0, nullptr);
	bob_hook_add(&h);
	if (argc > 1)
		std::thread(work).join();
	else
		work();
}
