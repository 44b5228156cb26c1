/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a plan as text: either every function with its patch and its disassembled trampoline, or
 * only the bytes that the agent overwrites. */
#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <string.h>

#include "base/search.h"
#include "plan/image.h"

static const char *const kinds[] = { "none", "jmp", "hole" };
static const char *const reasons[] = {
	"", "short", "branch", "decode", "relocate", "no frame info", "filter", "bytes", "protect",
	"reach", "no plan", "images", "special", "limit",
	"unwind", "site", "Go", "sanitizer"};

const char *bob_plan_skip_text(unsigned skip)
{
	return skip < sizeof(reasons) / sizeof(reasons[0]) ? reasons[skip] : "unknown";
}

static bool is_reloc(const uint8_t *plan, const struct bob_plan_head *h, uint64_t from, uint64_t to)
{
	const uint32_t *r = (const void *)(plan + h->relocs.off);
	size_t lo;

	BOB_PARTITION_POINT(lo, h->relocs.len / 4, mid, r[mid] < from);
	return lo < h->relocs.len / 4 && r[lo] < to;
}

/* Targets are printed as link addresses of the image, or as handler + offset in the arena. */
static void print_code(FILE *out, const uint8_t *plan, const struct bob_plan_head *h,
		       const struct bob_plan_func *f)
{
	const uint8_t *code = plan + h->blob.off;
	ZydisFormatter formatter;
	ZydisDecoder decoder;
	uint32_t at = f->tramp, end = f->tramp + f->tramp_len;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
	while (at < end) {
		ZydisDecodedInstruction in;
		ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
		char text[128];

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, end - at, &in, ops)))
			break;
		ZydisFormatterFormatInstruction(&formatter, &in, ops, in.operand_count_visible,
						text, sizeof(text), BOB_PLAN_HANDLER_BYTES + at,
						NULL);
		fprintf(out, "    %6" PRIx32 "  %s%s\n", at, text,
			is_reloc(plan, h, at, at + in.length) ? "  # image" : "");
		at += in.length;
	}
}

static const char *name_of(const struct bob_plan_head *h, const struct bob_plan_func *f)
{
	return f->name == UINT32_MAX ? "?" : (const char *)h + h->names.off + f->name;
}

void bob_plan_dump(const void *bytes, FILE *out)
{
	const uint8_t *plan = bytes;
	const struct bob_plan_head *h = bytes;
	const struct bob_plan_func *f = (const void *)(plan + h->funcs.off);

	for (uint32_t i = 0; i < h->func_count; i++, f++) {
		const char *name = name_of(h, f);

		fprintf(out, "%" PRIu32 " %" PRIx64 " +%" PRIu32 " %s: %s", i, f->addr, f->size,
			name, kinds[f->kind]);
		if (f->kind == BOB_PATCH_NONE) {
			fprintf(out, " (%s)\n", bob_plan_skip_text(f->skip));
			continue;
		}
		fprintf(out, " at +%u, %u bytes moved", f->patch_delta, f->displaced_len);
		if (f->kind == BOB_PATCH_HOLE)
			fprintf(out, ", hole at %+d", f->hole_delta);
		fprintf(out, "%s\n", f->flags & BOB_FUNC_LOOP_HEAD ? ", loop head" : "");
		print_code(out, plan, h, f);
	}
}

static void print_range(FILE *out, uint64_t at, unsigned len, const char *kind, uint64_t addr,
			const char *name)
{
	fprintf(out, "%" PRIx64 " %u %s %" PRIx64 " %s\n", at, len, kind, addr, name);
}

void bob_plan_print_patches(const void *bytes, FILE *out)
{
	const uint8_t *plan = bytes;
	const struct bob_plan_head *h = bytes;
	const struct bob_plan_func *f = (const void *)(plan + h->funcs.off);

	for (uint32_t i = 0; i < h->func_count; i++, f++) {
		const char *name = name_of(h, f);
		uint64_t at = f->addr + f->patch_delta;

		if (f->kind == BOB_PATCH_JMP) {
			print_range(out, at, 5, "jump", f->addr, name);
		} else if (f->kind == BOB_PATCH_HOLE) {
			print_range(out, at, 2, "short", f->addr, name);
			print_range(out, at + (uint64_t)(int64_t)f->hole_delta, 5, "hole", f->addr,
				    name);
		}
	}
}
