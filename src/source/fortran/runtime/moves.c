/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that statements and calls may move: ALLOCATE, MOVE_ALLOC, arguments that are
 * allocatable or pointers. After accesses.c. A call pushes one entry for each such argument;
 * `key` says which dummy argument it becomes. An entry for a dummy argument of the caller refers
 * to the entry that the caller itself was passed, and so to the variable that the first call
 * named. */

/* The variable has moved. The former target of a pointer still exists. */
static void lose(int32_t v, void *at)
{
	if (is_pointer[v])
		return;
	__atomic_store_n(&declared[v], NULL, __ATOMIC_RELAXED);
	let_go(v, at);
	if (holders[v].is_traced)
		bob_probe_forget(&here, (uint32_t)v, at);
}

static uint64_t shape_of(const CFI_cdesc_t *d, const int64_t *lower)
{
	uint64_t h = (uint64_t)d->elem_len;

	for (int k = 0; k < d->rank; k++) {
		h = (h ^ (uint64_t)lower[k]) * 0x9e3779b97f4a7c15u;
		h = (h ^ h >> 29 ^ (uint64_t)d->dim[k].extent) * 0x9e3779b97f4a7c15u;
		h = (h ^ h >> 29 ^ (uint64_t)d->dim[k].sm) * 0x9e3779b97f4a7c15u;
	}
	return h;
}

/* 1 + the entry that becomes dummy argument `key`, in the group that ends before `end`; 0: none. */
static int32_t find_whole(const struct bobbin_wholes *w, int32_t end, int32_t key)
{
	if (!key || end <= 0 || end > WHOLES)
		return 0;
	for (int32_t i = end; i-- > w->group[end - 1];)
		if (w->entry[i].key == key)
			return i + 1;
	return 0;
}

/* The address (NULL: none) of an entry, and of the entries that it refers to. */
static void set_whole(struct bobbin_wholes *w, int32_t i, void *at, uint64_t shape)
{
	for (;; i = w->entry[i].outer - 1) {
		w->entry[i].at = at;
		w->entry[i].shape = shape;
		if (!w->entry[i].outer)
			return;
	}
}

static void move_whole(struct bobbin_wholes *w, int32_t i, const CFI_cdesc_t *d,
		       const int64_t *lower)
{
	struct bobbin_whole *e = &w->entry[i];
	const uint64_t shape = d->base_addr ? shape_of(d, lower) : 0;

	if (!e->declare || (e->at == d->base_addr && e->shape == shape))
		return;
	if (e->at)
		e->lose(e->v, e->at);
	e->declare(e->v, d, lower);
	set_whole(w, i, d->base_addr, shape);
}

/* Pushes the n-th argument of a call: variable `v`, or (-1) the dummy argument `own` of the caller.
 * v = -2: pops n entries; those without an address after the call have no memory. */
void BOBBIN(u)(int32_t v, int32_t key, int32_t n, int32_t own);
void BOBBIN(u)(int32_t v, int32_t key, int32_t n, int32_t own)
{
	struct bobbin_wholes *w = &bobbin_wholes;
	struct bobbin_whole *e;

	if (!here.access)
		return;
	for (; v == -2 && n; n--) {
		e = --w->count < WHOLES ? &w->entry[w->count] : NULL;
		if (!e || e->is_back || !e->at || !e->declare)
			continue;
		e->lose(e->v, e->at);
		set_whole(w, w->count, NULL, 0);
	}
	if (v == -2)
		return;
	if (w->count++ >= WHOLES)
		return;
	e = &w->entry[w->count - 1];
	w->group[w->count - 1] = w->count - 1 - n;
	*e = (struct bobbin_whole){ BOBBIN(d), lose, v, key, 0, NULL, 0, 0 };
	if (v >= 0)
		return;
	e->outer = find_whole(w, w->count - 1 - n, own);
	if (!e->outer) {
		e->declare = NULL;
		return;
	}
	e->declare = w->entry[e->outer - 1].declare;
	e->lose = w->entry[e->outer - 1].lose;
	e->v = w->entry[e->outer - 1].v;
}

/* Address of the n-th argument: before the call (n), after it (-1 - n). */
void BOBBIN(y)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower);
void BOBBIN(y)(int32_t n, const CFI_cdesc_t *d, const int64_t *lower)
{
	struct bobbin_wholes *w = &bobbin_wholes;
	int32_t i;

	if (!here.access || w->count <= 0 || w->count > WHOLES)
		return;
	i = w->group[w->count - 1] + (n < 0 ? -1 - n : n);
	if (i >= w->count)
		return;
	if (n < 0) {
		w->entry[i].is_back = 1;
		move_whole(w, i, d, lower);
	} else if (d->base_addr) {
		w->entry[i].at = d->base_addr;
		w->entry[i].shape = shape_of(d, lower);
	}
}

/* The dummy argument of the procedure has this address from now on. */
void BOBBIN(k)(int32_t key, const CFI_cdesc_t *d, const int64_t *lower);
void BOBBIN(k)(int32_t key, const CFI_cdesc_t *d, const int64_t *lower)
{
	struct bobbin_wholes *w = &bobbin_wholes;
	const int32_t i = here.access ? find_whole(w, w->count, key) : 0;

	if (i)
		move_whole(w, i - 1, d, lower);
}

/* Memory is freed, or (with a key) the dummy argument has none any more. */
void BOBBIN(x)(int32_t key, const CFI_cdesc_t *d);
void BOBBIN(x)(int32_t key, const CFI_cdesc_t *d)
{
	struct bobbin_wholes *w = &bobbin_wholes;
	void *const at = d->base_addr;
	int32_t i;

	if (!here.access || !at)
		return;
	if (key) {
		i = find_whole(w, w->count, key);
		if (i && w->entry[i - 1].declare) {
			w->entry[i - 1].lose(w->entry[i - 1].v, at);
			set_whole(w, i - 1, NULL, 0);
		}
		return;
	}
	lock_shared();
	for (struct bobbin_declared *t = bobbin_all_declared; t; t = t->next)
		for (int k = 0; k < t->count; k++)
			if (__atomic_load_n(&t->at[k], __ATOMIC_RELAXED) == at)
				__atomic_store_n(&t->at[k], NULL, __ATOMIC_RELAXED);
	end_at(at);
	unlock_shared();
	bob_probe_gone(&here, at);
	for (i = 0; i < w->count && i < WHOLES; i++)
		if (w->entry[i].at == at)
			w->entry[i].at = NULL;
}
