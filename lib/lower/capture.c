/* Captures: which launches are recorded, and what becomes of them. */
#include "lower/capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/threads.h"
#include "lower/output.h"
#include "lower/record.h"
#include "trace/trace.h"

struct ct_capture {
	struct ct_capture_settings s; /* without its strings */
	struct ct_filter *filter;
	struct ct_lower_output *output;
	struct ct_capture_summary seen;
	uint64_t chosen; /* launches that the pattern finds */
	struct ct_lower_alias alias[CT_CAPTURE_ALIASES];
	size_t aliases;
	int failed; /* the output is not to be trusted */
};

/* Windows of generic addresses, as in captured traces of sm_80: shared memory 32 MiB above local. */
#define SHARED_BASE UINT64_C(0x7f5002000000)
#define LOCAL_BASE UINT64_C(0x7f5000000000)

enum { KNOWN_SMS = 5 };
static const unsigned known_sm[KNOWN_SMS] = {70, 72, 75, 80, 86};

static void release(struct ct_capture *c)
{
	ct_filter_free(c->filter);
	free(c);
}

int ct_capture_open(const struct ct_capture_settings *s, struct ct_capture **out, struct ct_error *e)
{
	struct ct_capture *c = ct_calloc(1, sizeof *c);
	int known = 0, st = CT_OK;
	*out = NULL;
	if (!c)
		return ct_fail_nomem(e);
	c->s = *s;
	c->s.path = c->s.about = c->s.kernels = NULL;
	c->s.sm = s->sm ? s->sm : known_sm[0];
	for (unsigned i = 0; i < KNOWN_SMS; i++)
		known |= known_sm[i] == c->s.sm;
	if (!known)
		st = ct_fail(e, CT_ERR_USAGE, "sm_%u is not known: use 70, 72, 75, 80 or 86", c->s.sm);
	if (st == CT_OK && s->kernels)
		st = ct_filter_compile(&c->filter, s->kernels, e);
	if (st == CT_OK)
		st = ct_lower_output_open(&c->output, s, e);
	if (st < 0) {
		release(c);
		return st;
	}
	*out = c;
	return CT_OK;
}

/* Whether the launch, which has its number, is recorded: 1 or 0; negative where the pattern cannot be
 * tried. */
static int is_chosen(struct ct_capture *c, const struct ct_kernel *k)
{
	int found = c->filter ? ct_filter_matches(c->filter, k) : 1;
	if (found <= 0)
		return found;
	uint64_t n = c->chosen++;
	return n >= c->s.skip && (!c->s.launches || n - c->s.skip < c->s.launches);
}

/* The recorder of one thread, and the CTA that it made last. */
struct hand {
	struct ct_cta_maker *maker;
	struct ct_lower_recorder *recorder;
	struct ct_lower_made *made;
	struct job *job;
};

enum { SM_REGISTERS = 65536 }; /* of every board from compute capability 5.0 on */

/* Threads make so many CTAs each that wait for their turn (lib/ptx/team.c), which together may take this much
 * memory before they are packed. */
enum { THREADS_MAX = 64, AHEAD = 8, UNPACKED_MOST = 96 << 20 };

/* One launch that is recorded. */
struct job {
	struct ct_capture *capture;
	const struct ct_ptx_launch *launch;
	const struct ct_kernel *head;
	struct ct_lower_program *program;
	struct hand *hand; /* of each thread, or of each CTA that runs beside others */
	unsigned hands;
	struct ct_keyed touched; /* lines, where values are wanted */
	pthread_mutex_t lock;
	struct ct_lower_made *unused; /* under the lock */
};

static int keep_cta(void *ctx, struct ct_lower_made *made, struct ct_error *e)
{
	struct hand *h = ctx;
	(void)e;
	h->made = made;
	return CT_OK;
}

/* A place for a CTA: one whose CTA is in the trace, or a new one. */
static struct ct_lower_made *find_place(void *ctx)
{
	struct job *j = ((struct hand *)ctx)->job;
	pthread_mutex_lock(&j->lock);
	struct ct_lower_made *m = j->unused;
	if (m)
		j->unused = m->next;
	pthread_mutex_unlock(&j->lock);
	return m ? m : ct_lower_made_new();
}

static void drop_cta(void *ctx, void *made)
{
	struct job *j = ctx;
	struct ct_lower_made *m = made;
	if (!m)
		return;
	pthread_mutex_lock(&j->lock);
	m->next = j->unused;
	j->unused = m;
	pthread_mutex_unlock(&j->lock);
}

/* Bytes of a CTA that is not packed. There are more recorders than threads where CTAs run side by side. */
static size_t unpacked_most(const struct job *j, unsigned thread)
{
	const struct ct_capture *c = j->capture;
	unsigned threads = ct_threads_resolve(c->s.threads);
	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	uint64_t most = c->s.unpacked_most ? c->s.unpacked_most : UNPACKED_MOST;
	uint64_t at_once = j->launch->cooperative || thread >= threads ? j->hands
	                                                               : AHEAD * (uint64_t)threads;
	return ct_lower_output_takes_streams(c->output) ? (size_t)(most / at_once) : 0;
}

/* Makes the recorder of a thread. */
static int add_hand(struct job *j, unsigned thread, struct ct_error *e)
{
	struct hand *h = &j->hand[thread];
	struct ct_lower_recording recording = {
		.program = j->program,
		.also = j->launch->observer,
		.shared_base = SHARED_BASE,
		.local_base = LOCAL_BASE,
		.touched = j->capture->s.values ? &j->touched : NULL,
		.alias = j->capture->alias,
		.aliases = j->capture->aliases,
		.unpacked_most = unpacked_most(j, thread),
		.place = find_place,
		.put = keep_cta,
		.ctx = h};
	h->job = j;
	int st = ct_cta_maker_new(&h->maker, j->head, 0, e);
	if (st == CT_OK)
		st = ct_lower_describe(j->program, h->maker, e);
	recording.maker = h->maker;
	return st < 0 ? st : ct_lower_recorder_new(&h->recorder, &recording, e);
}

static const struct ct_ptx_observer *observer_of(void *ctx, unsigned thread)
{
	struct job *j = ctx;
	struct ct_error unread;
	if (thread >= j->hands || (!j->hand[thread].recorder && add_hand(j, thread, &unread) < 0))
		return NULL;
	return ct_lower_recorder_observer(j->hand[thread].recorder);
}

static int take_cta(void *ctx, unsigned thread, const struct ct_ptx_cta *cta, void **made,
                    struct ct_error *e)
{
	struct hand *h = &((struct job *)ctx)->hand[thread];
	(void)cta;
	(void)e;
	*made = h->made;
	h->made = NULL;
	return CT_OK;
}

static int put_cta(void *ctx, const struct ct_ptx_cta *cta, void *made, struct ct_error *e)
{
	struct job *j = ctx;
	struct ct_capture *c = j->capture;
	(void)cta;
	c->seen.warp_insts += ct_lower_made_insts(made);
	int st = ct_lower_output_cta(
		c->output, made, j->program, ct_cta_maker_code_table(j->hand[0].maker), e);
	drop_cta(j, made);
	c->failed |= st < 0;
	return st;
}

static int put_line(void *ctx, uint64_t address, const unsigned char line[128], struct ct_error *e)
{
	struct ct_capture *c = ctx;
	return ct_lower_output_line(c->output, address, line, e);
}

/* Ends the kernel's part of the trace, with the contents of memory where they are wanted. */
static int end_kernel(struct ct_capture *c, const struct ct_lower_recorder *recorder,
                      const struct ct_ptx_memory *memory, struct ct_error *e)
{
	int st = ct_lower_output_kernel_end(c->output, e);
	if (st == CT_OK && c->s.values) {
		st = ct_lower_output_lines_begin(c->output, e);
		if (st == CT_OK)
			st = ct_lower_recorder_lines(recorder, memory, put_line, c, e);
		if (st == CT_OK)
			st = ct_lower_output_lines_end(c->output, e);
	}
	c->failed |= st < 0;
	return st;
}

/* Runs a launch with recorders. What else follows it, or remembers what it touched, does so in order. */
static int run_recorded(struct job *j, struct ct_ptx_result *r, struct ct_error *e)
{
	struct ct_capture *c = j->capture;
	struct ct_ptx_launch observed = *j->launch;
	struct ct_error later;
	const struct ct_ptx_team team = {
		.ctx = j,
		.observer = observer_of,
		.take = take_cta,
		.commit = put_cta,
		.drop = drop_cta};
	observed.observer = NULL;
	observed.team = &team;
	if (j->launch->observer || c->s.values)
		observed.threads = 1;
	int st = ct_ptx_launch(&observed, r, e);
	int end = end_kernel(c, j->hand[0].recorder, j->launch->memory, st < 0 ? &later : e);
	return st < 0 ? st : end;
}

static void end_job(struct job *j)
{
	for (unsigned i = 0; j->hand && i < j->hands; i++) {
		ct_lower_made_free(j->hand[i].made);
		ct_lower_recorder_free(j->hand[i].recorder);
		ct_cta_maker_free(j->hand[i].maker);
	}
	for (struct ct_lower_made *m; (m = j->unused) != NULL;) {
		j->unused = m->next;
		ct_lower_made_free(m);
	}
	free(j->hand);
	ct_keyed_free(&j->touched);
	ct_lower_free(j->program);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

/* Registers of a thread. A kernel with bounds for its launches has no more than let so many blocks of so many threads lie on an SM: the
 * vendor's compiler spills the others, which are not spilled here. */
static uint32_t registers_of(const struct ct_lower_program *p, const struct ct_ptx_kernel *k)
{
	const uint32_t *n = k->required_threads[0] ? k->required_threads : k->max_threads;
	uint64_t threads = ((uint64_t)n[0] * n[1] * n[2] + 31) / 32 * 32;
	if (threads == 0)
		return p->registers;
	uint64_t most = SM_REGISTERS / (threads * (k->min_ctas ? k->min_ctas : 1)) / 8 * 8;
	return most >= 8 && most < p->registers ? (uint32_t)most : p->registers;
}

/* The kernel's part of the trace is ended also where the launch fails. */
static int record(struct ct_capture *c, const struct ct_ptx_launch *launch, struct ct_kernel *head,
                  struct ct_ptx_result *r, struct ct_error *e)
{
	struct job *j = ct_calloc(1, sizeof *j);
	if (!j || pthread_mutex_init(&j->lock, NULL) != 0) {
		free(j);
		return ct_fail_nomem(e);
	}
	j->capture = c;
	j->launch = launch;
	j->head = head;
	uint64_t ctas = ct_ptx_ctas(launch);
	uint64_t places = launch->cooperative ? ctas : launch->side_by_side;
	places = places < THREADS_MAX ? THREADS_MAX : places;
	j->hands = places < CT_PTX_COOPERATIVE_MAX ? (unsigned)places : CT_PTX_COOPERATIVE_MAX;
	int st = (j->hand = ct_calloc(j->hands, sizeof *j->hand)) ? CT_OK : ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_lower_kernel(&j->program, launch->module, launch->kernel, c->s.sm, e);
	if (st == CT_OK) {
		head->regs = registers_of(j->program, launch->kernel);
		st = ct_lower_sources(j->program, &head->has_lineinfo, &head->sources, e);
	}
	if (st == CT_OK)
		st = add_hand(j, 0, e);
	if (st == CT_OK)
		c->failed |= (st = ct_lower_output_kernel(c->output, head, e)) < 0;
	if (st == CT_OK) {
		c->seen.recorded++;
		st = run_recorded(j, r, e);
	}
	end_job(j);
	free(head->sources);
	head->sources = NULL;
	c->seen.ptx_insts += r->steps;
	return st;
}

/* What a trace's header says of a launch, but for its registers. */
static void describe(const struct ct_capture *c, const struct ct_ptx_launch *l, char *name,
                     struct ct_kernel *head)
{
	static char version[] = "5", maker[] = "tracegen-" CT_VERSION;
	*head = (struct ct_kernel){
		.id = (uint32_t)c->seen.launches,
		.header_id = c->seen.launches,
		.name = name,
		.shmem_bytes = (uint64_t)l->kernel->shared_bytes + l->dynamic_shared,
		.binary_version = c->s.sm,
		.has_windows = 1,
		.shmem_base = SHARED_BASE,
		.local_base = LOCAL_BASE,
		.tracer_version = version,
		.nvbit_version = maker};
	memcpy(head->grid, l->grid, sizeof head->grid);
	memcpy(head->block, l->block, sizeof head->block);
}

int ct_capture_launch(struct ct_capture *c, const struct ct_ptx_launch *launch, struct ct_ptx_result *r,
                      struct ct_error *e)
{
	struct ct_ptx_launch bounded = *launch;
	struct ct_ptx_result own;
	struct ct_kernel head;
	r = r ? r : &own;
	*r = (struct ct_ptx_result){0};
	if (!c)
		return ct_ptx_launch(launch, r, e);
	if (!bounded.max_steps)
		bounded.max_steps = c->s.max_steps;
	if (!bounded.threads)
		bounded.threads = c->s.threads;
	c->seen.launches++;
	char *name = ct_strndup(launch->kernel->name, strlen(launch->kernel->name));
	if (!name)
		return ct_fail_nomem(e);
	describe(c, &bounded, name, &head);
	int st = is_chosen(c, &head);
	if (st < 0)
		st = ct_fail(e, st, "the pattern of kernels cannot be tried on %.200s", name);
	else
		st = st ? record(c, &bounded, &head, r, e) : ct_ptx_launch(&bounded, r, e);
	free(name);
	return st;
}

int ct_capture_is_full(const struct ct_capture *c)
{
	return c->s.launches > 0 && c->seen.recorded >= c->s.launches;
}

int ct_capture_registers(const struct ct_ptx_module *m, const struct ct_ptx_kernel *kernel, unsigned sm,
                         uint32_t *registers, struct ct_error *e)
{
	struct ct_lower_program *p = NULL;
	int st = ct_lower_kernel(&p, m, kernel, sm, e);
	*registers = st == CT_OK ? registers_of(p, kernel) : 0;
	ct_lower_free(p);
	return st;
}

int ct_capture_copy(struct ct_capture *c, enum ct_capture_copy_kind kind, uint64_t address,
                    uint64_t bytes, struct ct_error *e)
{
	if (!c || kind != CT_CAPTURE_TO_DEVICE)
		return CT_OK;
	return ct_lower_output_copy(c->output, address, bytes, e);
}

int ct_capture_array(struct ct_capture *c, uint64_t first, uint64_t bytes, const char *name,
                     struct ct_error *e)
{
	return c ? ct_lower_output_array(c->output, first, bytes, name, c->seen.launches + 1, e) : CT_OK;
}

int ct_capture_alias(struct ct_capture *c, uint64_t first, uint64_t bytes, uint64_t shown,
                     struct ct_error *e)
{
	if (!c)
		return CT_OK;
	if (c->aliases == CT_CAPTURE_ALIASES)
		return ct_fail(e, CT_ERR_LIMIT, "more than %d ranges of memory at two addresses",
		               CT_CAPTURE_ALIASES);
	c->alias[c->aliases++] = (struct ct_lower_alias){first, first + bytes, shown - first};
	return CT_OK;
}

int ct_capture_close(struct ct_capture *c, int status, struct ct_capture_summary *s, struct ct_error *e)
{
	int st = CT_OK;
	if (s)
		*s = c ? c->seen : (struct ct_capture_summary){0};
	if (!c)
		return CT_OK;
	if (status < 0 || c->failed || !c->seen.recorded) {
		ct_lower_output_drop(c->output);
		if (status >= 0 && !c->failed)
			st = ct_fail(e, CT_ERR_INPUT, "%s",
			             c->seen.launches
			                     ? "no launch was chosen: see -k, --skip, --launches"
			                     : "no kernel was launched: nothing to record");
		else if (status >= 0)
			st = ct_fail(e, CT_ERR_IO, "the trace could not be written");
	} else {
		st = ct_lower_output_close(c->output, status, e);
	}
	release(c);
	return st;
}
