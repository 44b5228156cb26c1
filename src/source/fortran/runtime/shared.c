/* SPDX-License-Identifier: BSD-3-Clause */
/* Where variables were declared, in all instrumented files of the program, under one lock; the
 * stacks of whole variables that calls pass on (moves.c). The generator has written before this:
 * `declared`, the address at which each variable of this file was declared last.
 *
 * Memory that a procedure frees has no owner among the files, so all files share one list. Each
 * thread has one stack of passed variables: one entry for each argument, one group for each
 * call. */

/* A file of the list of all files; `at`: its `declared`. */
struct bobbin_declared {
	struct bobbin_declared *next;
	void **at;
	int count;
};
struct bobbin_whole {
	void (*declare)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower);
	void (*lose)(int32_t v, void *at);
	int32_t v, key, outer; /* outer: 1 + the entry that it comes from */
	void *at; /* its address; NULL: it has no memory */
	uint64_t shape;
	int is_back; /* its address after the call is known */
};
#define WHOLES 64
struct bobbin_wholes {
	struct bobbin_whole entry[WHOLES];
	int32_t group[WHOLES]; /* where the group of each entry begins */
	int32_t count; /* those beyond WHOLES are only counted */
};
__attribute__((weak)) struct bobbin_declared *bobbin_all_declared;
__attribute__((weak)) int bobbin_lock;
__attribute__((weak)) __thread struct bobbin_wholes bobbin_wholes;
static struct bobbin_declared declared_here = { NULL, declared,
						(int)(sizeof(declared) / sizeof(declared[0])) };

static void lock_shared(void)
{
	while (__atomic_exchange_n(&bobbin_lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock_shared(void)
{
	__atomic_store_n(&bobbin_lock, 0, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void add_declared(void)
{
	lock_shared();
	declared_here.next = bobbin_all_declared;
	bobbin_all_declared = &declared_here;
	unlock_shared();
}

__attribute__((destructor)) static void remove_declared(void)
{
	struct bobbin_declared **t = &bobbin_all_declared;

	lock_shared();
	while (*t && *t != &declared_here)
		t = &(*t)->next;
	if (*t)
		*t = declared_here.next;
	unlock_shared();
}
