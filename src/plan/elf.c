/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an ELF image: loaded segments, code sections, symbols, pointers into code, build-id. libelf
 * parses the file, and the loaded bytes are copied into memory: if the file changes meanwhile, the
 * plan gets a key that no process requests. The file is untrusted: sizes are compared with the size
 * of the file before memory is allocated. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/arch/x86_64/length.h"
#include "base/order.h"
#include "base/search.h"
#include "plan/elf.h"
#include "plan/image.h"

#define MAX_NOTES (1u << 16)	/* bytes of one PT_NOTE; usual ones have 100 */

bob_status bob_plan_fail(struct bob_error *err, bob_status code, const char *path, const char *text)
{
	if (err) {
		memset(err, 0, sizeof(*err));
		err->code = code;
		err->text = text;
		snprintf(err->path, sizeof(err->path), "%s", path);
	}
	return code;
}

struct bob_plan_code *bob_plan_code_at(const struct bob_plan_image *img, uint64_t addr)
{
	struct bob_plan_code *const c = img->codes.at;
	size_t i;

	BOB_PARTITION_POINT(i, img->codes.count, mid, c[mid].hi <= addr);
	return i < img->codes.count && c[i].lo <= addr ? &c[i] : NULL;
}

const uint8_t *bob_plan_bytes_at(const struct bob_plan_image *img, uint64_t addr, uint64_t len)
{
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (addr >= s->addr && addr - s->addr <= s->len && len <= s->len - (addr - s->addr))
			return s->bytes + (addr - s->addr);
	}
	return NULL;
}

static bob_status read_full(int fd, uint8_t *p, uint64_t len, uint64_t off)
{
	while (len > 0) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? BOB_ERR_IO : BOB_ERR_CORRUPT;
		p += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return BOB_OK;
}

static bob_status read_segment(struct bob_plan_image *img, const GElf_Phdr *ph, uint64_t *total)
{
	struct bob_plan_elf *e = img->elf;
	struct bob_plan_segment *s;

	if (ph->p_offset > e->file_bytes || ph->p_filesz > e->file_bytes - ph->p_offset ||
	    ph->p_vaddr > UINT64_MAX / 2)
		return BOB_ERR_CORRUPT;
	*total += ph->p_filesz;	/* segments share at most the file pages at their edges */
	if (*total > 2 * e->file_bytes + 65536)
		return BOB_ERR_CORRUPT;
	s = BOB_VEC_PUSH(&img->segments);
	if (!s)
		return BOB_ERR_NOMEM;
	s->bytes = malloc(ph->p_filesz + BOB_X86_READ);
	if (!s->bytes)
		return BOB_ERR_NOMEM;
	memset(s->bytes + ph->p_filesz, 0, BOB_X86_READ);
	s->addr = ph->p_vaddr;
	s->len = ph->p_filesz;
	s->flags = ph->p_flags;
	return read_full(e->fd, s->bytes, s->len, ph->p_offset);
}

static void read_build_id(struct bob_plan_image *img, const GElf_Phdr *ph)
{
	const uint8_t *id = NULL;
	uint64_t len = 0;
	uint8_t *p;

	if (ph->p_filesz > MAX_NOTES)
		return;
	p = malloc(ph->p_filesz + 1);
	if (p && read_full(img->elf->fd, p, ph->p_filesz, ph->p_offset) == BOB_OK)
		id = bob_plan_build_id(p, ph->p_filesz, ph->p_align, &len);
	if (id)
		memcpy(img->build_id, id, len);
	img->build_id_len = (uint8_t)len;
	free(p);
}

/* `all`: every PT_LOAD; else only the executable ones. */
static bob_status read_segments(struct bob_plan_image *img, bool all)
{
	size_t n;
	uint64_t total = 0;

	if (elf_getphdrnum(img->elf->elf, &n) != 0)
		return BOB_ERR_CORRUPT;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		bob_status st;

		if (!gelf_getphdr(img->elf->elf, (int)i, &ph))
			return BOB_ERR_CORRUPT;
		if (ph.p_type != PT_LOAD || (!all && !(ph.p_flags & PF_X)))
			continue;
		st = read_segment(img, &ph, &total);
		if (st != BOB_OK)
			return st;
	}
	for (size_t i = 0; i < n && img->build_id_len == 0; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(img->elf->elf, (int)i, &ph) && ph.p_type == PT_NOTE)
			read_build_id(img, &ph);
	}
	img->key = bob_plan_key_begin(img->build_id, img->build_id_len);
	img->sample_key = img->key;
	for (size_t i = 0; i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (!(s->flags & PF_X))
			continue;
		img->key = bob_plan_key_segment(img->key, s->addr, s->bytes, s->len);
		img->sample_key = bob_plan_key_sample(img->sample_key, s->addr, s->bytes, s->len,
						      !img->build_id_len);
	}
	return BOB_OK;
}

BOB_COMPARE(by_lo, struct bob_plan_code, BOB_UP(lo))

static bob_status add_code(struct bob_plan_image *img, uint64_t lo, uint64_t len, bool plt)
{
	const uint8_t *bytes = bob_plan_bytes_at(img, lo, len);
	struct bob_plan_code *c;

	if (!bytes || len == 0)
		return BOB_OK;
	c = BOB_VEC_PUSH(&img->codes);
	if (!c)
		return BOB_ERR_NOMEM;
	*c = (struct bob_plan_code){ .lo = lo, .hi = lo + len, .bytes = bytes, .plt = plt };
	return BOB_OK;
}

/* Sort, drop overlapping ones and allocate the bit maps. */
static bob_status finish_codes(struct bob_plan_image *img)
{
	struct bob_plan_codes *codes = &img->codes;
	size_t n = 0;

	if (codes->count == 0)
		return BOB_ERR_UNSUPPORTED;
	qsort(codes->at, codes->count, sizeof(codes->at[0]), by_lo);
	for (size_t i = 0; i < codes->count; i++) {
		if (n > 0 && codes->at[i].lo < codes->at[n - 1].hi)
			continue;
		codes->at[n++] = codes->at[i];
	}
	codes->count = n;
	if (codes->at[n - 1].hi > INT32_MAX - 65536)
		return BOB_ERR_UNSUPPORTED;	/* exceeds the 32-bit fields of a plan */
	for (size_t i = 0; i < n; i++) {
		struct bob_plan_code *c = &codes->at[i];
		size_t words = (c->hi - c->lo) / 64 + 2;

		c->target = calloc(6 * words, sizeof(uint64_t));
		if (!c->target)
			return BOB_ERR_NOMEM;
		c->called = c->target + words;
		c->taken = c->called + words;
		c->outside = c->taken + words;
		c->jumped = c->outside + words;
		c->fixed = c->jumped + words;
		img->stats.code_bytes += c->hi - c->lo;
	}
	return BOB_OK;
}

static bob_status read_sections(struct bob_plan_image *img)
{
	struct bob_plan_elf *e = img->elf;
	Elf_Scn *scn = NULL;
	bob_status st = BOB_OK;

	while (st == BOB_OK && (scn = elf_nextscn(e->elf, scn)) != NULL) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(e->elf, e->names, sh.sh_name);
		if (!name)
			name = "";
		if (!strcmp(name, ".eh_frame") && sh.sh_type != SHT_NOBITS) {
			img->frame_addr = sh.sh_addr;
			img->frame_len = sh.sh_size;
		}
		if (!strcmp(name, "__rseq_cs") && sh.sh_type != SHT_NOBITS) {
			img->rseq_addr = sh.sh_addr;
			img->rseq_len = sh.sh_size;
		}
		if ((sh.sh_flags & SHF_EXECINSTR) && sh.sh_type != SHT_NOBITS)
			st = add_code(img, sh.sh_addr, sh.sh_size, !strncmp(name, ".plt", 4));
	}
	for (size_t i = 0; st == BOB_OK && img->codes.count == 0 && i < img->segments.count; i++) {
		const struct bob_plan_segment *s = &img->segments.at[i];

		if (s->flags & PF_X)
			st = add_code(img, s->addr, s->len, false);
	}
	return st == BOB_OK ? finish_codes(img) : st;
}

static bob_status read_symbols(struct bob_plan_image *img, Elf *elf, Elf_Scn *scn, bool dynamic)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const Elf64_Sym *s = data ? data->d_buf : NULL;
	GElf_Shdr sh;

	if (!s || data->d_type != ELF_T_SYM || !gelf_getshdr(scn, &sh))
		return BOB_OK;
	for (size_t i = 1; i < data->d_size / sizeof(*s); i++) {
		struct bob_plan_symbol *out;
		unsigned type = ELF64_ST_TYPE(s[i].st_info), bind = ELF64_ST_BIND(s[i].st_info);
		const char *name;

		if (s[i].st_shndx == SHN_UNDEF || s[i].st_shndx >= SHN_LORESERVE)
			continue;
		if (type == STT_OBJECT)	/* data within code */
			bob_plan_fix(img, s[i].st_value, s[i].st_size);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    !bob_plan_code_at(img, s[i].st_value))
			continue;
		name = elf_strptr(elf, sh.sh_link, s[i].st_name);
		if (!name || strnlen(name, 65536) >= 65536)
			continue;
		out = BOB_VEC_PUSH(&img->symbols);
		if (!out)
			return BOB_ERR_NOMEM;
		out->addr = s[i].st_value;
		out->size = s[i].st_size;
		out->name = name;
		out->bind = (uint8_t)bind;
		out->type = (uint8_t)type;
		out->exported = dynamic && bind != STB_LOCAL &&
				ELF64_ST_VISIBILITY(s[i].st_other) != STV_HIDDEN;
	}
	return BOB_OK;
}

static bob_status read_symbol_tables(struct bob_plan_image *img, Elf *elf, bool *full)
{
	Elf_Scn *scn = NULL;
	bob_status st = BOB_OK;

	while (st == BOB_OK && (scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_entsize != sizeof(Elf64_Sym))
			continue;
		if (sh.sh_type == SHT_SYMTAB)
			*full = true;
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			st = read_symbols(img, elf, scn, sh.sh_type == SHT_DYNSYM);
	}
	return st;
}

/* Open the distribution's separate debug file for its .symtab. It usually does not exist. */
static void open_debug(struct bob_plan_image *img)
{
	struct bob_plan_elf *e = img->elf;
	char path[96];
	size_t n;

	if (img->build_id_len < 3)
		return;
	n = (size_t)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/",
			     img->build_id[0]);
	for (unsigned i = 1; i < img->build_id_len; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "%02x", img->build_id[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	e->debug_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (e->debug_fd >= 0)
		e->debug = elf_begin(e->debug_fd, ELF_C_READ, NULL);
}

BOB_COMPARE(by_addr, struct bob_plan_symbol, BOB_UP(addr))

static bob_status open_file(struct bob_plan_image *img, const char *path)
{
	struct bob_plan_elf *e = calloc(1, sizeof(*e));
	GElf_Ehdr eh;
	struct stat sb;

	if (!e)
		return BOB_ERR_NOMEM;
	img->elf = e;
	e->debug_fd = -1;
	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (e->fd < 0)
		return errno == ENOENT ? BOB_ERR_NOENT : BOB_ERR_IO;
	if (fstat(e->fd, &sb) != 0)
		return BOB_ERR_IO;
	if (!S_ISREG(sb.st_mode) || elf_version(EV_CURRENT) == EV_NONE)
		return BOB_ERR_UNSUPPORTED;
	e->file_bytes = (uint64_t)sb.st_size;
	e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &eh) ||
	    gelf_getclass(e->elf) != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh.e_machine != EM_X86_64 || (eh.e_type != ET_EXEC && eh.e_type != ET_DYN))
		return BOB_ERR_UNSUPPORTED;
	if (elf_getshdrstrndx(e->elf, &e->names) != 0)
		e->names = 0;
	img->fixed = eh.e_type == ET_EXEC;
	img->entry = eh.e_entry;
	return BOB_OK;
}

static bob_status failed(bob_status st, const char *path, struct bob_error *err)
{
	switch (st) {
	case BOB_ERR_UNSUPPORTED:
		return bob_plan_fail(err, st, path,
				     "not an x86-64 ELF executable or shared object");
	case BOB_ERR_CORRUPT:
		return bob_plan_fail(err, st, path, "damaged ELF file");
	default:
		return bob_plan_fail(err, st, path, bob_status_text(st));
	}
}

bob_status bob_plan_elf_open_key(struct bob_plan_image *img, const char *path,
				 struct bob_error *err)
{
	bob_status st;

	memset(img, 0, sizeof(*img));
	st = open_file(img, path);
	if (st == BOB_OK)
		st = read_segments(img, false);
	return st == BOB_OK ? st : failed(st, path, err);
}

bob_status bob_plan_elf_open(struct bob_plan_image *img, const char *path, struct bob_error *err)
{
	const char *base = strrchr(path, '/');
	bool full = false;
	bob_status st;

	memset(img, 0, sizeof(*img));
	snprintf(img->soname, sizeof(img->soname), "%s", base ? base + 1 : path);
	st = open_file(img, path);
	if (st == BOB_OK)
		st = read_segments(img, true);
	if (st == BOB_OK)
		st = read_sections(img);
	if (st == BOB_OK)
		st = bob_plan_read_pointers(img);
	if (st == BOB_OK)
		st = read_symbol_tables(img, img->elf->elf, &full);
	if (st == BOB_OK && !full) {
		open_debug(img);
		if (img->elf->debug)
			st = read_symbol_tables(img, img->elf->debug, &full);
	}
	if (st != BOB_OK)
		return failed(st, path, err);
	if (img->symbols.count > 0)
		qsort(img->symbols.at, img->symbols.count, sizeof(img->symbols.at[0]), by_addr);
	bob_plan_read_dynamic(img);
	return BOB_OK;
}

void bob_plan_elf_close(struct bob_plan_image *img)
{
	struct bob_plan_elf *e = img->elf;

	for (size_t i = 0; i < img->segments.count; i++)
		free(img->segments.at[i].bytes);
	for (size_t i = 0; i < img->codes.count; i++)
		free(img->codes.at[i].target);
	free(img->segments.at);
	free(img->codes.at);
	free(img->symbols.at);
	free(img->pointers.at);
	free(img->entries.at);
	free(img->guards.at);
	free(img->personalities.at);
	free(img->frames.at);
	free(img->rows.at);
	free(img->funcs.at);
	free(img->holes.at);
	free(img->specials.at);
	free(img->blob.at);
	free(img->relocs.at);
	if (e) {
		elf_end(e->debug);
		elf_end(e->elf);
		if (e->debug_fd >= 0)
			close(e->debug_fd);
		if (e->fd >= 0)
			close(e->fd);
		free(e);
	}
	memset(img, 0, sizeof(*img));
}
