/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of derived types whose components lead to memory of their own. All files share two
 * lists in the order of addresses, under the lock of shared.c:
 * - objects: at which addresses objects of which class are,
 * - leads: for each slot (a component that is allocatable or a pointer) the memory that it led
 *   to.
 * An object is known because its variable was declared, or because a slot leads to it. Ends of
 * objects are derived from the lists alone, because the memory may have been freed already.
 * Memory of an allocatable component ends with its object. The target of a pointer keeps its
 * name until that memory is freed, or until the object with the pointer ends. */

struct bobbin_slot {
	int64_t at, element;
	int32_t row, inner, rank, how; /* how: 1 a pointer, 2 one without an initial value */
};
struct bobbin_class {
	int32_t first, count; /* slots */
	int64_t bytes;
};
struct bobbin_tables {
	struct bob_probe_file *file;
	const struct bobbin_class *class;
	const struct bobbin_slot *slot;
};
struct bobbin_objects {
	char *lo, *hi;
	const struct bobbin_tables *of;
	int32_t class;
};
struct bobbin_lead {
	char *slot, *at;
	int64_t bytes;
	uint64_t shape;
	const struct bobbin_tables *of;
	int32_t class, row, inner, is_pointer;
};
struct bobbin_lists {
	struct bobbin_objects *objects;
	struct bobbin_lead *lead;
	int count, capacity, leads, leads_capacity;
	int64_t longest; /* of objects, bytes */
	uint16_t at[65536]; /* how many leads have an address of that hash: most have none */
};
#define KNOWN_MAX 65536
#define NESTED_MAX 128
__attribute__((weak)) struct bobbin_lists bobbin_lists;

static uint16_t *leads_at(const char *at)
{
	return &bobbin_lists.at[(uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15u >> 48];
}

/* Index of the first objects at this address or after it; of the first lead likewise. */
static int objects_from(const char *at)
{
	int lo = 0, hi = bobbin_lists.count;

	while (lo < hi) {
		const int mid = lo + (hi - lo) / 2;

		if (bobbin_lists.objects[mid].lo < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int leads_from(const char *slot)
{
	int lo = 0, hi = bobbin_lists.leads;

	while (lo < hi) {
		const int mid = lo + (hi - lo) / 2;

		if (bobbin_lists.lead[mid].slot < slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void drop_objects(int i)
{
	struct bobbin_lists *k = &bobbin_lists;

	k->count--;
	memmove(k->objects + i, k->objects + i + 1, sizeof(*k->objects) * (size_t)(k->count - i));
}

static struct bobbin_lead drop_lead(int i)
{
	struct bobbin_lists *k = &bobbin_lists;
	const struct bobbin_lead e = k->lead[i];

	--*leads_at(e.at);
	k->leads--;
	memmove(k->lead + i, k->lead + i + 1, sizeof(e) * (size_t)(k->leads - i));
	return e;
}

/* Objects of the class that begin at `lo` end. */
static void drop_at(const char *lo, const struct bobbin_tables *of, int32_t class)
{
	for (int i = objects_from(lo); i < bobbin_lists.count && bobbin_lists.objects[i].lo == lo;)
		if (bobbin_lists.objects[i].of == of && bobbin_lists.objects[i].class == class)
			drop_objects(i);
		else
			i++;
}

struct bobbin_stretch {
	char *lo, *hi;
	int32_t class;
};

/* Ends all that the slots of these objects lead to, transitively. Memory of the objects is not
 * read. */
static void end_leads(char *lo, char *hi, const struct bobbin_tables *of, int32_t class)
{
	struct bobbin_stretch left[NESTED_MAX] = { { lo, hi, class } };
	int n = 1;

	while (n) {
		const struct bobbin_stretch now = left[n - 1];
		int i = leads_from(now.lo);

		while (i < bobbin_lists.leads && bobbin_lists.lead[i].slot < now.hi &&
		       (bobbin_lists.lead[i].of != of || bobbin_lists.lead[i].class != now.class))
			i++;
		if (i == bobbin_lists.leads || bobbin_lists.lead[i].slot >= now.hi) {
			n--;
			continue;
		}
		const struct bobbin_lead e = drop_lead(i);

		if (e.row >= 0)
			bob_probe_forget(of->file, (uint32_t)e.row, e.at);
		if (e.inner < 0)
			continue;
		drop_at(e.at, of, e.inner);
		if (n < NESTED_MAX)
			left[n++] = (struct bobbin_stretch){ e.at, e.at + e.bytes, e.inner };
	}
}

/* Memory that begins at `at` was freed. */
static void end_at(const char *at)
{
	for (int i = 0; *leads_at(at) && i < bobbin_lists.leads; i++) {
		if (bobbin_lists.lead[i].at != at)
			continue;
		const struct bobbin_lead e = drop_lead(i--);

		if (e.inner >= 0) {
			drop_at(e.at, e.of, e.inner);
			end_leads(e.at, e.at + e.bytes, e.of, e.inner);
			i = -1;
		}
	}
	for (int i = objects_from(at);
	     i < bobbin_lists.count && bobbin_lists.objects[i].lo == at;) {
		const struct bobbin_objects o = bobbin_lists.objects[i];

		drop_objects(i);
		end_leads(o.lo, o.hi, o.of, o.class);
		i = objects_from(at);
	}
}

/* The file is unloaded. */
__attribute__((destructor)) static void end_file(void)
{
	lock_shared();
	for (int i = bobbin_lists.leads; i-- > 0;)
		if (bobbin_lists.lead[i].of->file == &here)
			drop_lead(i);
	for (int i = bobbin_lists.count; i-- > 0;)
		if (bobbin_lists.objects[i].of->file == &here)
			drop_objects(i);
	unlock_shared();
}
