/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame rows against libdw, at thousands of addresses of each image. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "images.h"
#include "plan/image.h"

#define RBX 3
#define RBP 6
#define RSP 7
#define SAMPLES 4000

static struct bob_plan_row row_at(const struct bob_plan_image *img, const struct bob_plan_frame *f,
				  uint64_t addr)
{
	struct bob_plan_row r = img->rows.at[f->row];

	for (uint32_t i = 1; i < f->row_count && img->rows.at[f->row + i].start <= addr - f->lo;
	     i++)
		r = img->rows.at[f->row + i];
	return r;
}

static struct bob_plan_row unknown_row(void)
{
	return (struct bob_plan_row){ .cfa_kind = BOB_CFA_UNKNOWN };
}

/* What libdw says, in our terms. */
static struct bob_plan_row libdw_row(Dwarf_CFI *cfi, uint64_t addr)
{
	struct bob_plan_row r = { 0 };
	Dwarf_Frame *frame;
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_cfi_addrframe(cfi, addr, &frame) != 0)
		return unknown_row();
	if (dwarf_frame_register(frame, 16, mem, &ops, &n) != 0)
		goto unknown;
	if (n == 0 && ops == mem) {	/* undefined */
		free(frame);
		return (struct bob_plan_row){ .cfa_kind = BOB_CFA_OUTERMOST };
	}
	if (n == 0 || ops[0].atom != DW_OP_call_frame_cfa)
		goto unknown;	/* not in the frame (vfork) */
	if (dwarf_frame_cfa(frame, &ops, &n) != 0)
		goto unknown;
	if (n == 2 && ops[0].atom == DW_OP_breg0 + RBP && ops[1].atom == DW_OP_deref) {
		r.cfa_kind = BOB_CFA_RBP_DEREF;
		r.cfa_off = (int32_t)ops[0].number;
	} else if (n == 1 && ops[0].atom == DW_OP_bregx &&
		   (ops[0].number == RSP || ops[0].number == RBP || ops[0].number == RBX)) {
		r.cfa_kind = ops[0].number == RSP ? BOB_CFA_RSP :
			     ops[0].number == RBP ? BOB_CFA_RBP :
						    BOB_CFA_RBX;
		r.cfa_off = (int32_t)ops[0].number2;
	} else {
		goto unknown;
	}
	if (dwarf_frame_register(frame, RBP, mem, &ops, &n) != 0 || (n == 0 && ops == mem))
		r.rbp_off = BOB_ROW_RBP_LOST;
	else if (n == 0 && !ops)
		r.rbp_off = 0;
	else if (n == 1 && ops[0].atom == DW_OP_call_frame_cfa)
		r.rbp_off = 0;
	else if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst)
		r.rbp_off = (int16_t)((int64_t)ops[1].number / 8);
	else if (n > 0 && ops[n - 1].atom == DW_OP_breg0 + RBP && ops[n - 1].number == 0 &&
		 r.cfa_kind == BOB_CFA_RBP_DEREF)	/* libdw puts the CFA on the stack first */
		r.rbp_off = BOB_ROW_RBP_AT_RBP;
	else
		r.rbp_off = BOB_ROW_RBP_LOST;
	free(frame);
	return r;
unknown:
	free(frame);
	return unknown_row();
}

static bool has_realigned_rows(const struct bob_plan_image *img, const struct bob_plan_frame *f)
{
	for (uint32_t i = 0; i < f->row_count; i++)
		if (img->rows.at[f->row + i].cfa_kind == BOB_CFA_RBP_DEREF)
			return true;
	return false;
}

/* A random frame; for the last quarter of the samples one with a realigned stack, if there is. */
static const struct bob_plan_frame *pick(const struct bob_plan_image *img, uint64_t seed,
					 unsigned i)
{
	size_t n = img->frames.count, at = (seed >> 33) % n;

	if (i < SAMPLES / 4 * 3)
		return &img->frames.at[at];
	for (size_t k = 0; k < n; k++)
		if (has_realigned_rows(img, &img->frames.at[(at + k) % n]))
			return &img->frames.at[(at + k) % n];
	return &img->frames.at[at];
}

static void check_image(const char *path, unsigned *realigned)
{
	struct bob_plan_image img;
	int fd = open(path, O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	unsigned kinds[6] = { 0 }, wrong = 0;
	uint64_t seed = 12345;

	assert_non_null(cfi);
	assert_int_equal(bob_plan_elf_open(&img, path, NULL), BOB_OK);
	assert_int_equal(bob_plan_read_frames(&img), BOB_OK);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct bob_plan_frame *f;
		struct bob_plan_row ours, theirs;
		uint64_t addr;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		f = pick(&img, seed, i);
		addr = f->lo + (seed >> 7) % (f->hi - f->lo);
		assert_true(bob_plan_frame_at(&img, addr) == f - img.frames.at);
		ours = row_at(&img, f, addr);
		theirs = libdw_row(cfi, addr);
		kinds[ours.cfa_kind]++;
		if (ours.cfa_kind != theirs.cfa_kind || ours.cfa_off != theirs.cfa_off ||
		    ours.rbp_off != theirs.rbp_off) {
			if (++wrong < 10)
				fprintf(stderr, "%lx: %u %d %d, libdw %u %d %d\n",
					(unsigned long)addr, ours.cfa_kind, ours.cfa_off,
					ours.rbp_off, theirs.cfa_kind, theirs.cfa_off,
					theirs.rbp_off);
		}
	}
	printf("%s: %zu frames, sampled unknown %u rsp %u rbp %u *(rbp) %u\n", path,
	       img.frames.count, kinds[0], kinds[1], kinds[2], kinds[3]);
	assert_int_equal(wrong, 0);
	*realigned += kinds[BOB_CFA_RBP_DEREF];
	bob_plan_elf_close(&img);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
}

static void test_rows(void **state)
{
	unsigned realigned = 0;

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < TEST_IMAGES; i++)
		if (access(test_images[i], R_OK) == 0)
			check_image(test_images[i], &realigned);
		else
			assert_true(i >= 2);
	if (access("/usr/lib/x86_64-linux-gnu/libgfortran.so.5", R_OK) == 0)
		assert_true(realigned > 100);
}

/* Sorted, not overlapping, rows in order: what the agent's look-up rests on. */
static void test_order(void **state)
{
	struct bob_plan_image img;

	(void)state;
	assert_int_equal(bob_plan_elf_open(&img, test_images[0], NULL), BOB_OK);
	assert_int_equal(bob_plan_read_frames(&img), BOB_OK);
	assert_true(img.frames.count > 1000);
	for (size_t i = 0; i < img.frames.count; i++) {
		const struct bob_plan_frame *f = &img.frames.at[i];

		assert_true(f->lo < f->hi);
		assert_true(i == 0 || f[-1].hi <= f->lo);
		assert_true(f->row_count > 0 && img.rows.at[f->row].start == 0);
		for (uint32_t r = 1; r < f->row_count; r++)
			assert_true(img.rows.at[f->row + r].start >
				    img.rows.at[f->row + r - 1].start);
	}
	bob_plan_elf_close(&img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
