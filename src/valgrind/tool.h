/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bobbin's Valgrind tool: records the loads and stores of a program in the format of
 * src/mem/record.h. A program of its own, linked with Valgrind's core; everything here runs beside
 * the traced program, inside Valgrind, one thread at a time (Valgrind's big lock), so nothing is
 * locked. Functions are vgb_*, Valgrind's VG_(*).
 *
 * instrument.c finds the accesses of a superblock and adds code that writes records at *cursor;
 * thread.c owns the cursors and the chunks they point into; file.c the process file; image.c knows
 * which code belongs to which image; desc.c numbers descriptors. */
#ifndef BOB_VALGRIND_TOOL_H
#define BOB_VALGRIND_TOOL_H

#include <stddef.h>
#include <stdint.h>

#include <pub_tool_basics.h>

#include "archive/write/write.h"
#include "mem/record.h"
#include "mem/sync.h"

#define VGB_PAGE 4096u
#define VGB_PATH 4096u

enum vgb_images { VGB_IMAGES_MAIN, VGB_IMAGES_APP, VGB_IMAGES_ALL };

struct vgb_options {
	const HChar *dir;	/* where traces go; NULL: nothing is recorded */
	enum vgb_images images;
	Bool from_start;	/* not from main on */
	Bool fold;		/* records; else they are kept raw */
	Bool null;		/* records are made and dropped: what the engine alone costs */
};
extern struct vgb_options vgb_options;

/* --- os.c --- */

/* Bytes of the file [off, off + size), allocated and mapped for writing; NULL: refused, *why
 * says. */
void *vgb_map(const HChar *path, uint64_t off, uint64_t size, enum bob_stop_reason *why);
void vgb_unmap(void *p, uint64_t size);
void *vgb_pages(uint64_t size); /* zeroed memory, NULL if there is none; vgb_unmap */
Int vgb_create(const HChar *path); /* 0, -1: exists, -2: cannot be created */
uint64_t vgb_time(Bool real);
void vgb_hostname(HChar *buf, SizeT size);

/* --- file.c: one process file, made at the first thing written --- */

/* Where a child of fork came from. */
struct vgb_parent {
	uint32_t pid, seq, stream;
};

/* A chunk that has its window for itself. Gone (NULL) once closed. */
struct vgb_chunk {
	struct bob_chunk_head *head;
	uint64_t bytes;		/* of the window, header included */
};

/* There is a file, if need be made now. False: recording has stopped, the file's head says why. */
Bool vgb_file_ready(void);
/* False as before. */
Bool vgb_chunk_open(struct vgb_chunk *c, enum bob_chunk_kind kind, uint32_t stream, uint64_t bytes,
		    uint64_t aux);
uint64_t vgb_file_end_of(void); /* the end of the newest chunk */
/* `len` bytes of payload are complete. */
void vgb_chunk_close(struct vgb_chunk *c, uint64_t len);
/* A record of META; dropped if there is no space. */
void vgb_meta(enum bob_record_kind kind, const void *bytes, uint64_t len, const HChar *text);
/* Bytes of descriptors, numbered from `first` on. */
Bool vgb_file_descs(const uint8_t *bytes, uint64_t len, uint32_t first);
uint32_t vgb_file_seq(void); /* ~0: there is no file */
uint64_t vgb_file_count(void); /* files made so far: changes when a child makes its own */
void vgb_file_state(enum bob_file_state state);
void vgb_file_status(UWord code); /* it calls exit_group */
/* Close META and descriptors, then the file. */
void vgb_file_end(enum bob_file_state state);
void vgb_stop(enum bob_stop_reason why);
Bool vgb_stopped(void);
/* In the child of a fork: forget the parent's file. */
void vgb_file_forked(const struct vgb_parent *from);

/* --- image.c --- */

struct vgb_image {
	uint32_t number;	/* BOB_MEM_NO_IMAGE: none */
	uint64_t bias;
	Bool chosen;
	enum bob_sync_caller sync_caller;
	uint64_t fdes;		/* address of .eh_frame_hdr, 0 if none */
};
/* The image that holds the code at `addr`. Valid until the next call. */
const struct vgb_image *vgb_image_at(Addr addr);
/* Does a function begin at `addr`? */
Bool vgb_image_entry(const struct vgb_image *im, Addr addr);
/* Entry point of the program; 0 if not known. */
Addr vgb_image_start(void);
Bool vgb_image_in_main(Addr addr);
void vgb_image_unmapped(Addr addr, SizeT len);
/* All images once more, for a new file. */
void vgb_image_describe(void);

/* --- desc.c --- */

/* The number of a descriptor; equal ones have one number. ~0: recording has stopped. */
uint32_t vgb_desc_number(const struct bob_mem_desc *d);
/* The descriptor back, into the caller's memory as for bob_mem_desc_get. */
Bool vgb_desc_find(uint32_t number, struct bob_mem_desc *d, struct bob_mem_access *access,
		   struct bob_mem_step *step);
/* The descriptor, kept for good; NULL: there is none. */
const struct bob_mem_desc *vgb_desc_at(uint32_t number);
/* All descriptors once more, for a new file. */
void vgb_desc_describe(void);

/* --- thread.c --- */

/* Where the running thread writes its next record, and the end of its buffer. */
struct vgb_cursor {
	uint64_t at, end;
};
extern struct vgb_cursor vgb_cursor;

/* A header; and its placeholder while the words are being written, not yet a header for a reader.
 * Both are immediates of 32 bits, extended by their sign. */
#define VGB_HEADER(number) (0xffffffff80000000ull | (number))
#define VGB_OPEN(number) ((uint64_t)(number) + 1)
#define VGB_NUMBERS_MAX 0x7ffffffeu

/* Called by instrumented code: make space for `bytes`. */
void vgb_buffer(HWord bytes);
/* Called by instrumented code where the program's entry point calls into libc, and at main. */
void vgb_start_called(HWord main);
void vgb_main_entered(void);
extern Addr vgb_main; /* address of main, 0: not known yet */
extern Bool vgb_recording;

/* --- sync.c --- */
void vgb_sync_init(void);
/* Code of a library whose functions synchronise has been found. */
void vgb_sync_library(const HChar *path);
/* `parent` (0: none) is making `child`, which has number `number`; its first instruction; a child
 * of fork, alone. */
void vgb_sync_thread(ThreadId parent, ThreadId child, uint64_t number);
void vgb_sync_begins(ThreadId id);
void vgb_sync_forked(ThreadId id);
enum vgb_watch { VGB_WATCH_NOTHING = 0, VGB_WATCH_ENTRY = 1, VGB_WATCH_RETURN = 2 };
/* What a superblock that begins there has to call. */
enum vgb_watch vgb_sync_watched(Addr at);
/* Called by instrumented code: the superblock's address and registers. */
void vgb_sync_entered(HWord at, HWord rdi, HWord rsi, HWord rdx, HWord sp);
void vgb_sync_returned(HWord at, HWord rax, HWord sp);

/* A mark in the thread's stream, now. */
void vgb_thread_mark(ThreadId id, enum bob_sync_kind kind, const uint64_t *word, uint32_t words);
void vgb_thread_init(void);
void vgb_thread_end_all(void);
/* The process is about to become another program; or it could not. */
void vgb_thread_exec(Bool begins);

#endif
