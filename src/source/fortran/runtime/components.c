/* SPDX-License-Identifier: BSD-3-Clause */
/* What components lead to is declared under the names of the components. After objects.c. The
 * generator has written before this: `tables`, the classes and slots of this file, and
 * `holders`, a row for each variable. A slot is read only when the program passes the object
 * itself, because its memory is valid then. */

/* A new element `i` of a list; NULL: no memory, or KNOWN_MAX elements. */
static void *insert(void *list, int *count, int *capacity, size_t size, int i)
{
	char *at = *(char **)list;

	if (*count >= KNOWN_MAX)
		return NULL;
	if (*count == *capacity) {
		at = realloc(at, size * (size_t)(*capacity ? 2 * *capacity : 64));
		if (!at)
			return NULL;
		*(char **)list = at;
		*capacity = *capacity ? 2 * *capacity : 64;
	}
	at += size * (size_t)i;
	memmove(at + size, at, size * (size_t)(*count - i));
	++*count;
	return at;
}

/* False: these are in the list already, or cannot be added. */
static int add_objects(char *lo, int64_t bytes, const struct bobbin_tables *of, int32_t class)
{
	struct bobbin_lists *k = &bobbin_lists;
	struct bobbin_objects *o;
	int i = objects_from(lo);

	for (; i < k->count && k->objects[i].lo == lo; i++)
		if (k->objects[i].of == of && k->objects[i].class == class) {
			if (k->objects[i].hi == lo + bytes)
				return 0;
			drop_objects(i--);
		}
	o = insert(&k->objects, &k->count, &k->capacity, sizeof(*o), i);
	if (!o)
		return 0;
	*o = (struct bobbin_objects){ lo, lo + bytes, of, class };
	k->longest = bytes > k->longest ? bytes : k->longest;
	return 1;
}

/* Memory was just allocated, so earlier objects in it were freed without notice. */
static void end_before(char *lo, char *hi)
{
	for (int i = objects_from(lo - bobbin_lists.longest);
	     i < bobbin_lists.count && bobbin_lists.objects[i].lo < hi;) {
		const struct bobbin_objects o = bobbin_lists.objects[i];

		if (o.hi <= lo || o.lo == lo) {
			i++;
			continue;
		}
		drop_objects(i);
		end_leads(o.lo, o.hi, o.of, o.class);
		i = objects_from(lo - bobbin_lists.longest);
	}
}

/* How gfortran describes an array that is allocatable or a pointer. */
struct descriptor {
	char *at;
	int64_t offset;
	int64_t element;
	int32_t version;
	signed char rank, type;
	int16_t attribute;
	int64_t span;
	struct {
		int64_t step, lower, upper;
	} dim[BOB_PROBE_DIMENSIONS_MAX];
};

/* What the slot leads to; false: nothing, or memory that cannot be declared. */
static int is_there(const char *slot, const struct bobbin_slot *s, struct bobbin_lead *e,
		    int64_t (*bounds)[2])
{
	const struct descriptor *d = (const void *)slot;
	int64_t packed = 1;

	e->at = d->at;
	e->bytes = s->element;
	e->shape = 0;
	if (!d->at || !s->rank)
		return d->at != NULL;
	if (d->element != s->element || d->rank != s->rank)
		return 0;
	for (int k = 0; k < s->rank; k++) {
		const int64_t n = d->dim[k].upper - d->dim[k].lower + 1;

		if (n <= 0 || n > INT64_MAX / 256 / packed / s->element ||
		    (n > 1 && d->dim[k].step != packed))
			return 0;
		bounds[k][0] = d->dim[k].lower;
		bounds[k][1] = n;
		e->shape = (e->shape ^ (uint64_t)bounds[k][0]) * 0x9e3779b97f4a7c15u;
		e->shape = (e->shape ^ e->shape >> 29 ^ (uint64_t)n) * 0x9e3779b97f4a7c15u;
		packed *= n;
	}
	e->bytes = packed * s->element;
	return s->how & 1 ? d->span == s->element : 1;
}

/* Does another allocatable component lead to this memory? */
static int is_moved(const char *at)
{
	for (int i = 0; *leads_at(at) && i < bobbin_lists.leads; i++)
		if (bobbin_lists.lead[i].at == at && !bobbin_lists.lead[i].is_pointer)
			return 1;
	return 0;
}

static void look_at(const struct bobbin_objects *o, const char *lo, const char *hi, int64_t what,
		    int depth);

/* The former memory of an allocatable has ended; the former target of a pointer has not. */
static void look_at_slot(char *slot, const struct bobbin_slot *s, const struct bobbin_objects *o,
			 int64_t what, int depth)
{
	struct bobbin_lead now = { .slot = slot,
				   .of = o->of,
				   .class = o->class,
				   .row = s->row,
				   .inner = s->inner,
				   .is_pointer = s->how & 1 },
		*e;
	int64_t bounds[BOB_PROBE_DIMENSIONS_MAX][2];
	const int is = is_there(slot, s, &now, bounds);
	struct bobbin_lists *k = &bobbin_lists;

	for (int i = leads_from(slot); i < k->leads && k->lead[i].slot == slot; i++) {
		e = &k->lead[i];
		if (e->of != o->of || e->class != o->class)
			continue;
		if (is && e->at == now.at && e->shape == now.shape)
			return;
		if (s->how & 1)
			continue;
		const struct bobbin_lead old = drop_lead(i);

		if (old.row >= 0)
			bob_probe_forget(old.of->file, (uint32_t)old.row, old.at);
		if (old.inner >= 0) {
			drop_at(old.at, old.of, old.inner);
			end_leads(old.at, old.at + old.bytes, old.of, old.inner);
		}
		if (!is_moved(old.at)) {
			bob_probe_gone(&here, old.at);
			end_at(old.at);
		}
		i = leads_from(slot) - 1;
	}
	e = is ? insert(&k->lead, &k->leads, &k->leads_capacity, sizeof(*e), leads_from(slot)) :
		 NULL;
	if (!e)
		return;
	*e = now;
	++*leads_at(now.at);
	if (s->row >= 0)
		bob_probe_declare(o->of->file, (uint32_t)s->row, now.at,
				  s->rank ? (const int64_t(*)[2])bounds : NULL);
	if (s->inner < 0)
		return;
	if (!(s->how & 1))
		end_before(now.at, now.at + now.bytes);
	if (add_objects(now.at, now.bytes, o->of, s->inner) && depth < NESTED_MAX) {
		const struct bobbin_objects inside = { now.at, now.at + now.bytes, o->of,
						       s->inner };

		look_at(&inside, inside.lo, inside.hi, what < 0 ? what : -2, depth + 1);
	}
}

/* Slots at addresses from lo to hi. `what` -2: without pointers that may be undefined. */
static void look_at(const struct bobbin_objects *o, const char *lo, const char *hi, int64_t what,
		    int depth)
{
	const struct bobbin_class *c = &o->of->class[o->class];
	const struct bobbin_slot *s = &o->of->slot[c->first];
	char *at = o->lo + (lo > o->lo ? (lo - o->lo) / c->bytes * c->bytes : 0);

	for (; at < o->hi && at < hi; at += c->bytes)
		for (int i = 0; i < c->count; i++)
			if (at + s[i].at >= lo && at + s[i].at < hi &&
			    (what != -2 || !(s[i].how & 2)))
				look_at_slot(at + s[i].at, &s[i], o, what, depth);
}

#define AT_ONCE 32
/* All known objects from lo to hi. */
static void look(const char *lo, const char *hi, int64_t what)
{
	struct bobbin_objects found[AT_ONCE];
	int n = 0;

	for (int i = objects_from(hi);
	     i-- > 0 && n < AT_ONCE && bobbin_lists.objects[i].lo > lo - bobbin_lists.longest - 1;)
		if (bobbin_lists.objects[i].hi > lo)
			found[n++] = bobbin_lists.objects[i];
	while (n--)
		look_at(&found[n], lo, hi, what, 0);
}

/* Variable `v`, which has components, is at `lo`. */
static void hold(int32_t v, char *lo, int64_t bytes)
{
	if (holders[v].class < 0 ||
	    CFI_VERSION != 1) /* other compilers have other descriptors than gfortran */
		return;
	lock_shared();
	if (add_objects(lo, bytes, &tables, holders[v].class)) {
		const struct bobbin_objects o = { lo, lo + bytes, &tables, holders[v].class };

		look_at(&o, o.lo, o.hi, holders[v].what, 0);
	}
	unlock_shared();
}

/* The variable ended. */
static void let_go(int32_t v, char *lo)
{
	if (holders[v].class < 0)
		return;
	lock_shared();
	for (int i = objects_from(lo); i < bobbin_lists.count && bobbin_lists.objects[i].lo == lo;
	     i++) {
		const struct bobbin_objects o = bobbin_lists.objects[i];

		if (o.of != &tables || o.class != holders[v].class)
			continue;
		drop_objects(i);
		end_leads(o.lo, o.hi, o.of, o.class);
		break;
	}
	unlock_shared();
}

/* Components of this object may have changed. `what`: -1 all; -2 all that are defined for certain;
 * else the one at that byte. */
void BOBBIN(ch)(int64_t what, const CFI_cdesc_t *d);
void BOBBIN(ch)(int64_t what, const CFI_cdesc_t *d)
{
	char *lo = d->base_addr, *hi = lo + d->elem_len;

	if (!here.access || !lo || !bobbin_lists.count)
		return;
	for (int k = 0; k < d->rank; k++) {
		const CFI_index_t way = (d->dim[k].extent - 1) * d->dim[k].sm;

		if (d->dim[k].extent <= 0)
			return;
		lo += way < 0 ? way : 0;
		hi += way > 0 ? way : 0;
	}
	lock_shared();
	if (what >= 0)
		look(lo + what, lo + what + 1, what);
	else
		look(lo, hi, what);
	unlock_shared();
}

/* As `ch`, of a type with procedures, which is passed as CLASS(*): its descriptor has neither the
 * size nor the addresses of its elements. */
void BOBBIN(cj)(int64_t what, const CFI_cdesc_t *d, int64_t bytes);
void BOBBIN(cj)(int64_t what, const CFI_cdesc_t *d, int64_t bytes)
{
	char *lo = d->base_addr, *hi = lo + bytes;

	if (!here.access || !lo || !bobbin_lists.count)
		return;
	lock_shared();
	for (int i = objects_from(lo + 1);
	     d->rank && i-- > 0 && bobbin_lists.objects[i].lo > lo - bobbin_lists.longest - 1;)
		if (bobbin_lists.objects[i].hi > hi)
			hi = bobbin_lists.objects[i].hi;
	if (what >= 0)
		look(lo + what, lo + what + 1, what);
	else
		look(lo, hi, what);
	unlock_shared();
}
