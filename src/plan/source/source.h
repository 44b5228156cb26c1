/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the reader of debug information: its state for one image.
 *
 * An access refers to memory through registers. DWARF names the variable in a register only at some
 * places. In between, data-flow analysis (flow.c) tracks the values: a pointer plus numbers is the
 * same pointer in any register. Nothing is guessed: where paths with different values merge, the
 * value is unknown. Threads: one per image. */
#ifndef BOB_PLAN_SOURCE_H
#define BOB_PLAN_SOURCE_H

#include <elfutils/libdw.h>

#include "archive/memory/source_info.h"
#include "base/host/map.h"
#include "plan/image.h"

#define BOB_SOURCE_NAME_MAX 160u
#define BOB_X86_NO_REGISTER 0xffu
#define BOB_X86_FRAME_REGISTER 4u /* rsp */
#define BOB_X86_FRAME_POINTER 5u  /* rbp, if used as frame pointer */

/* The value of a register or of a variable's memory. */
enum bob_source_value_kind {
	BOB_SOURCE_NOTHING_YET = 0, /* not reached by any path so far */
	BOB_SOURCE_NUMBER,	/* not an address */
	BOB_SOURCE_STATIC,	/* link address `off` */
	BOB_SOURCE_FRAME,	/* canonical frame address + `off` */
	BOB_SOURCE_IN_FRAME,	/* unknown offset in the frame */
	BOB_SOURCE_TERM,	/* the object of `term` + `off` */
	BOB_SOURCE_IN_TERM,	/* unknown offset in it */
	BOB_SOURCE_THREAD,	/* the image's TLS block of the thread + `off` */
	BOB_SOURCE_IN_THREAD,	/* unknown offset in it */
	BOB_SOURCE_POINTER,	/* in a library: the thread pointer + `off` */
	/* offset of an address from the thread pointer, see bob_source_thread_word */
	BOB_SOURCE_DISTANCE,
	BOB_SOURCE_ANYTHING
};

struct bob_source_value {
	int64_t off;
	uint32_t term;
	uint32_t kind;
};

/* An object that a pointer refers to. */
struct bob_source_term {
	const char *name;	/* name of the pointer, or of the object */
	Dwarf_Die type;		/* of the object */
	int has_type;
	/* `name` is that of a pointer: "a[]", "p->n"; else of the object: "a(:)", "p.n" */
	int is_pointer;
};

/* DWARF: a register has this value in this range. */
struct bob_source_fact {
	uint64_t lo, hi;
	uint32_t reg, depth;
	struct bob_source_value value;
};

/* DWARF: a variable is in the frame in this range. */
struct bob_source_slot {
	uint64_t lo, hi;
	/* relative to the canonical frame address, or to register `by` if its value is in the
	 * frame */
	int64_t frame;
	uint64_t size;
	uint32_t term;		/* the variable */
	uint32_t depth;
	int holds_address;	/* contains the variable's address: a reference that the language
				 * does not show */
	uint32_t by;		/* BOB_X86_NO_REGISTER: none */
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

/* A word that the dynamic linker relocates. */
struct bob_source_thread_slot {
	uint64_t addr, off;	/* off: in the image's TLS block */
	uint32_t type;		/* of the relocation */
	int known;		/* whether it refers to the image's own block */
};
BOB_VEC_OF(bob_source_thread_slots, struct bob_source_thread_slot);

/* The image's TLS block. */
struct bob_source_thread_block {
	uint64_t size;		/* 0: no TLS block */
	int is_program;
	/* program: offset of the thread pointer from the beginning of the block; else 0 */
	int64_t pointer;
	struct bob_source_thread_slots slots;
	/* from DWARF and from ELF; addresses are offsets */
	struct bob_source_statics variables, symbols;
};
BOB_VEC_OF(bob_source_ranges, struct bob_source_range);

/* Inlined calls and their texts, each once. */
struct bob_source_calls {
	BOB_MAP(struct bob_source_inlined);
};
struct bob_source_words {
	BOB_MAP(const char *);
};

struct bob_source_maker {
	struct bob_plan_image *img;
	Dwarf *dwarf;
	struct bob_source_row *row; /* sorted by pc */
	size_t rows;
	struct bob_source_files files;
	struct bob_source_places places;
	/* with types, of the units read; sorted before data-flow analysis */
	struct bob_source_statics statics;
	struct bob_source_statics symbols; /* from ELF */
	struct bob_source_thread_block thread;
	struct bob_source_texts texts; /* owns all names */
	struct bob_source_calls calls;	/* inlined; row[i].inlined is a number in it + 1 */
	struct bob_source_words words;	/* texts of these */
	uint64_t work;		/* remaining steps: debug information is untrusted */
	int no_memory;
};

/* The current function. */
struct bob_source_function {
	struct bob_source_maker *m;
	struct bob_source_ranges ranges; /* ranges of its code, the entry first */
	uint64_t entry;
	int frame_base;		/* whether it has a frame base */
	uint32_t frame_register; /* BOB_X86_NO_REGISTER: the canonical frame address */
	struct bob_source_terms terms;
	struct bob_source_facts facts;
	struct bob_source_slots slots;
};

/* make.c: bob_plan_source, without a child process. `inlined` NULL: without inlined functions. */
bob_status bob_source_make(const char *path, const uint64_t *pc, size_t count,
			   bob_fold_write_fn write, void *source, void *inlined,
			   struct bob_error *err);

/* The files of an image: itself, and the distribution's debug file of the same build. */
struct bob_source_files_of {
	int fd, debug_fd;
	Elf *elf, *debug;
};
void bob_source_open_files(struct bob_source_files_of *f, const char *path,
			   const struct bob_plan_image *img);
void bob_source_close_files(struct bob_source_files_of *f);
/* The one of the two that has debug information, or NULL. */
Elf *bob_source_debug_of(const struct bob_source_files_of *f);
void bob_source_free_maker(struct bob_source_maker *m);

/* Run `make` in a child process and collect its output. The caller frees `out`. */
typedef bob_status (*bob_source_apart_fn)(void *arg, bob_fold_write_fn write, void *ctx);
bob_status bob_source_apart(const char *path, bob_source_apart_fn make, void *arg,
			    struct bob_plan_bytes *out, struct bob_error *err);

/* A copy that lives as long as the maker; "" if there is no memory. */
const char *bob_source_text(struct bob_source_maker *m, const char *text);
/* The rows with lo <= pc < hi. */
struct bob_source_row *bob_source_rows(const struct bob_source_maker *m, uint64_t lo, uint64_t hi,
				       size_t *count);
/* Count a step of work. Returns 0 if the limit is reached. */
int bob_source_step(struct bob_source_maker *m);

/* types.c */
/* Remove typedefs and qualifiers from the type. Returns 0 if there is none. */
int bob_source_strip(Dwarf_Die *type);
/* The type of a variable or member, without typedefs and qualifiers. */
int bob_source_type_of(Dwarf_Die *die, Dwarf_Die *type);
uint64_t bob_source_size(Dwarf_Die *type);
/* Look up or add a term. Returns its number; 0: there are too many. */
uint32_t bob_source_term(struct bob_source_function *f, const char *name, Dwarf_Die *type,
			 int is_pointer);
/* The value of an object of this type with this name. */
struct bob_source_value bob_source_value_of(struct bob_source_function *f, const char *name,
					    Dwarf_Die *type);
/* The value of 8 bytes loaded at `off` in the object; `known` 0: the offset is unknown. */
struct bob_source_value bob_source_load(struct bob_source_function *f, uint32_t term, int known,
					int64_t off);
/* The spelling of an access there in the source language. */
void bob_source_spell(struct bob_source_function *f, uint32_t term, int known, int64_t off,
		      char text[BOB_SOURCE_NAME_MAX]);

/* vars.c: variables of a function, and static ones */
void bob_source_variables(struct bob_source_function *f, Dwarf_Die *function);
void bob_source_statics_of(struct bob_source_maker *m, Dwarf_Die *unit);

/* dwarf.c: lines of all rows, variables */
/* Set the sizes of descriptors from their symbols, drop variables without a size, and sort the
 * rest. */
void bob_source_find_sizes(struct bob_source_maker *m);
void bob_source_read(struct bob_source_maker *m);
typedef void (*bob_source_unit_fn)(struct bob_source_maker *m, Dwarf_Die *unit);
/* Visit every unit that has rows; of a split unit, the part with the functions. */
void bob_source_each_unit(struct bob_source_maker *m, bob_source_unit_fn visit);
/* Visit every definition of a function in the unit, also those without rows. */
typedef void (*bob_source_function_fn)(struct bob_source_maker *m, Dwarf_Die *function, void *ctx);
void bob_source_each_function(struct bob_source_maker *m, Dwarf_Die *unit,
			      bob_source_function_fn visit, void *ctx);
/* Whether the file is bobbin/events.h, whose functions are part of the program's events. */
int bob_source_is_events_header(const char *file);
/* The location of the call of an inlined function. 0: unknown. */
int bob_source_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, Dwarf_Word *line);

/* inlined.c: inlined functions of all rows */
void bob_source_read_inlined(struct bob_source_maker *m);

/* scopes.c: scopes of functions that have no linkage name */
struct bob_source_scoped {
	uint64_t die;		/* address of the declaration's entry */
	const char *scope;	/* "a::b::" */
};
BOB_VEC_OF(bob_source_scopes, struct bob_source_scoped);
/* The functions of a unit that are declared in a namespace, class or function. */
void bob_source_read_scopes(struct bob_source_maker *m, Dwarf_Die *unit,
			    struct bob_source_scopes *to);
/* "" for other functions. */
const char *bob_source_scope_of(const struct bob_source_scopes *s, const Dwarf_Die *function);
/* NULL: none. */
const char *bob_source_linkage_name(Dwarf_Die *function);

/* flow.c: the places that the accesses of the function's rows refer to */
void bob_source_flow(struct bob_source_function *f);

/* thread_locals.c: thread-local variables */
void bob_source_thread(struct bob_source_maker *m, Elf *elf);
/* The value of %fs:0. */
struct bob_source_value bob_source_thread_pointer(const struct bob_source_maker *m);
/* The value of the word at a link address, if it is an offset from the thread pointer to the TLS
 * block. */
int bob_source_thread_word(const struct bob_source_maker *m, uint64_t addr,
			   struct bob_source_value *v);
/* The result of __tls_get_addr for this argument, if it is a valid one. */
int bob_source_thread_call(const struct bob_source_maker *m,
			   const struct bob_source_value *argument, struct bob_source_value *v);
/* The variable at an offset of the TLS block; `near`: also one that begins at most that many bytes
 * after it. NULL: unknown. */
const struct bob_source_static *bob_source_thread_at(const struct bob_source_maker *m, int64_t off,
						     int64_t near);

/* data_symbols.c: sections and objects of the symbol tables */
void bob_source_sections(struct bob_source_maker *m, Elf *elf, struct bob_source_statics *sections);
void bob_source_symbols(struct bob_source_maker *m, Elf *elf);

#endif
