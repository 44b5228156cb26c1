/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that other parties write or compare while the program runs. Such bytes are `fixed`: no patch
 * overwrites them.
 *
 *   restartable sequences    the kernel compares the program counter with the range and the four
 *                            bytes before the abort address; moved instructions would be outside
 *   signal returns           unwinders and debuggers recognise them by their bytes
 *   USDT probes              a debugger or uprobe sets a breakpoint there
 *   XRay sleds               the run time of XRay writes a call there
 *   patchable entries        -fpatchable-function-entry: the patcher overwrites the NOPs
 *   counted NOPs             -mnop-mcount -mrecord-mcount: the same
 *   data within code         symbols of type object
 *
 * A function that begins with such NOPs is patched after them (bob_plan_body). */
#include <elf.h>
#include <string.h>

#include "plan/arch/x86_64/length.h"
#include "plan/elf.h"
#include "plan/image.h"

#define SIGNATURE_BYTES 4u	/* before the abort address */
#define SLED_BYTES 11u		/* of XRay, at entries and exits */
#define USDT_TYPE 3u

/* struct rseq_cs of the kernel; 32-byte aligned. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, len, abort;
};
BOB_STATIC_ASSERT(sizeof(struct sequence) == 32, "struct rseq_cs");

struct sled {
	uint64_t address, function;
	uint8_t kind, always, version, pad[13];
};
BOB_STATIC_ASSERT(sizeof(struct sled) == 32, "entry of xray_instr_map");

/* Limit against hostile files, in which ranges may overlap. */
static uint64_t most_fixed(const struct bob_plan_image *img)
{
	return 8 * img->stats.code_bytes;
}

void bob_plan_fix(struct bob_plan_image *img, uint64_t addr, uint64_t len)
{
	const struct bob_plan_code *c = bob_plan_code_at(img, addr);

	if (!c)
		return;
	if (len > c->hi - addr)
		len = c->hi - addr;
	img->fixed_bytes += len;
	if (img->fixed_bytes > most_fixed(img))
		return;
	for (uint64_t i = 0; i < len; i++)
		bob_plan_set_bit(c->fixed, addr - c->lo + i);
}

/* The same for a range that may begin before the code. */
void bob_plan_fix_range(struct bob_plan_image *img, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < img->codes.count; i++) {
		const struct bob_plan_code *c = &img->codes.at[i];
		uint64_t from = lo > c->lo ? lo : c->lo, to = hi < c->hi ? hi : c->hi;

		if (from < to)
			bob_plan_fix(img, from, to - from);
	}
}

static bob_status add_entry(struct bob_plan_image *img, uint64_t addr)
{
	uint64_t *slot = BOB_VEC_PUSH(&img->entries);

	if (!slot)
		return BOB_ERR_NOMEM;
	*slot = addr;
	return BOB_OK;
}

static bob_status fix_sequences(struct bob_plan_image *img)
{
	const uint8_t *p = bob_plan_bytes_at(img, img->rseq_addr, img->rseq_len);
	uint64_t at = -img->rseq_addr & (sizeof(struct sequence) - 1);
	bob_status st = BOB_OK;

	for (; p && st == BOB_OK && at <= img->rseq_len &&
	       img->rseq_len - at >= sizeof(struct sequence);
	     at += sizeof(struct sequence)) {
		struct sequence s;

		memcpy(&s, p + at, sizeof(s));
		if (bob_plan_code_at(img, s.start))
			bob_plan_fix(img, s.start, s.len);
		if (!bob_plan_code_at(img, s.abort))
			continue;
		bob_plan_fix_range(img, s.abort - SIGNATURE_BYTES, s.abort);
		st = add_entry(img, s.abort);
	}
	return st;
}

#define ENDBR64_LEN 4u
/* Whether an endbr64 is at `addr` and code continues after it. */
static bool is_endbr64(const struct bob_plan_code *c, uint64_t addr, uint64_t end)
{
	static const uint8_t endbr64[ENDBR64_LEN] = { 0xf3, 0x0f, 0x1e, 0xfa };

	return end > addr && end - addr > ENDBR64_LEN &&
	       !memcmp(c->bytes + (addr - c->lo), endbr64, ENDBR64_LEN);
}

/* Fix the NOPs from `addr` on, after an optional endbr64. */
static void fix_nops(struct bob_plan_image *img, uint64_t addr)
{
	const struct bob_plan_code *c = bob_plan_code_at(img, addr);
	struct bob_x86_insn in;

	if (c && is_endbr64(c, addr, c->hi)) {
		bob_plan_fix(img, addr, ENDBR64_LEN);
		addr += ENDBR64_LEN;
	}
	while (c && addr < c->hi && bob_x86_decode(c->bytes + (addr - c->lo), &in) &&
	       in.kind == BOB_X86_NOP && !bob_plan_bit(c->fixed, addr - c->lo)) {
		bob_plan_fix(img, addr, in.len);
		addr += in.len;
	}
}

/* Fix the NOPs at a table of addresses; relocated ones may be 0 in the file. */
static void fix_addresses(struct bob_plan_image *img, uint64_t addr, uint64_t len)
{
	const uint8_t *p = bob_plan_bytes_at(img, addr, len);

	for (uint64_t i = 0; p && len - i >= 8; i += 8) {
		uint64_t at;

		memcpy(&at, p + i, 8);
		fix_nops(img, at);
	}
}

static void fix_relocated(struct bob_plan_image *img, Elf_Scn *scn, uint64_t lo, uint64_t len)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const Elf64_Rela *r = data && data->d_type == ELF_T_RELA ? data->d_buf : NULL;

	for (size_t i = 0; r && i < data->d_size / sizeof(*r); i++)
		if (r[i].r_offset - lo < len && ELF64_R_TYPE(r[i].r_info) == R_X86_64_RELATIVE)
			fix_nops(img, (uint64_t)r[i].r_addend);
}

static void fix_listed(struct bob_plan_image *img, const GElf_Shdr *list)
{
	Elf_Scn *scn = NULL;

	fix_addresses(img, list->sh_addr, list->sh_size);
	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC) && sh.sh_type == SHT_RELA)
			fix_relocated(img, scn, list->sh_addr, list->sh_size);
	}
}

static void fix_sleds(struct bob_plan_image *img, const GElf_Shdr *sh)
{
	const uint8_t *p = bob_plan_bytes_at(img, sh->sh_addr, sh->sh_size);

	for (uint64_t i = 0; p && sh->sh_size - i >= sizeof(struct sled);
	     i += sizeof(struct sled)) {
		const struct bob_plan_code *c;
		struct sled s;

		memcpy(&s, p + i, sizeof(s));
		if (s.version >= 2)
			s.address += sh->sh_addr + i;
		c = bob_plan_code_at(img, s.address);
		if (!c)
			continue;
		/* a jump over the sled, or a return followed by NOPs */
		bob_plan_fix(img, s.address,
			     c->bytes[s.address - c->lo] == 0xeb ?
				     2u + c->bytes[s.address - c->lo + 1] :
				     SLED_BYTES);
	}
}

/* Fix the probe of one note: program counter, link-time address of .stapsdt.base, semaphore,
 * names. */
static void fix_probe(struct bob_plan_image *img, const uint8_t *desc, uint64_t base)
{
	const struct bob_plan_code *c;
	struct bob_x86_insn in;
	uint64_t pc, was;

	memcpy(&pc, desc, 8);
	memcpy(&was, desc + 8, 8);
	if (base && was)
		pc += base - was;
	c = bob_plan_code_at(img, pc);
	if (c)
		bob_plan_fix(img, pc, bob_x86_decode(c->bytes + (pc - c->lo), &in) ? in.len : 1);
}

static void fix_probes(struct bob_plan_image *img, Elf_Scn *scn, uint64_t base)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	const uint8_t *p = data ? data->d_buf : NULL;
	uint64_t left = p ? data->d_size : 0;

	while (left >= sizeof(Elf64_Nhdr)) {
		uint64_t name, desc;
		Elf64_Nhdr n;

		memcpy(&n, p, sizeof(n));
		name = sizeof(n) + (((uint64_t)n.n_namesz + 3) & ~3ull);
		desc = ((uint64_t)n.n_descsz + 3) & ~3ull;
		if (name > left || desc > left - name)
			return;
		if (n.n_type == USDT_TYPE && n.n_descsz >= 24)
			fix_probe(img, p + name, base);
		p += name + desc;
		left -= name + desc;
	}
}

static const char *section_name(const struct bob_plan_image *img, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(img->elf->elf, img->elf->names, sh->sh_name);

	return name ? name : "";
}

bob_status bob_plan_find_sites(struct bob_plan_image *img)
{
	Elf_Scn *scn = NULL, *probes = NULL;
	uint64_t base = 0;

	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = section_name(img, &sh);
		if (!strcmp(name, ".stapsdt.base"))
			base = sh.sh_addr;
		else if (!strcmp(name, ".note.stapsdt"))
			probes = scn;
		else if (!strcmp(name, "xray_instr_map"))
			fix_sleds(img, &sh);
		else if (!strcmp(name, "__patchable_function_entries") ||
			 !strcmp(name, "__mcount_loc"))
			fix_listed(img, &sh);
	}
	if (probes)
		fix_probes(img, probes, base);
	for (size_t i = 0; i < img->frames.count; i++)
		if (img->frames.at[i].signal)
			bob_plan_fix(img, img->frames.at[i].lo,
				     img->frames.at[i].hi - img->frames.at[i].lo);
	if (img->fixed_bytes > most_fixed(img))
		return BOB_ERR_FULL;
	return fix_sequences(img);
}

uint64_t bob_plan_body(const struct bob_plan_code *c, uint64_t addr, uint64_t end)
{
	const uint64_t entry = addr;

	if (end > c->hi)
		end = c->hi;
	if (is_endbr64(c, addr, end))
		addr += ENDBR64_LEN;
	while (addr < end && bob_plan_bit(c->fixed, addr - c->lo)) {
		const uint8_t *p = c->bytes + (addr - c->lo);
		struct bob_x86_insn in;
		uint64_t len = bob_x86_decode(p, &in);

		if (len && in.kind == BOB_X86_JMP && p[0] == 0xeb && in.rel > 0)
			len += (uint64_t)in.rel; /* a sled of XRay: a jump over its own NOPs */
		else if (!len || in.kind != BOB_X86_NOP)
			break;
		if (len >= end - addr || addr + len - entry > BOB_PLAN_BODY_MAX)
			break;
		addr += len;
	}
	return addr;
}
