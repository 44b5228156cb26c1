/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of the Go compiler. Go's run time moves stacks; it finds frames, and pointers in them, by
 * return addresses, and aborts the program at an unknown return address. So no byte of such code is
 * overwritten, and its functions are listed with BOB_SKIP_GO. C code of the same program (cgo) is
 * hooked as usual.
 *
 * Go's function table has the range of its code (Go's src/runtime/symtab.go, struct pcHeader). The
 * planner searches the data of images with a section .go.buildinfo or .note.go.buildid for the
 * table of Go 1.18 and later. Without a table, all code of the image is treated as Go's. */
#include <string.h>

#include "plan/elf.h"
#include "plan/image.h"

#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u
#define LIST_ENTRY 8u
#define TABLE_ALIGN 8u

struct table {
	uint32_t magic;
	uint8_t zero[2], unit, pointer; /* unit: instruction alignment; pointer: pointer size */
	uint64_t functions, files, text, offsets[4];
	/* Per function a u32 code offset and another u32; then the u32 offset of the end. */
	uint64_t list;
};
BOB_STATIC_ASSERT(sizeof(struct table) == 72, "Go's pcHeader");

static bool is_go(const struct bob_plan_image *img)
{
	const struct bob_plan_elf *e = img->elf;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(e->elf, e->names, sh.sh_name) : NULL;

		if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid")))
			return true;
	}
	return false;
}

/* The value that a relocation stores at `addr` in a position-independent image. 0: no
 * relocation. */
static uint64_t relocated(const struct bob_plan_image *img, uint64_t addr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		GElf_Shdr sh;
		const Elf_Data *data;
		const Elf64_Rela *r;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(scn, NULL);
		r = data && data->d_type == ELF_T_RELA ? data->d_buf : NULL;
		for (size_t i = 0; r && i < data->d_size / sizeof(*r); i++)
			if (r[i].r_offset == addr && ELF64_R_TYPE(r[i].r_info) == R_X86_64_RELATIVE)
				return (uint64_t)r[i].r_addend;
	}
	return 0;
}

/* Read the table in the `len` bytes at `p` (link address `addr`). False: no known table begins
 * there. */
static bool read_table(const struct bob_plan_image *img, const uint8_t *p, uint64_t len,
		       uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	struct table t;
	uint32_t end;

	memcpy(&t, p, sizeof(t));
	if ((t.magic != MAGIC_1_18 && t.magic != MAGIC_1_20) || t.unit != 1 || t.pointer != 8 ||
	    t.list > len || t.functions >= (len - t.list) / LIST_ENTRY)
		return false;
	memcpy(&end, p + t.list + LIST_ENTRY * t.functions, sizeof(end));
	*lo = relocated(img, addr + offsetof(struct table, text));
	if (!*lo)
		*lo = t.text;
	*hi = *lo + end;
	return end && bob_plan_code_at(img, *lo) && bob_plan_code_at(img, *hi - 1);
}

static bool find_code(const struct bob_plan_image *img, uint64_t *lo, uint64_t *hi)
{
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		for (uint64_t at = -s->addr % TABLE_ALIGN;
		     at < s->len && s->len - at >= sizeof(struct table); at += TABLE_ALIGN)
			if (read_table(img, s->bytes + at, s->len - at, s->addr + at, lo, hi))
				return true;
	}
	return false;
}

bob_status bob_plan_refuse_go(struct bob_plan_image *img)
{
	uint64_t lo, hi;

	if (!is_go(img))
		return BOB_OK;
	if (!find_code(img, &lo, &hi)) {
		lo = 0;
		hi = UINT64_MAX;
	}
	for (size_t i = 0; i < img->funcs.count; i++) {
		struct bob_plan_candidate *f = &img->funcs.at[i];

		if (f->addr >= lo && f->addr < hi)
			f->skip = BOB_SKIP_GO;
	}
	bob_plan_fix_range(img, lo, hi);
	return BOB_OK;
}
