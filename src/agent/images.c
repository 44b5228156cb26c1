/* SPDX-License-Identifier: BSD-3-Clause */
/* The images of the process: found in the loader's list, assigned a plan by key, patched if
 * selected. Images that are not selected have a plan as well, for frame rules and special
 * functions. The set is replaced as a whole, because readers hold no lock. Unloaded images are kept
 * for the case that they are loaded again. */
#include "agent/agent.h"

#include <link.h>
#include <string.h>

#include "agent/found.h"
#include "agent/mem/mem.h"
#include "agent/os.h"
#include "base/runtime_list.h"

#define IMAGES_MAX 65536

/* Bounds of the agent itself, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static const char runtime_list[] = BOB_RUNTIME_LIST;

struct bob_image *image_at(uint64_t addr)
{
	const struct bob_image_set *s = __atomic_load_n(&bob_process.images, __ATOMIC_ACQUIRE);
	uint32_t lo = 0, n = s ? s->count : 0;

	while (lo < n) {
		uint32_t mid = lo + (n - lo) / 2;
		struct bob_image *im = s->image[mid];

		if (im->hi <= addr)
			lo = mid + 1;
		else if (im->lo > addr)
			n = mid;
		else
			return im;
	}
	/* not in an image: search the arenas; linear, because they are few */
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->image[i]->arena && addr - s->image[i]->arena < s->image[i]->arena_bytes)
			return s->image[i];
	return NULL;
}

const struct bob_image *image_numbered(uint32_t number)
{
	const struct bob_image_set *s = __atomic_load_n(&bob_process.images, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->image[i]->described && s->image[i]->number == number)
			return s->image[i];
	return NULL;
}

const struct bob_image *image_reported(uint32_t number)
{
	const struct bob_image *im = image_numbered(number);

	for (const struct bob_image *r = bob_process.retired; r && !im; r = r->next)
		if (r->described && r->number == number)
			im = r;
	return im;
}

const struct bob_image *image_of(uint32_t id)
{
	const struct bob_image_set *s = __atomic_load_n(&bob_process.images, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->image[i]->plan && id - s->image[i]->first_id < s->image[i]->plan->func_count)
			return s->image[i];
	return NULL;
}

bool image_is_agent(uint64_t addr)
{
	return addr >= (uint64_t)(uintptr_t)__ehdr_start && addr < (uint64_t)(uintptr_t)_end;
}

/* An interface is searched in all images: MPI's functions are in no image of the application. */
static bool is_chosen(const struct found *f)
{
	enum bob_images_mode mode = bob_process.config.images;

	if (text_starts(text_base(f->path), "libbobbin-")) /* recorders of Bobbin */
		return false;
	if (bob_process.config.interface)
		return true;
	if (bob_process.config.interface_image)
		return config_match(bob_process.config.interface_image, text_base(f->path));

	if (f->main || mode == BOB_IMAGES_ALL)
		return true;
	return mode == BOB_IMAGES_APP && !config_match(runtime_list, text_base(f->path));
}

/* Copy the functions and names of the image from its plan to the trace directory; the first process
 * does that. Atomic by rename. Replaces a smaller copy, with only what an earlier program of the
 * run needed (cli/memory/naming.c). */
static void save_image_file(const struct bob_plan_head *plan)
{
	char path[BOB_PATH_MAX], temp[BOB_PATH_MAX], name[BOB_NAME_BYTES];
	size_t at = text_add(path, sizeof(path), 0, bob_process.config.dir);

	at = text_add(path, sizeof(path), at, "/");
	bob_name_image(name, sizeof(name), plan->key);
	at = text_add(path, sizeof(path), at, name);
	long fd = os_open(path, OS_READ);
	if (fd >= 0) {
		const bool is_whole = os_file_size(fd) >= (long)plan->image.len;

		os_close(fd);
		if (is_whole)
			return;
		os_unlink(path);
	}
	at = text_add(temp, sizeof(temp), 0, path);
	at = text_add(temp, sizeof(temp), at, ".");
	text_add_u64(temp, sizeof(temp), at, os_pid(), 10);
	fd = os_open(temp, OS_CREATE_NEW);
	if (fd < 0)
		return;
	os_mode_as(fd, bob_process.config.dir);
	long n = os_write(fd, (const char *)plan + plan->image.off, plan->image.len);
	os_close(fd);
	if (n != (long)plan->image.len || os_rename_new(temp, path) < 0)
		os_unlink(temp);
}

void image_describe(const struct bob_image *im, struct bob_meta *meta)
{
	struct bob_rec_image r = {
		.image = im->number,
		.first_id = im->first_id,
		.count = im->plan->func_count,
		.patched = im->patched,
		.bias = im->bias,
		.key = im->plan->key,
		.build_id_len = im->plan->build_id_len,
		.chosen = im->chosen,
	};

	memcpy(r.build_id, im->plan->build_id, sizeof(r.build_id));
	bob_meta_begin(meta, BOB_REC_IMAGE);
	bob_meta_append(meta, &r, sizeof(r));
	bob_meta_append(meta, im->path, text_len(im->path));
	bob_meta_end(meta);
}

static void describe_skipped(const struct found *f, enum bob_skip why, struct bob_meta *meta)
{
	uint32_t r[2] = { why, 0 };

	bob_meta_begin(meta, BOB_REC_IMAGE_SKIPPED);
	bob_meta_append(meta, r, sizeof(r));
	bob_meta_append(meta, f->path, text_len(f->path));
	bob_meta_end(meta);
}

static void translate(struct bob_image *im, const struct found *f, struct bob_meta *meta)
{
	enum bob_skip why = f->breakpoints	 ? BOB_SKIP_BREAKPOINT :
			    bob_process.debugged ? BOB_SKIP_DEBUGGER :
						   BOB_SKIP_NO_PLAN;

	if (!f->mem || !mem_image_add(im, f->mem, meta, &why))
		describe_skipped(f, why, meta);
}

/* Defer loading the plan until something in the image is recorded, if it can have one. */
static void put_off(struct bob_image *im, const struct found *f)
{
	im->phdr = f->wants == FOUND_LATER ? f->phdr : NULL;
	im->phnum = f->phnum;
	if (im->phdr)
		found_text(f, im);
}

/* An image that is loaded again reuses its ids, plan and arena: a program that repeatedly loads and
 * unloads a plug-in must not exhaust them. */
static struct bob_image *take_up_again(const struct found *f, struct bob_meta *meta)
{
	for (struct bob_image **at = &bob_process.retired; *at; at = &(*at)->next) {
		struct bob_image *im = *at;
		bool moved = im->bias != f->bias;

		if (im->plan ? im->plan->key != f->key : f->plan || !text_equal(im->path, f->path))
			continue;
		*at = im->next;
		im->bias = f->bias;
		if (!im->plan) {
			put_off(im, f);
			return im;
		}
		if (f->plan) /* it already has one */
			os_unmap_bare(f->plan, f->plan->file_bytes);
		if (f->mem)
			os_unmap_bare(f->mem, f->mem->file_bytes);
		found_text(f, im);
		if (moved)
			mem_select_image(im);
		enum bob_skip why = patch_again(im, moved, meta);
		if (why)
			describe_skipped(f, why, meta);
		if (im->mem && !mem_image_again(im, &why))
			describe_skipped(f, why, meta);
		return im;
	}
	return NULL;
}

static void describe(struct bob_image *im, struct bob_meta *meta)
{
	im->described = true;
	if (im->chosen || im->patched)
		save_image_file(im->plan);
	image_describe(im, meta);
}

/* If neither calls nor accesses are recorded, plans are not needed to walk the stack. They name the
 * functions on call paths, so loading them can be deferred until something is recorded. Exceptions
 * are libc and the loader, which have special functions (plan/funcs.c). */
static enum found_plan wanted_plan(const struct found *f)
{
	const struct bob_config *c = &bob_process.config;

	if (!f->phnum)
		return FOUND_NO_PLAN;
	if (c->calls || c->mem || c->hooks || c->interface || c->interface_image)
		return FOUND_PLAN;
	if (config_match("libc.so*:libc-*:ld-*", text_base(f->path)))
		return is_chosen(f) ? FOUND_PLAN : FOUND_SPECIAL;
	return found_before(f, true) ? FOUND_PLAN : FOUND_LATER;
}

/* Otherwise an image is described when something in it is recorded (image_use). */
static bool is_reported_at_once(const struct bob_process *p)
{
	return p->config.calls || (p->config.mem && !p->config.source);
}

/* False: it cannot be in the set. */
static bool take_plan(struct bob_image *im, const struct found *f, struct bob_meta *meta)
{
	struct bob_process *p = &bob_process;
	enum bob_skip why;

	im->plan = f->plan;
	if (is_reported_at_once(p))
		im->number = p->image_count++;
	im->interface = bob_process.config.interface_image &&
			config_match(bob_process.config.interface_image, text_base(f->path));
	im->first_id = p->next_id;
	p->next_id += im->plan->func_count;
	found_text(f, im);
	why = patch_image(im, meta);
	if (why)
		describe_skipped(f, why, meta);
	return im->hooked;
}

static struct bob_image *adopt(const struct found *f, struct bob_meta *meta)
{
	struct bob_process *p = &bob_process;
	struct bob_image *im = take_up_again(f, meta);

	if (im)
		return im;
	im = os_map(sizeof(*im) + text_len(f->path) + 1);
	if (!im || !(f->plan || f->wants == FOUND_LATER))
		describe_skipped(f, im ? BOB_SKIP_NO_PLAN : BOB_SKIP_LIMIT, meta);
	if (!im)
		return NULL;
	im->bias = f->bias;
	im->path = memcpy(im + 1, f->path, text_len(f->path) + 1);
	im->sync_caller = (uint8_t)bob_sync_caller_of(text_base(f->path));
	im->chosen = (f->plan || f->wants == FOUND_LATER) && is_chosen(f);
	if (!f->plan) { /* in the set without a plan, so that it is not looked up again and again */
		put_off(im, f);
		return im;
	}
	if (!take_plan(im, f, meta))
		return NULL;
	mem_select_image(im);
	if (bob_process.config.mem && !bob_process.config.source && im->chosen)
		translate(im, f, meta);
	if (is_reported_at_once(p))
		describe(im, meta);
	return im;
}

bool image_need_plan(struct bob_image *im)
{
	struct found f = { .path = im->path, .bias = im->bias, .phdr = im->phdr,
			   .phnum = im->phnum, .wants = FOUND_PLAN };
	struct bob_meta meta;

	if (!im->phdr)
		return im->plan;
	if (!os_allowed() || !meta_open(&meta, 4096 + BOB_PATH_MAX))
		return false;
	found_plans(&f, 1, FOUND_PLAN);
	if (!f.plan)
		describe_skipped(&f, BOB_SKIP_NO_PLAN, &meta);
	else if (!take_plan(im, &f, &meta))
		im->plan = NULL;
	/* last: other threads read it without the lock */
	__atomic_store_n(&im->phdr, NULL, __ATOMIC_RELEASE);
	meta_flush(&meta);
	return im->plan;
}

bool image_use(struct bob_image *im)
{
	struct bob_meta meta;

	if (!im->plan && !im->phdr)
		return false;
	lock_process();
	if (!im->described && image_need_plan(im) && meta_open(&meta, 4096 + BOB_PATH_MAX)) {
		im->number = bob_process.image_count++;
		describe(im, &meta);
		meta_flush(&meta);
	}
	unlock_process();
	return im->described;
}

/* --- the set --- */

/* Sets are used in rotation, so a reader may finish with its set while SETS - 1 newer ones are
 * published. They are in one mapping; when the sets become too small, a new mapping is made and the
 * old one is kept. */
#define SETS 64
#define SET_SPARE 500

static size_t set_bytes(uint32_t capacity)
{
	return sizeof(struct bob_image_set) + capacity * sizeof(struct bob_image *);
}

static struct bob_image_set *set_new(uint32_t capacity)
{
	static uint8_t *ring;
	static uint32_t ring_capacity, turn;
	struct bob_image_set *s;

	if (!ring || ring_capacity < capacity) {
		ring_capacity = capacity + SET_SPARE;
		ring = os_map(SETS * set_bytes(ring_capacity));
	}
	if (!ring)
		return NULL;
	s = (void *)(ring + turn++ % SETS * set_bytes(ring_capacity));
	s->count = 0;
	return s;
}

static void set_add(struct bob_image_set *s, struct bob_image *im)
{
	uint32_t i = s->count++;

	for (; i > 0 && s->image[i - 1]->lo > im->lo; i--)
		s->image[i] = s->image[i - 1];
	s->image[i] = im;
}

static bool known(const struct bob_image_set *s, uint64_t bias, uint64_t text)
{
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->image[i]->bias == bias &&
		    (!s->image[i]->hi || (text >= s->image[i]->lo && text < s->image[i]->hi)))
			return true;
	return false;
}

/* Collect the images on the loader's list that are not in the set yet. */
static uint32_t find_new(struct found *out, uint32_t capacity)
{
	const struct r_debug *loader = found_loader();
	uint32_t n = 0, seen = 0;

	if (!loader)
		return 0;
	for (const struct link_map *m = loader->r_map; m && seen < IMAGES_MAX;
	     m = m->l_next, seen++) {
		struct found f;

		if (!found_read(m, seen == 0, &f) || (f.phnum && !found_first_text(&f)) ||
		    image_is_agent(found_first_text(&f)) ||
		    known(bob_process.images, f.bias, found_first_text(&f)))
			continue;
		if (n == capacity)
			break;
		out[n++] = f;
	}
	return n;
}

static bool still_loaded(const struct bob_image *im)
{
	for (const struct link_map *m = found_loader()->r_map; m; m = m->l_next)
		if (m->l_addr == im->bias)
			return true;
	return false;
}

static void drop_gone(struct bob_image_set *s, struct bob_meta *meta)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (still_loaded(s->image[i])) {
			s->image[kept++] = s->image[i];
			continue;
		}
		s->image[i]->next = bob_process.retired;
		bob_process.retired = s->image[i];
		uint32_t r[2] = { s->image[i]->number, 0 };
		if (s->image[i]->described)
			bob_meta_put(meta, BOB_REC_UNLOAD, r, sizeof(r));
	}
	if (kept != s->count)
		sites_forget();
	s->count = kept;
}

static void load_memory_plans(struct found *f, uint32_t n)
{
	static const char *paths[FOUND_MAX]; /* protected by the lock */
	uint32_t missing = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!f[i].plan || !is_chosen(&f[i]) || f[i].breakpoints)
			continue;
		f[i].mem = plan_load_mem(f[i].key);
		if (!f[i].mem)
			paths[missing++] = f[i].path;
	}
	if (!missing || !plan_request(paths, missing, "--mem"))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (f[i].plan && !f[i].mem && is_chosen(&f[i]) && !f[i].breakpoints)
			f[i].mem = plan_load_mem(f[i].key);
}

static void load_plans(struct found *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		f[i].wants = wanted_plan(&f[i]);
	found_plans(f, n, FOUND_SPECIAL);
	found_plans(f, n, FOUND_PLAN);
}

void images_update(void)
{
	static struct found found[FOUND_MAX];
	struct bob_process *p = &bob_process;
	struct bob_image_set *old = p->images, *s;
	struct bob_meta meta;
	uint32_t n;

	n = find_new(found, FOUND_MAX);
	s = set_new((old ? old->count : 0) + n);
	if (!s || !meta_open(&meta, 1u << 20))
		return;
	for (uint32_t i = 0; old && i < old->count; i++)
		set_add(s, old->image[i]);
	if (old)
		drop_gone(s, &meta);
	p->debugged = n && tracer_is_debugger();
	os_hide_children(p->debugged);
	load_plans(found, n);
	if (p->config.mem && !p->config.source && !p->debugged)
		load_memory_plans(found, n);
	/* Readers must know an image before its first event. So all new images are in the set when
	 * the last jump is written; no other thread runs their code yet. */
	for (uint32_t i = 0; i < n; i++) {
		struct bob_image *im = adopt(&found[i], &meta);

		if (im)
			set_add(s, im);
	}
	if (!old)
		bob_meta_put(&meta, BOB_REC_RUNTIME_LIST, runtime_list, sizeof(runtime_list) - 1);
	__atomic_store_n(&p->images, s, __ATOMIC_RELEASE);
	meta_flush(&meta);
}
