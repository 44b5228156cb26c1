/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the reader of debug information: what is known of one image while its source information
 * is made.
 *
 * An access goes through registers; which variable that is, DWARF says for some registers at some
 * places. Between these places the values are followed through the function (flow.c): a pointer
 * plus numbers is that pointer, whatever register it is in. Nothing is guessed: where two ways meet
 * with different values, nothing is known. One image, one thread. */
#ifndef BOB_PLAN_SOURCE_H
#define BOB_PLAN_SOURCE_H

#include <elfutils/libdw.h>

#include "archive/memory/source.h"
#include "plan/image.h"

#define BOB_SOURCE_NAME_MAX 160u
#define BOB_X86_NO_REGISTER 0xffu
#define BOB_X86_FRAME_REGISTER 4u /* rsp */
#define BOB_X86_FRAME_POINTER 5u  /* rbp, where it is one */

/* What a register or a variable's memory holds. */
enum bob_source_value_kind {
	BOB_SOURCE_NOTHING_YET = 0, /* no way leads here, as far as is known */
	BOB_SOURCE_NUMBER,	/* no address */
	BOB_SOURCE_STATIC,	/* link address `off` */
	BOB_SOURCE_FRAME,	/* canonical frame address + `off` */
	BOB_SOURCE_IN_FRAME,	/* somewhere in the frame */
	BOB_SOURCE_TERM,	/* the object that term says + `off` */
	BOB_SOURCE_IN_TERM,	/* somewhere in it */
	BOB_SOURCE_THREAD,	/* the image's block of the thread + `off` */
	BOB_SOURCE_IN_THREAD,	/* somewhere in it */
	BOB_SOURCE_POINTER,	/* in a library: the thread pointer + `off` */
	/* what leads from the thread pointer to there, see bob_source_thread_word */
	BOB_SOURCE_DISTANCE,
	BOB_SOURCE_ANYTHING
};

struct bob_source_value {
	int64_t off;
	uint32_t term;
	uint32_t kind;
};

/* Something that a pointer leads to. */
struct bob_source_term {
	const char *name;	/* of the pointer, or the object */
	Dwarf_Die type;		/* of the object */
	int has_type;
	/* `name` is a pointer: "a[]", "p->n"; else the object: "a(:)", "p.n" */
	int is_pointer;
};

/* DWARF: a register holds a value here. */
struct bob_source_fact {
	uint64_t lo, hi;
	uint32_t reg, depth;
	struct bob_source_value value;
};

/* DWARF: a variable lies in the frame here. */
struct bob_source_slot {
	uint64_t lo, hi;
	/* from the canonical frame address; or from what register `by` holds, if that is in the
	 * frame */
	int64_t frame;
	uint64_t size;
	uint32_t term;		/* the variable */
	uint32_t depth;
	int holds_address;	/* of the variable: a reference that the language does not show */
	uint32_t by;		/* or BOB_X86_NO_REGISTER */
};

struct bob_source_static {
	uint64_t addr, size;
	const char *name;
	Dwarf_Die type;
	int has_type;
};

BOB_VEC_OF(bob_source_terms, struct bob_source_term);
BOB_VEC_OF(bob_source_facts, struct bob_source_fact);
BOB_VEC_OF(bob_source_slots, struct bob_source_slot);
BOB_VEC_OF(bob_source_statics, struct bob_source_static);
BOB_VEC_OF(bob_source_places, struct bob_source_place);
BOB_VEC_OF(bob_source_texts, char *);
BOB_VEC_OF(bob_source_files, const char *);

struct bob_source_range {
	uint64_t lo, hi;
};

/* A word that the dynamic linker writes. */
struct bob_source_thread_slot {
	uint64_t addr, off;	/* off: in the image's block */
	uint32_t type;		/* of the relocation */
	int known;		/* is it the image's own block? */
};
BOB_VEC_OF(bob_source_thread_slots, struct bob_source_thread_slot);

/* The image's block of thread-local variables. */
struct bob_source_thread_block {
	uint64_t size;		/* 0: it has none */
	int is_program;
	/* program: where the thread pointer is, from the block's beginning; else 0 */
	int64_t pointer;
	struct bob_source_thread_slots slots;
	struct bob_source_statics variables,
		symbols; /* of DWARF and of ELF; addresses are offsets */
};
BOB_VEC_OF(bob_source_ranges, struct bob_source_range);

struct bob_source_maker {
	struct bob_plan_image *img;
	Dwarf *dwarf;
	struct bob_source_row *row; /* sorted by pc */
	size_t rows;
	struct bob_source_files files;
	struct bob_source_places places;
	/* with types, of the units looked at; sorted before flow */
	struct bob_source_statics statics;
	struct bob_source_statics symbols; /* of ELF */
	struct bob_source_thread_block thread;
	struct bob_source_texts texts; /* everything that names point to */
	uint64_t work;		/* steps left: debug information is not to be trusted */
	int no_memory;
};

/* The function under way. */
struct bob_source_function {
	struct bob_source_maker *m;
	struct bob_source_ranges ranges; /* its code, the entry first */
	uint64_t entry;
	int frame_base;		/* is there one? */
	uint32_t frame_register; /* BOB_X86_NO_REGISTER: it is the canonical frame address */
	struct bob_source_terms terms;
	struct bob_source_facts facts;
	struct bob_source_slots slots;
};

/* make.c: all of bob_plan_source, in this process. */
bob_status bob_source_make(const char *path, const uint64_t *pc, size_t count,
			   bob_fold_write_fn write, void *ctx, struct bob_error *err);

/* The files of an image: itself, and the distribution's debug file of the same build. */
struct bob_source_files_of {
	int fd, debug_fd;
	Elf *elf, *debug;
};
void bob_source_open_files(struct bob_source_files_of *f, const char *path,
			   const struct bob_plan_image *img);
void bob_source_close_files(struct bob_source_files_of *f);
/* What has debug information of the two, or NULL. */
Elf *bob_source_debug_of(const struct bob_source_files_of *f);
void bob_source_free_maker(struct bob_source_maker *m);

/* What `make` writes, made in a process of its own. `out` is the caller's to free. */
typedef bob_status (*bob_source_apart_fn)(void *arg, bob_fold_write_fn write, void *ctx);
bob_status bob_source_apart(const char *path, bob_source_apart_fn make, void *arg,
			    struct bob_plan_bytes *out, struct bob_error *err);

/* A copy that lives as long as the maker; "" without memory. */
const char *bob_source_text(struct bob_source_maker *m, const char *text);
/* The rows with lo <= pc < hi. */
struct bob_source_row *bob_source_rows(const struct bob_source_maker *m, uint64_t lo, uint64_t hi,
				       size_t *count);
/* Step of work: 0 when there have been enough. */
int bob_source_step(struct bob_source_maker *m);

/* types.c */
/* The type without its names and qualifiers. 0: there is none. */
int bob_source_strip(Dwarf_Die *type);
/* The type of a variable or member, stripped. */
int bob_source_type_of(Dwarf_Die *die, Dwarf_Die *type);
uint64_t bob_source_size(Dwarf_Die *type);
/* Number of the term; 0 is no term, and what is given when there are too many. */
uint32_t bob_source_term(struct bob_source_function *f, const char *name, Dwarf_Die *type,
			 int is_pointer);
/* The value of something of this type that is called `name`. */
struct bob_source_value bob_source_value_of(struct bob_source_function *f, const char *name,
					    Dwarf_Die *type);
/* What 8 bytes loaded at `off` in the object are; `known` 0: at an offset that is not known. */
struct bob_source_value bob_source_load(struct bob_source_function *f, uint32_t term, int known,
					int64_t off);
/* How people write an access there. */
void bob_source_spell(struct bob_source_function *f, uint32_t term, int known, int64_t off,
		      char text[BOB_SOURCE_NAME_MAX]);

/* vars.c: variables of a function, and static ones */
void bob_source_variables(struct bob_source_function *f, Dwarf_Die *function);
void bob_source_statics_of(struct bob_source_maker *m, Dwarf_Die *unit);

/* dwarf.c: lines of all rows, variables */
/* A descriptor's size is known to its symbol only; variables without any go, the others are
 * sorted. */
void bob_source_find_sizes(struct bob_source_maker *m);
void bob_source_read(struct bob_source_maker *m);

/* flow.c: through what the accesses of the function's rows go */
void bob_source_flow(struct bob_source_function *f);

/* thread.c: thread-local variables */
void bob_source_thread(struct bob_source_maker *m, Elf *elf);
/* What %fs:0 holds. */
struct bob_source_value bob_source_thread_pointer(const struct bob_source_maker *m);
/* The word at a link address, if it is a distance from the thread pointer: that + thread pointer is
 * in the block. */
int bob_source_thread_word(const struct bob_source_maker *m, uint64_t addr,
			   struct bob_source_value *v);
/* What __tls_get_addr gives for this argument, if it is one for it. */
int bob_source_thread_call(const struct bob_source_maker *m,
			   const struct bob_source_value *argument, struct bob_source_value *v);
/* The variable at an offset of the block; `near`: or one that begins so many bytes after. NULL: not
 * known. */
const struct bob_source_static *bob_source_thread_at(const struct bob_source_maker *m, int64_t off,
						     int64_t near);

/* symbols.c: sections and objects of the symbol tables */
void bob_source_sections(struct bob_source_maker *m, Elf *elf, struct bob_source_statics *sections);
void bob_source_symbols(struct bob_source_maker *m, Elf *elf);

#endif
