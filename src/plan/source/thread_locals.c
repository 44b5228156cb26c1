/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread-local variables: their offsets in the image's TLS block, and the access models of code. In
 * a program, the block ends at the thread pointer. In a library, its address is unknown; the
 * dynamic linker stores into the GOT either an offset from the thread pointer (TPOFF64), or the
 * module and the offset in its block for __tls_get_addr (DTPMOD64, DTPOFF64). */
#include <string.h>

#include "plan/source/source.h"

/* limit of linear searches of relocated words and variables; usually there are few */
#define LOOKED_AT 4096u

static int is_program(Elf *elf, const GElf_Ehdr *eh)
{
	Elf_Scn *scn = NULL;

	while (eh->e_type == ET_DYN && (scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		GElf_Dyn dyn;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
			if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
				return 1;
	}
	return eh->e_type == ET_EXEC;
}

static void read_block(struct bob_source_maker *m, Elf *elf)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;
	size_t n;

	if (!gelf_getehdr(elf, &eh) || elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		uint64_t align = ph.p_align ? ph.p_align : 1;

		if (ph.p_type != PT_TLS || ph.p_memsz > INT32_MAX || align > INT32_MAX ||
		    align & (align - 1))
			continue;
		m->thread.size = ph.p_memsz;
		m->thread.is_program = is_program(elf, &eh);
		if (m->thread.is_program)
			m->thread.pointer = (int64_t)((ph.p_memsz + align - 1) & ~(align - 1));
	}
}

/* Offset that a relocation refers to; 0: of another module, or without a symbol. */
static int offset_of(const Elf_Data *symbols, const Elf64_Rela *r, uint64_t *off)
{
	size_t at = ELF64_R_SYM(r->r_info);
	const Elf64_Sym *s;

	*off = (uint64_t)r->r_addend;
	if (!at)
		return 1;
	if (!symbols || symbols->d_type != ELF_T_SYM || at >= symbols->d_size / sizeof(*s))
		return 0;
	s = (const Elf64_Sym *)symbols->d_buf + at;
	*off += s->st_value;
	return s->st_shndx != SHN_UNDEF;
}

static void add_slot(struct bob_source_maker *m, uint64_t addr, uint32_t type, int known,
		     uint64_t off)
{
	struct bob_source_thread_slot *s;

	if (m->thread.slots.count == LOOKED_AT)
		return;
	s = BOB_VEC_PUSH(&m->thread.slots);
	if (s)
		*s = (struct bob_source_thread_slot){ addr, off, type, known };
	else
		m->no_memory = 1;
}

static void read_relocations(struct bob_source_maker *m, Elf *elf, Elf_Scn *scn,
			     const GElf_Shdr *sh)
{
	Elf_Scn *link = elf_getscn(elf, sh->sh_link);
	const Elf_Data *data = elf_getdata(scn, NULL),
		       *symbols = link ? elf_getdata(link, NULL) : NULL;
	const Elf64_Rela *r = data && data->d_type == ELF_T_RELA ? data->d_buf : NULL;

	for (size_t i = 0; r && i < data->d_size / sizeof(*r) && bob_source_step(m); i++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(r[i].r_info);
		uint64_t off = 0;
		int known;

		if (type != R_X86_64_TPOFF64 && type != R_X86_64_DTPMOD64 &&
		    type != R_X86_64_DTPOFF64)
			continue;
		known = offset_of(symbols, &r[i], &off);
		add_slot(m, r[i].r_offset, type, known, off);
	}
}

/* Read the word at a link address from the file. */
static int word_at(Elf *elf, uint64_t addr, uint64_t *word)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS ||
		    !(sh.sh_flags & SHF_ALLOC) || addr < sh.sh_addr ||
		    addr - sh.sh_addr >= sh.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || data->d_size < 8 ||
		    addr - sh.sh_addr > data->d_size - 8)
			return 0;
		memcpy(word, (const char *)data->d_buf + (addr - sh.sh_addr), 8);
		return 1;
	}
	return 0;
}

static const struct bob_source_thread_slot *slot_at(const struct bob_source_maker *m, uint64_t addr,
						    uint32_t type)
{
	for (size_t i = 0; i < m->thread.slots.count; i++)
		if (m->thread.slots.at[i].addr == addr && m->thread.slots.at[i].type == type)
			return &m->thread.slots.at[i];
	return NULL;
}

/* Pairs of module and offset: for the image's own block, the linker may have stored the offset
 * itself. */
static void complete_pairs(struct bob_source_maker *m, Elf *elf)
{
	for (size_t i = 0; i < m->thread.slots.count; i++) {
		struct bob_source_thread_slot *s = &m->thread.slots.at[i];
		const struct bob_source_thread_slot *off;

		if (s->type != R_X86_64_DTPMOD64 || !s->known)
			continue;
		off = slot_at(m, s->addr + 8, R_X86_64_DTPOFF64);
		if (off)
			s->off = off->off;
		s->known = off ? off->known : word_at(elf, s->addr + 8, &s->off);
	}
}

void bob_source_thread(struct bob_source_maker *m, Elf *elf)
{
	Elf_Scn *scn = NULL;

	read_block(m, elf);
	while (m->thread.size && (scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA &&
		    sh.sh_entsize == sizeof(Elf64_Rela) && sh.sh_flags & SHF_ALLOC)
			read_relocations(m, elf, scn, &sh);
	}
	complete_pairs(m, elf);
}

/* --- values --- */

typedef struct bob_source_value value;

value bob_source_thread_pointer(const struct bob_source_maker *m)
{
	return (value){ .kind = m->thread.is_program ? BOB_SOURCE_THREAD : BOB_SOURCE_POINTER,
			.off = m->thread.pointer };
}

int bob_source_thread_word(const struct bob_source_maker *m, uint64_t addr, value *v)
{
	const struct bob_source_thread_slot *s = slot_at(m, addr, R_X86_64_TPOFF64);

	if (!s || !s->known)
		return 0;
	*v = (value){ .kind = BOB_SOURCE_DISTANCE,
		      .off = (int64_t)(s->off - (uint64_t)m->thread.pointer) };
	return 1;
}

int bob_source_thread_call(const struct bob_source_maker *m, const value *argument, value *v)
{
	const struct bob_source_thread_slot *s =
		argument->kind == BOB_SOURCE_STATIC ?
			slot_at(m, (uint64_t)argument->off, R_X86_64_DTPMOD64) :
			NULL;

	if (!s || !s->known)
		return 0;
	*v = (value){ .kind = BOB_SOURCE_THREAD, .off = (int64_t)s->off };
	return 1;
}

/* --- variables --- */

const struct bob_source_static *bob_source_thread_at(const struct bob_source_maker *m, int64_t off,
						     int64_t near)
{
	const struct bob_source_statics *all[] = { &m->thread.variables, &m->thread.symbols };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < all[i]->count && k < LOOKED_AT; k++) {
			const struct bob_source_static *s = &all[i]->at[k];

			if (s->addr <= m->thread.size && s->size <= m->thread.size - s->addr &&
			    off >= (int64_t)s->addr - near && off < (int64_t)(s->addr + s->size))
				return s;
		}
	return NULL;
}
