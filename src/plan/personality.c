/* SPDX-License-Identifier: BSD-3-Clause */
/* Identifies the personality routine of a frame, and whether its exception tables have the form
 * that lsda.c reads. A routine is identified by name: that of the symbol that relocates the word
 * DW.ref.*, or of the symbol at its address, which may be a PLT stub. A stripped image that
 * contains the routine has no name for it: then it is from the statically linked run time of a
 * compiler, whose tables have this form. */
#include <elf.h>
#include <string.h>

#include "plan/elf.h"
#include "plan/lsda.h"

#define PERSONALITIES_MAX 64u	/* cached; an image has one or two for each language */

static const char *const known[] = {
	"__gxx_personality_v0",
	"__gcc_personality_v0",
	"__gnat_personality_v0",
	"__gnat_eh_personality",
	"__objc_personality_v0",
	"__gnu_objc_personality_v0",
	"__gnustep_objc_personality_v0",
	"__gnustep_objcxx_personality_v0",
	"__gdc_personality_v0",
	"_d_eh_personality",
	"__dmd_personality_v0",
	"__gccgo_personality_v0",
	"__gcj_personality_v0",
};

static bool is_known(const char *name)
{
	static const char rust[] = "rust_eh_personality"; /* recent compilers prepend a crate */
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return true;
	return len >= sizeof(rust) - 1 && !strcmp(name + len - (sizeof(rust) - 1), rust);
}

/* The value of a word at run time. */
struct word {
	const char *name;	/* of a symbol; NULL: none */
	uint64_t value;		/* link address */
};

static void look_at_relocs(const struct bob_plan_image *img, Elf_Scn *scn, uint64_t at,
			   struct word *w)
{
	Elf_Data *data = elf_getdata(scn, NULL), *symbols;
	const Elf64_Rela *r = data ? data->d_buf : NULL;
	GElf_Shdr sh, names;
	Elf_Scn *table;

	if (!r || data->d_type != ELF_T_RELA || !gelf_getshdr(scn, &sh))
		return;
	table = elf_getscn(img->elf->elf, sh.sh_link);
	symbols = table && gelf_getshdr(table, &names) ? elf_getdata(table, NULL) : NULL;
	for (size_t i = 0; i < data->d_size / sizeof(*r); i++) {
		GElf_Sym sym;

		if (r[i].r_offset != at)
			continue;
		w->value = (uint64_t)r[i].r_addend;
		if (ELF64_R_SYM(r[i].r_info) == 0 || !symbols ||
		    !gelf_getsym(symbols, (int)ELF64_R_SYM(r[i].r_info), &sym))
			continue;
		w->name = elf_strptr(img->elf->elf, names.sh_link, sym.st_name);
		w->value = sym.st_value;
	}
}

static struct word read_word(const struct bob_plan_image *img, uint64_t at)
{
	const uint8_t *p = bob_plan_bytes_at(img, at, 8);
	struct word w = { 0 };
	Elf_Scn *scn = NULL;

	if (p)
		memcpy(&w.value, p, 8);
	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC) && sh.sh_type == SHT_RELA)
			look_at_relocs(img, scn, at, &w);
	}
	return w;
}

/* The name of an undefined symbol with a value, which is the address of its PLT stub (programs
 * linked at a fixed address). */
static const char *name_of_stub(const struct bob_plan_image *img, uint64_t addr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf->elf, scn)) != NULL) {
		Elf_Data *data;
		const Elf64_Sym *s;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		s = data && data->d_type == ELF_T_SYM ? data->d_buf : NULL;
		for (size_t i = 1; s && i < data->d_size / sizeof(*s); i++)
			if (s[i].st_value == addr && s[i].st_shndx == SHN_UNDEF)
				return elf_strptr(img->elf->elf, sh.sh_link, s[i].st_name);
	}
	return NULL;
}

static bool is_known_at(const struct bob_plan_image *img, uint64_t addr)
{
	const struct bob_plan_code *c = bob_plan_code_at(img, addr);
	const char *stub = name_of_stub(img, addr);
	bool named = false;

	if (stub)
		return is_known(stub);
	for (size_t i = 0; i < img->symbols.count; i++) {
		const struct bob_plan_symbol *s = &img->symbols.at[i];

		if (s->addr != addr || s->type == STT_NOTYPE)
			continue;
		if (is_known(s->name))
			return true;
		named = true;
	}
	return c && !c->plt && !named;
}

static bool look_up(const struct bob_plan_image *img, uint64_t at, bool indirect)
{
	struct word w = { .value = at };

	if (indirect)
		w = read_word(img, at);
	return w.name ? is_known(w.name) : is_known_at(img, w.value);
}

bool bob_plan_knows_personality(struct bob_plan_image *img, uint64_t at, bool indirect)
{
	struct bob_plan_personality *p;

	for (size_t i = 0; i < img->personalities.count; i++) {
		p = &img->personalities.at[i];
		if (p->at == at && p->indirect == indirect)
			return p->known;
	}
	if (img->personalities.count >= PERSONALITIES_MAX)
		return false;
	p = BOB_VEC_PUSH(&img->personalities);
	if (!p)
		return false;
	*p = (struct bob_plan_personality){ at, indirect, look_up(img, at, indirect) };
	return p->known;
}
