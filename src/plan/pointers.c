/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds data that points to code (words, relocations, the dynamic section): such addresses may be
 * targets of indirect branches. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "plan/elf.h"

/* Aligned words of data that contain an address of code: tables of labels in programs linked at a
 * fixed address, RELR relocations, and function pointers. */
static bob_status scan_words(struct bob_plan_image *img, uint64_t addr, uint64_t len)
{
	uint64_t lo = img->codes.at[0].lo, hi = img->codes.at[img->codes.count - 1].hi;
	uint64_t skip = -addr & 7;
	const uint8_t *p = bob_plan_bytes_at(img, addr, len);

	if (!p || len < skip)
		return BOB_OK;
	for (uint64_t i = skip; len - i >= 8; i += 8) {
		uint64_t v, *slot;

		memcpy(&v, p + i, 8);
		if (v - lo >= hi - lo)
			continue;
		slot = BOB_VEC_PUSH(&img->pointers);
		if (!slot)
			return BOB_ERR_NOMEM;
		*slot = v;
	}
	return BOB_OK;
}

/* Store the addresses in descriptors of restartable sequences as link addresses. */
static void relocate_rseq(struct bob_plan_image *img, const Elf64_Rela *r)
{
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (r->r_offset - img->rseq_addr < img->rseq_len && r->r_offset >= s->addr &&
		    r->r_offset - s->addr < s->len && s->len - (r->r_offset - s->addr) >= 8)
			memcpy(s->bytes + (r->r_offset - s->addr), &r->r_addend, 8);
	}
}

/* The symbol table that relocations of a section refer to. */
static const Elf64_Sym *symbols_of(const struct bob_plan_image *img, Elf_Scn *scn, size_t *count)
{
	GElf_Shdr sh;
	Elf_Scn *table = gelf_getshdr(scn, &sh) ? elf_getscn(img->elf->elf, sh.sh_link) : NULL;
	Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;

	if (!data || !data->d_buf || data->d_type != ELF_T_SYM)
		return NULL;
	*count = data->d_size / sizeof(Elf64_Sym);
	return data->d_buf;
}

static bob_status read_relocs(struct bob_plan_image *img, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const Elf64_Rela *r = data ? data->d_buf : NULL;
	size_t symbols = 0;
	const Elf64_Sym *symbol = symbols_of(img, scn, &symbols);

	if (!r || data->d_type != ELF_T_RELA)
		return BOB_OK;
	for (size_t i = 0; i < data->d_size / sizeof(*r); i++) {
		uint64_t *slot, to = (uint64_t)r[i].r_addend, at = ELF64_R_SYM(r[i].r_info);
		uint64_t type = ELF64_R_TYPE(r[i].r_info);

		if (type == R_X86_64_64 && symbol && at < symbols && symbol[at].st_shndx)
			to += symbol[at].st_value;
		else if (type != R_X86_64_RELATIVE && type != R_X86_64_IRELATIVE)
			continue;
		if (type != R_X86_64_64)
			relocate_rseq(img, &r[i]);
		if (!bob_plan_code_at(img, to))
			continue;
		slot = BOB_VEC_PUSH(&img->pointers);
		if (!slot)
			return BOB_ERR_NOMEM;
		*slot = to;
	}
	return BOB_OK;
}

bob_status bob_plan_read_pointers(struct bob_plan_image *img)
{
	Elf_Scn *scn = NULL;
	bob_status st = BOB_OK;

	while (st == BOB_OK && (scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		if (sh.sh_type == SHT_RELA)
			st = read_relocs(img, scn);
		else if (sh.sh_type != SHT_NOBITS && !(sh.sh_flags & SHF_EXECINSTR))
			st = scan_words(img, sh.sh_addr, sh.sh_size);
	}
	return st;
}

void bob_plan_read_dynamic(struct bob_plan_image *img)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && i < (int)(data->d_size / sizeof(Elf64_Dyn)); i++) {
			GElf_Dyn d;
			const char *name;
			uint64_t *slot;

			if (!gelf_getdyn(data, i, &d))
				break;
			name = d.d_tag == DT_SONAME ?
				       elf_strptr(img->elf->elf, sh.sh_link, d.d_un.d_val) :
				       NULL;
			if (name)
				snprintf(img->soname, sizeof(img->soname), "%s", name);
			if (d.d_tag != DT_INIT && d.d_tag != DT_FINI)
				continue;
			slot = BOB_VEC_PUSH(&img->pointers);
			if (slot)
				*slot = d.d_un.d_ptr;
		}
		return;
	}
}
