/* SPDX-License-Identifier: BSD-3-Clause */
/* What every plan of the test images must keep to, checked with Zydis and libelf alone, on the
 * finished plan: nothing leads into the middle of overwritten bytes, no byte is wanted twice, and
 * each trampoline does what the bytes it replaces did. */
#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "images.h"
#include "plan/image.h"

struct subject {
	struct bob_plan_image img;	/* bytes, frames and relocations only: not the scan */
	uint8_t *plan;
	const struct bob_plan_head *h;
	const struct bob_plan_func *funcs;
	uint64_t lo, hi;
	/* per byte of text: 1 strictly inside a patch, 2 first byte of one */
	uint8_t *inside;
	ZydisDecoder d;
	uint64_t wrong;
};

static void complain(struct subject *s, const char *what, uint64_t at)
{
	if (++s->wrong < 20)
		fprintf(stderr, "%s at %lx\n", what, (unsigned long)at);
}

static void claim(struct subject *s, uint64_t at, unsigned len, bool hole)
{
	for (unsigned i = 0; i < len; i++) {
		if (s->inside[at + i - s->lo])
			complain(s, "byte wanted twice", at + i);
		s->inside[at + i - s->lo] = i == 0 && !hole ? 2 : 1;
	}
}

static void claim_all(struct subject *s)
{
	for (uint32_t i = 0; i < s->h->func_count; i++) {
		const struct bob_plan_func *f = &s->funcs[i];
		uint64_t at = f->addr + f->patch_delta;

		if (f->kind == BOB_PATCH_JMP) {
			claim(s, at, 5, false);
		} else if (f->kind == BOB_PATCH_HOLE) {
			claim(s, at, 2, false);
			claim(s, at + (uint64_t)(int64_t)f->hole_delta, 5, true);
		}
	}
}

static void no_way_in(struct subject *s, const char *what, uint64_t from, uint64_t to)
{
	if (to >= s->lo && to < s->hi && s->inside[to - s->lo] == 1)
		complain(s, what, from);
}

/* Every direct branch of every stretch of code with frame information. */
static uint64_t check_branches(struct subject *s)
{
	uint64_t count = 0;

	for (size_t i = 0; i < s->img.frames.count; i++) {
		const struct bob_plan_frame *f = &s->img.frames.at[i];
		const uint8_t *p = bob_plan_bytes_at(&s->img, f->lo, f->hi - f->lo);
		ZydisDecodedInstruction in;

		for (uint64_t at = f->lo; p && at < f->hi; at += in.length, p += in.length) {
			uint64_t end;

			if (!ZYAN_SUCCESS(
				    ZydisDecoderDecodeInstruction(&s->d, NULL, p, f->hi - at, &in)))
				break;
			end = at + in.length;
			if (in.raw.imm[0].is_relative) {
				no_way_in(s, "branch into a patch", at,
					  end + (uint64_t)in.raw.imm[0].value.s);
				count++;
			}
			/* a call in place must not return into a patch, an instruction in place
			 * not begin in one unless it was moved */
			if (in.meta.category == ZYDIS_CATEGORY_CALL && end < f->hi &&
			    s->inside[at - s->lo] == 0)
				no_way_in(s, "return into a patch", at, end);
		}
	}
	return count;
}

static void check_pointers(struct subject *s)
{
	for (size_t i = 0; i < s->img.pointers.count; i++)
		no_way_in(s, "pointer into a patch", s->img.pointers.at[i], s->img.pointers.at[i]);
}

/* One instruction in the trampoline, with the address it stands for when bias and arena are 0. */
struct decoded {
	ZydisDecodedInstruction in;
	uint64_t end;		/* address after it */
	const uint8_t *p;
};

static bool decode(struct subject *s, const uint8_t *p, uint64_t left, uint64_t addr,
		   struct decoded *out)
{
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&s->d, NULL, p, left, &out->in)))
		return false;
	out->p = p;
	out->end = addr + out->in.length;
	return true;
}

static uint64_t branch_target(const struct decoded *d)
{
	return d->end + (uint64_t)d->in.raw.imm[0].value.s;
}

static bool rip_relative(const ZydisDecodedInstruction *in)
{
	return (in->attributes & ZYDIS_ATTRIB_HAS_MODRM) && in->raw.modrm.mod == 0 &&
	       in->raw.modrm.rm == 5;
}

/* Same bytes but for a RIP-relative displacement, which leads to the same place. */
static bool same_plain(const struct decoded *a, const struct decoded *b, uint8_t mask_reg)
{
	for (unsigned i = 0; i < a->in.length; i++) {
		uint8_t x = a->p[i], y = b->p[i];

		if (rip_relative(&a->in) && i - a->in.raw.disp.offset < 4u)
			continue;
		if (i == a->in.raw.modrm.offset && mask_reg) {
			x = (uint8_t)(x & ~0x38);
			y = (uint8_t)(y & ~0x38);
		}
		if (x != y)
			return false;
	}
	if (a->in.length != b->in.length)
		return false;
	return !rip_relative(&a->in) ||
	       a->end + (uint64_t)a->in.raw.disp.value == b->end + (uint64_t)b->in.raw.disp.value;
}

struct walk {
	const uint8_t *p;
	uint64_t left, addr;	/* in the arena */
	unsigned relocs;	/* fields seen that refer to the image */
};

static bool step(struct subject *s, struct walk *w, struct decoded *d)
{
	if (!decode(s, w->p, w->left, w->addr, d))
		return false;
	w->p += d->in.length;
	w->left -= d->in.length;
	w->addr += d->in.length;
	return true;
}

/* call next; addq $(true - next),(%rsp); jmp callee */
static bool same_call(struct subject *s, const struct decoded *o, struct walk *w)
{
	struct decoded call, add, jmp;
	uint64_t next;

	if (!step(s, w, &call) || call.in.mnemonic != ZYDIS_MNEMONIC_CALL ||
	    branch_target(&call) != call.end)
		return false;
	next = call.end;
	if (!step(s, w, &add) || memcmp(add.p, "\x48\x81\x04\x24", 4) ||
	    next + (uint64_t)add.in.raw.imm[0].value.s != o->end)
		return false;
	w->relocs++;
	if (!step(s, w, &jmp) || jmp.in.mnemonic != ZYDIS_MNEMONIC_JMP)
		return false;
	if (o->in.raw.imm[0].is_relative) {
		w->relocs++;
		return jmp.in.raw.imm[0].is_relative && branch_target(&jmp) == branch_target(o);
	}
	w->relocs += rip_relative(&o->in);
	return same_plain(o, &jmp, 1);
}

static bool same_loop(struct subject *s, const struct decoded *o, const struct decoded *first,
		      struct walk *w)
{
	struct decoded over, jmp;

	if (first->in.mnemonic != o->in.mnemonic || !step(s, w, &over) || !step(s, w, &jmp))
		return false;
	w->relocs++;
	return branch_target(first) == over.end && branch_target(&over) == jmp.end &&
	       branch_target(&jmp) == branch_target(o);
}

static bool same_one(struct subject *s, const struct decoded *o, struct walk *w)
{
	struct decoded t;

	if (o->in.meta.category == ZYDIS_CATEGORY_CALL)
		return same_call(s, o, w);
	if (!step(s, w, &t))
		return false;
	if (o->in.raw.imm[0].is_relative && o->in.opcode >= 0xe0 && o->in.opcode <= 0xe3)
		return same_loop(s, o, &t, w);
	if (o->in.raw.imm[0].is_relative) {
		w->relocs++;
		return t.in.mnemonic == o->in.mnemonic && t.in.raw.imm[0].is_relative &&
		       branch_target(&t) == branch_target(o);
	}
	w->relocs += rip_relative(&o->in);
	return same_plain(o, &t, 0);
}

static unsigned relocs_in(const struct subject *s, uint32_t lo, uint32_t hi)
{
	const uint32_t *r = (const void *)(s->plan + s->h->relocs.off);
	unsigned n = 0;
	uint64_t a = 0, b = s->h->relocs.len / 4;

	while (a < b) {
		uint64_t mid = (a + b) / 2;

		if (r[mid] < lo)
			a = mid + 1;
		else
			b = mid;
	}
	for (; a < s->h->relocs.len / 4 && r[a] < hi; a++)
		n++;
	return n;
}

static void check_trampoline(struct subject *s, uint32_t index)
{
	static const uint8_t save[5] = { 0x48, 0x89, 0x44, 0x24, 0xf0 };
	const struct bob_plan_func *f = &s->funcs[index];
	uint64_t at = f->addr + f->patch_delta, end = at + f->displaced_len;
	const uint8_t *orig = bob_plan_bytes_at(&s->img, at, f->displaced_len);
	const uint8_t *t = s->plan + s->h->blob.off + f->tramp;
	struct walk w = {t + f->body, f->tramp_len - f->body,
			 BOB_PLAN_HANDLER_BYTES + f->tramp + f->body, 0};
	struct decoded o = { 0 }, back;
	uint32_t id;
	int32_t call;

	memcpy(&id, t + BOB_PLAN_TRAMP_ID, 4);
	memcpy(&call, t + BOB_PLAN_TRAMP_CALL, 4);
	if (memcmp(t, save, 5) || t[5] != 0xb8 || id != index || t[10] != 0xe8 ||
	    (int64_t)(BOB_PLAN_HANDLER_BYTES + f->tramp + 15) + call != 0)
		complain(s, "bad trampoline head", f->addr);
	if (memcmp(f->expect, bob_plan_bytes_at(&s->img, at, f->expect_len), f->expect_len))
		complain(s, "expected bytes are not the file's", f->addr);
	for (; at < end; at = o.end, orig += o.in.length)
		if (!decode(s, orig, end - at, at, &o) || !same_one(s, &o, &w)) {
			complain(s, "trampoline differs", f->addr);
			return;
		}
	if (w.left > 0) {
		w.relocs++;
		if (!step(s, &w, &back) || back.in.mnemonic != ZYDIS_MNEMONIC_JMP || w.left > 0 ||
		    branch_target(&back) != end)
			complain(s, "bad jump back", f->addr);
	} else if (o.in.mnemonic != ZYDIS_MNEMONIC_JMP &&
		   o.in.meta.category != ZYDIS_CATEGORY_RET &&
		   o.in.meta.category != ZYDIS_CATEGORY_CALL &&
		   o.in.mnemonic != ZYDIS_MNEMONIC_UD2 && o.in.mnemonic != ZYDIS_MNEMONIC_HLT) {
		complain(s, "no jump back", f->addr);
	}
	if (relocs_in(s, f->tramp, f->tramp + f->tramp_len) != w.relocs)
		complain(s, "relocations do not match the code", f->addr);
}

static void check_image(const char *path, double least_percent)
{
	struct subject s = { 0 };
	struct bob_plan_stats stats;
	void *plan;
	size_t len;
	uint64_t branches;

	ZydisDecoderInit(&s.d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_int_equal(bob_plan_image(path, &plan, &len, &stats, NULL), BOB_OK);
	assert_int_equal(bob_plan_check(plan, len, 0), BOB_OK);
	s.plan = plan;
	s.h = plan;
	s.funcs = (const void *)(s.plan + s.h->funcs.off);
	assert_int_equal(bob_plan_elf_open(&s.img, path, NULL), BOB_OK);
	assert_int_equal(bob_plan_read_frames(&s.img), BOB_OK);
	s.lo = s.h->text_lo;
	s.hi = s.h->text_hi;
	s.inside = calloc(1, s.hi - s.lo + 16);
	assert_non_null(s.inside);
	claim_all(&s);
	branches = check_branches(&s);
	check_pointers(&s);
	for (uint32_t i = 0; i < s.h->func_count; i++)
		if (s.funcs[i].kind != BOB_PATCH_NONE)
			check_trampoline(&s, i);
	printf("%s: %u of %u functions hooked, %lu branches looked at\n", path, stats.patched,
	       stats.candidates, (unsigned long)branches);
	assert_int_equal(s.wrong, 0);
	assert_true(stats.patched > least_percent / 100 * stats.candidates);
	free(s.inside);
	free(plan);
	bob_plan_elf_close(&s.img);
}

static void test_all_images(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_IMAGES; i++) {
		struct bob_error err;
		uint64_t key;

		if (bob_plan_key(test_images[i], &key, &err) != BOB_OK) {
			assert_true(i >= 2);
			continue;
		}
		check_image(test_images[i], i == 1 ? 97 : 99);
	}
}

/* The same image gives the same bytes, and the key is the agent's business as well. */
static void test_deterministic(void **state)
{
	void *a, *b;
	size_t la, lb;
	uint64_t key;

	(void)state;
	assert_int_equal(bob_plan_image(test_images[0], &a, &la, NULL, NULL), BOB_OK);
	assert_int_equal(bob_plan_image(test_images[0], &b, &lb, NULL, NULL), BOB_OK);
	assert_int_equal(la, lb);
	assert_memory_equal(a, b, la);
	assert_int_equal(bob_plan_key(test_images[0], &key, NULL), BOB_OK);
	assert_true(key == ((struct bob_plan_head *)a)->key);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_all_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
