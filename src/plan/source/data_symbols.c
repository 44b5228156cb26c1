/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sections and data symbols of the ELF file. */
#include <stdio.h>
#include <string.h>

#include "plan/source/source.h"
#include "sys/sys.h"

static void add(struct bob_source_maker *m, struct bob_source_statics *to, uint64_t addr,
		uint64_t size, const char *name)
{
	struct bob_source_static *s;

	if (!size || size > UINT64_MAX / 4 || addr > UINT64_MAX / 4 || !bob_source_step(m))
		return;
	s = BOB_VEC_PUSH(to);
	if (!s) {
		m->no_memory = 1;
		return;
	}
	*s = (struct bob_source_static){ .addr = addr, .size = size,
					 .name = bob_source_text(m, name) };
}

void bob_source_sections(struct bob_source_maker *m, Elf *elf, struct bob_source_statics *sections)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    sh.sh_flags & SHF_TLS || !sh.sh_addr)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (name)
			add(m, sections, sh.sh_addr, sh.sh_size, name);
	}
}

static void read_table(struct bob_source_maker *m, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const Elf64_Sym *s = data ? data->d_buf : NULL;

	if (!s || data->d_type != ELF_T_SYM)
		return;
	for (size_t i = 1; i < data->d_size / sizeof(*s); i++) {
		unsigned type = ELF64_ST_TYPE(s[i].st_info);
		const char *name;
		char *text;

		if ((type != STT_OBJECT && type != STT_TLS) || s[i].st_shndx == SHN_UNDEF ||
		    s[i].st_shndx >= SHN_LORESERVE)
			continue;
		name = elf_strptr(elf, sh->sh_link, s[i].st_name);
		if (!name || !*name || strnlen(name, 4096) >= 4096)
			continue;
		text = name[0] == '_' && name[1] == 'Z' ? bob_demangle(name) : NULL;
		add(m, type == STT_TLS ? &m->thread.symbols : &m->symbols, s[i].st_value,
		    s[i].st_size, text ? text : name);
		free(text);
	}
}

void bob_source_symbols(struct bob_source_maker *m, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_entsize == sizeof(Elf64_Sym) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			read_table(m, elf, scn, &sh);
	}
}
