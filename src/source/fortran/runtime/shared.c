/* SPDX-License-Identifier: BSD-3-Clause */
/* Where variables were declared, in all instrumented files of the program, under one lock; the
 * stacks of whole variables that calls pass on (moves.c). The generator has written before this:
 * `told`, the address at which each variable of this file was declared last.
 *
 * Memory that a procedure frees has no owner among the files, so all files share one list. Each
 * thread has one stack of passed variables: one entry for each argument, one group for each
 * call. */

/* What was told to be where, of all files. */
struct bobbin_told {
	struct bobbin_told *next;
	void **at;
	int count;
};
struct bobbin_whole {
	void (*declare)(int32_t v, const CFI_cdesc_t *d, const int64_t *lower);
	void (*lose)(int32_t v, void *at);
	int32_t v, key, outer; /* outer: 1 + the entry that it comes from */
	void *at; /* where it is; NULL: nowhere */
	uint64_t shape;
	int is_back; /* it was there behind the call */
};
#define WHOLES 64
struct bobbin_wholes {
	struct bobbin_whole entry[WHOLES];
	int32_t group[WHOLES]; /* where the group of each entry begins */
	int32_t count; /* more than there is room for are counted only */
};
__attribute__((weak)) struct bobbin_told *bobbin_all_told;
__attribute__((weak)) int bobbin_told_lock;
__attribute__((weak)) __thread struct bobbin_wholes bobbin_wholes;
static struct bobbin_told all_told = { NULL, told, (int)(sizeof(told) / sizeof(told[0])) };

static void lock_told(void)
{
	while (__atomic_exchange_n(&bobbin_told_lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock_told(void)
{
	__atomic_store_n(&bobbin_told_lock, 0, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void enter_told(void)
{
	lock_told();
	all_told.next = bobbin_all_told;
	bobbin_all_told = &all_told;
	unlock_told();
}

__attribute__((destructor)) static void leave_told(void)
{
	struct bobbin_told **t = &bobbin_all_told;

	lock_told();
	while (*t && *t != &all_told)
		t = &(*t)->next;
	if (*t)
		*t = all_told.next;
	unlock_told();
}
