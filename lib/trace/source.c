#include "trace/private/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/threads.h"
#include "trace/private/codec.h"

enum { SLOTS = 4, SLOT_BYTES = 256 * 1024, RAW_BYTES = 256 * 1024, PEEK_MAX = 64 * 1024 };

struct slot {
	unsigned char *data; /* SLOT_BYTES + CT_SOURCE_SLACK */
	size_t n;
};

struct ct_source {
	char *name;
	int fd; /* -1: memory */
	int close_fd, pollable;
	int wake[2]; /* written to when the reader thread must give up a wait */
	const unsigned char *memory;
	size_t memory_left;
	ct_source_pull_fn pull; /* NULL: bytes come from fd or memory */
	void *pull_ctx;
	struct ct_source_options options;

	/* Producer: the reader thread, or the caller without one. */
	struct ct_raw raw; /* owner_of() leads back from it */
	unsigned char *raw_buffer;
	const struct ct_codec_ops *ops;
	int compressed;
	struct ct_codec *codec;
	uint64_t raw_bytes, crc, expanded;

	/* Ring between the two, under `lock`. */
	int threaded, started;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a slot was filled or freed; one thread waits at most */
	int synchronised;       /* both are there */
	struct slot slot[SLOTS];
	unsigned head, count;
	int stop, drain;
	int done; /* nothing more will come; status says why */
	int status;
	struct ct_error error; /* without the file's name */
	uint64_t shown_bytes, shown_crc;

	/* Consumer. */
	int holding; /* the slot at head is lent out */
};

static struct ct_source *owner_of(struct ct_raw *r)
{
	return (struct ct_source *)(void *)((char *)r - offsetof(struct ct_source, raw));
}

/* Waits for a pipe or terminal; 1 ready, 0 told to stop. */
static int wait_readable(struct ct_source *s)
{
	struct pollfd p[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};
	while (poll(p, s->wake[0] >= 0 ? 2 : 1, -1) < 0) {
		if (errno != EINTR)
			return 1; /* let read() say what is wrong */
	}
	return !(p[1].revents & POLLIN);
}

/* Raw bytes into buf: > 0, 0 at the end or when told to stop, < 0 on failure. */
static ssize_t read_raw(struct ct_source *s, unsigned char *buf, size_t cap, struct ct_error *e)
{
	ssize_t n;
	if (s->fd < 0) {
		n = (ssize_t)(s->memory_left < cap ? s->memory_left : cap);
		memcpy(buf, s->memory, (size_t)n);
		s->memory += n;
		s->memory_left -= (size_t)n;
	} else {
		if (s->pollable && !wait_readable(s))
			return 0;
		do
			n = read(s->fd, buf, cap);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "cannot read at byte %" PRIu64,
			                     s->raw_bytes);
	}
	if (s->options.keep)
		ct_keep_add(s->options.keep, buf, (size_t)n);
	s->raw_bytes += (uint64_t)n;
	s->crc = ct_crc64(s->crc, buf, (size_t)n);
	return n;
}

static int refill_raw(struct ct_raw *r, struct ct_error *e)
{
	struct ct_source *s = owner_of(r);
	ssize_t n = read_raw(s, s->raw_buffer, RAW_BYTES, e);
	if (n < 0)
		return (int)n;
	r->next = s->raw_buffer;
	r->avail = (size_t)n;
	return n > 0;
}

/* Reads the first bytes and picks the decoder. */
static int start_codec(struct ct_source *s, struct ct_error *e)
{
	size_t have = 0;
	ssize_t n = 1;
	while (have < CT_CODEC_MAGIC && n > 0) {
		n = read_raw(s, s->raw_buffer + have, RAW_BYTES - have, e);
		if (n < 0)
			return (int)n;
		have += (size_t)n;
	}
	s->raw.next = s->raw_buffer;
	s->raw.avail = have;
	s->ops = ct_codec_sniff(s->raw_buffer, have);
	s->compressed = strcmp(s->ops->name, "plain") != 0;
	s->codec = s->ops->open(e);
	return s->codec ? CT_OK : CT_ERR_NOMEM;
}

/* One run of decompressed bytes into out. Plain data needs no copy. */
static int decode_some(struct ct_source *s, unsigned char *out, size_t cap, size_t *n,
                       struct ct_error *e)
{
	if (s->pull)
		return s->pull(s->pull_ctx, out, cap, n, e);
	if (s->compressed || s->raw.avail > 0)
		return s->ops->read(s->codec, &s->raw, out, cap, n, e);
	ssize_t got = read_raw(s, out, cap, e);
	*n = got > 0 ? (size_t)got : 0;
	return got > 0 ? 1 : (int)got;
}

static int is_stopping(struct ct_source *s)
{
	if (!s->started)
		return 0;
	pthread_mutex_lock(&s->lock);
	int stop = s->stop || s->drain;
	pthread_mutex_unlock(&s->lock);
	return stop;
}

int ct_source_check_expansion(uint64_t max_expand, uint64_t in, uint64_t out, struct ct_error *e)
{
	uint64_t limit = max_expand;
	if (!limit)
		limit = in > CT_EXPAND_FLOOR / CT_EXPAND_RATIO ? in * CT_EXPAND_RATIO : CT_EXPAND_FLOOR;
	if (out <= limit)
		return CT_OK;
	return ct_fail(e, CT_ERR_LIMIT,
	               "%" PRIu64 " compressed bytes become more than %" PRIu64
	               ": --max-expand raises the limit if this is no decompression bomb",
	               in, limit);
}

/* Fills a slot: 1, 0 at the end (slot->n may be > 0 all the same), < 0 on failure. */
static int produce_slot(struct ct_source *s, struct slot *slot, struct ct_error *e)
{
	slot->n = 0;
	if (!s->ops && !s->pull) {
		int st = start_codec(s, e);
		if (st < 0)
			return st;
	}
	while (slot->n < SLOT_BYTES && !is_stopping(s)) {
		size_t n = 0;
		int st = decode_some(s, slot->data + slot->n, SLOT_BYTES - slot->n, &n, e);
		if (st <= 0)
			return st;
		slot->n += n;
		s->expanded += n;
		if (s->compressed && (st = ct_source_check_expansion(
					      s->options.max_expand, s->raw.offset, s->expanded, e)) < 0)
			return st;
	}
	memset(slot->data + slot->n, 0, CT_SOURCE_SLACK);
	return 1;
}

static int drain_raw(struct ct_source *s, struct ct_error *e)
{
	ssize_t n;
	do
		n = read_raw(s, s->raw_buffer, RAW_BYTES, e);
	while (n > 0);
	return (int)n;
}

/* Reads and unpacks ahead into free slots until the end, an error, or until the reader wants no more. */
static void *reader_thread(void *arg)
{
	struct ct_source *s = arg;
	struct ct_error err = {0};
	pthread_mutex_lock(&s->lock);
	while (!s->done) {
		while (s->count == SLOTS && !s->stop && !s->drain)
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->stop)
			break;
		int drain = s->drain;
		struct slot *slot = &s->slot[(s->head + s->count) % SLOTS];
		pthread_mutex_unlock(&s->lock);
		int st = drain ? drain_raw(s, &err) : produce_slot(s, slot, &err);
		pthread_mutex_lock(&s->lock);
		if (!drain && slot->n > 0 && !s->drain)
			s->count++;
		if (st <= 0) {
			s->done = 1;
			s->status = st;
			s->error = err;
		}
		s->shown_bytes = s->raw_bytes;
		s->shown_crc = s->crc;
		pthread_cond_signal(&s->changed);
	}
	s->done = 1;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Starts the reader thread; where that is impossible the caller's does the work. */
static void start_thread(struct ct_source *s)
{
	sigset_t all, before;
	if (!s->threaded || s->started)
		return;
	if (s->pollable && pipe(s->wake) != 0) {
		s->wake[0] = s->wake[1] = -1;
		s->threaded = 0;
		return;
	}
	s->started = 1; /* before the thread looks at it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&s->thread, NULL, reader_thread, s) != 0)
		s->started = s->threaded = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int allocate_slots(struct ct_source *s)
{
	s->raw_buffer = malloc(RAW_BYTES);
	for (int i = 0; i < (s->threaded ? SLOTS : 1); i++)
		if (!(s->slot[i].data = calloc(1, SLOT_BYTES + CT_SOURCE_SLACK)))
			return -1;
	return s->raw_buffer && s->name ? 0 : -1;
}

/* Makes a source of a file descriptor, which it owns unless it is standard input. On an error the
 * descriptor is closed. */
static int source_new(struct ct_source **out, const char *name, int fd,
                      const struct ct_source_options *o, struct ct_error *e)
{
	struct ct_source *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s) {
		if (fd > 0)
			close(fd);
		return ct_fail_nomem(e);
	}
	if (o)
		s->options = *o;
	s->name = ct_strndup(name, strlen(name));
	s->fd = fd;
	s->close_fd = fd > 0;
	s->wake[0] = s->wake[1] = -1;
	s->threaded = fd >= 0 && !s->options.no_thread;
	s->raw.refill = refill_raw;
	s->synchronised = ct_lock_init(&s->lock, &s->changed) == 0;
	if (!s->synchronised || allocate_slots(s) != 0) {
		ct_source_close(s);
		return ct_fail_nomem(e);
	}
	*out = s;
	return CT_OK;
}

int ct_source_open_fd(struct ct_source **out, int fd, const char *name,
                      const struct ct_source_options *o, struct ct_error *e)
{
	struct stat st;
	*out = NULL;
	int failed = fstat(fd, &st) != 0;
	if (failed || S_ISDIR(st.st_mode)) {
		int err = failed ? errno : EISDIR;
		if (fd > 0)
			close(fd);
		return ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot read", name);
	}
	int r = source_new(out, name, fd, o, e);
	if (r == CT_OK)
		(*out)->pollable = !S_ISREG(st.st_mode);
	return r;
}

int ct_source_open(struct ct_source **s, const char *path, const struct ct_source_options *o,
                   struct ct_error *e)
{
	*s = NULL;
	struct ct_source_options other = o ? *o : (struct ct_source_options){0};
	if (ct_keep_has(other.keep, path)) {
		int kept = ct_keep_open(other.keep);
		other.keep = NULL;
		return kept < 0 ? ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read it again", path)
		                : ct_source_open_fd(s, kept, path, &other, e);
	}
	if (other.keep && strcmp(other.keep->path, path) != 0)
		other.keep = NULL;
	o = &other;
	if (strcmp(path, "-") == 0)
		return ct_source_open_fd(s, STDIN_FILENO, path, o, e);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	if (fd == STDIN_FILENO) { /* standard input was closed: 0 would mean "not ours" */
		fd = dup(fd);
		close(STDIN_FILENO);
		if (fd < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	}
	return ct_source_open_fd(s, fd, path, o, e);
}

int ct_source_open_memory(struct ct_source **s, const char *name, const void *p, size_t n,
                          struct ct_error *e)
{
	int st = source_new(s, name, -1, NULL, e);
	if (st == CT_OK) {
		(*s)->memory = p;
		(*s)->memory_left = n;
	}
	return st;
}

int ct_source_open_pull(struct ct_source **s, const char *name, ct_source_pull_fn pull, void *ctx,
                        int no_thread, struct ct_error *e)
{
	const struct ct_source_options o = {.no_thread = no_thread};
	int st = source_new(s, name, -1, &o, e);
	if (st != CT_OK)
		return st;
	(*s)->pull = pull;
	(*s)->pull_ctx = ctx;
	if (no_thread)
		return CT_OK;
	for (int i = 1; i < SLOTS; i++)
		if (!((*s)->slot[i].data = calloc(1, SLOT_BYTES + CT_SOURCE_SLACK))) {
			ct_source_close(*s);
			*s = NULL;
			return ct_fail_nomem(e);
		}
	(*s)->threaded = 1;
	return CT_OK;
}

int ct_source_plain_file(const struct ct_source *s, uint64_t *size)
{
	struct stat st;
	if (!s->close_fd || s->pollable || s->compressed || fstat(s->fd, &st) != 0)
		return -1;
	*size = (uint64_t)st.st_size;
	return s->fd;
}

/* Makes slot `head` hold the next run: 1, 0 at the end, < 0 on failure. Called with
 * nothing lent out. */
static int fetch_slot(struct ct_source *s, struct ct_error *e)
{
	start_thread(s);
	if (!s->started && s->count == 0 && !s->done) {
		struct ct_error err = {0};
		int st = produce_slot(s, &s->slot[0], &err);
		s->count = s->slot[0].n > 0;
		s->shown_bytes = s->raw_bytes;
		s->shown_crc = s->crc;
		if (st <= 0) {
			s->done = 1;
			s->status = st;
			s->error = err;
		}
	}
	pthread_mutex_lock(&s->lock);
	while (s->started && s->count == 0 && !s->done)
		pthread_cond_wait(&s->changed, &s->lock);
	int st = s->count > 0 ? 1 : s->status;
	if (st < 0 && e)
		*e = s->error;
	pthread_mutex_unlock(&s->lock);
	return st;
}

/* Gives the lent slot back to the producer. */
static void free_slot(struct ct_source *s)
{
	if (!s->holding)
		return;
	s->holding = 0;
	pthread_mutex_lock(&s->lock);
	if (s->started)
		s->head = (s->head + 1) % SLOTS;
	s->count--;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

int ct_source_read_bare(struct ct_source *s, const char **data, size_t *n, struct ct_error *e)
{
	free_slot(s);
	*data = NULL;
	*n = 0;
	int st = fetch_slot(s, e);
	if (st <= 0)
		return st;
	s->holding = 1;
	*data = (const char *)s->slot[s->head].data;
	*n = s->slot[s->head].n;
	return 1;
}

static int with_name(const struct ct_source *s, int st, const struct ct_error *bare, struct ct_error *e)
{
	return st < 0 ? ct_fail(e, st, "%s: %s", s->name, bare->text) : st;
}

int ct_source_read(struct ct_source *s, const char **data, size_t *n, struct ct_error *e)
{
	struct ct_error bare;
	return with_name(s, ct_source_read_bare(s, data, n, &bare), &bare, e);
}

int ct_source_peek(struct ct_source *s, size_t want, const char **data, size_t *n, struct ct_error *e)
{
	struct ct_error bare;
	*data = "";
	*n = 0;
	if (s->holding)
		return ct_fail(e, CT_ERR_USAGE, "%s: peek after read", s->name);
	int st = fetch_slot(s, &bare);
	if (st == CT_ERR_INPUT) /* what is looked at starts with the first line */
		return ct_fail(e, st, "%s:1: %s", s->name, bare.text);
	if (st < 0)
		return with_name(s, st, &bare, e);
	if (st == 0)
		return CT_OK;
	/* Slots are filled to the brim, so the first one holds all that may be asked for. */
	*data = (const char *)s->slot[s->head].data;
	*n = s->slot[s->head].n;
	if (want > PEEK_MAX)
		want = PEEK_MAX;
	if (*n > want)
		*n = want;
	return CT_OK;
}

int ct_source_drain(struct ct_source *s, struct ct_error *e)
{
	struct ct_error err = {0};
	int st = CT_OK;
	free_slot(s);
	if (!s->started) {
		if (!s->done)
			st = drain_raw(s, &err);
		s->shown_bytes = s->raw_bytes;
		s->shown_crc = s->crc;
		s->count = 0;
		s->done = 1;
		return with_name(s, st, &err, e);
	}
	pthread_mutex_lock(&s->lock);
	s->drain = 1;
	pthread_cond_signal(&s->changed);
	while (!s->done)
		pthread_cond_wait(&s->changed, &s->lock);
	s->count = 0;
	/* The thread is past its last use of the rest. Damage that nobody wanted to
	 * read is not this caller's concern, bytes that cannot be read are. */
	if (s->status == CT_ERR_IO) {
		st = s->status;
		err = s->error;
	} else {
		st = drain_raw(s, &err);
	}
	s->shown_bytes = s->raw_bytes;
	s->shown_crc = s->crc;
	pthread_mutex_unlock(&s->lock);
	return with_name(s, st, &err, e);
}

const char *ct_source_name(const struct ct_source *s)
{
	return s->name;
}

const char *ct_source_format(const struct ct_source *s)
{
	return s->ops ? s->ops->name : "plain";
}

uint64_t ct_source_raw_bytes(const struct ct_source *s)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&s->lock;
	pthread_mutex_lock(lock);
	uint64_t v = s->shown_bytes;
	pthread_mutex_unlock(lock);
	return v;
}

uint64_t ct_source_raw_crc64(const struct ct_source *s)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&s->lock;
	pthread_mutex_lock(lock);
	uint64_t v = s->shown_crc;
	pthread_mutex_unlock(lock);
	return v;
}

void ct_source_continue_crc(struct ct_source *s, uint64_t crc)
{
	s->crc = s->shown_crc = crc;
}

static void stop_thread(struct ct_source *s)
{
	if (!s->started)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = 1;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (s->wake[1] >= 0 && write(s->wake[1], "", 1) < 0) {
		/* The pipe is ours and empty; a failure leaves nothing better to do. */
	}
	pthread_join(s->thread, NULL);
}

void ct_source_close(struct ct_source *s)
{
	if (!s)
		return;
	stop_thread(s);
	if (s->codec)
		s->ops->close(s->codec);
	if (s->close_fd)
		close(s->fd);
	for (int i = 0; i < 2; i++)
		if (s->wake[i] >= 0)
			close(s->wake[i]);
	for (int i = 0; i < SLOTS; i++)
		free(s->slot[i].data);
	free(s->raw_buffer);
	free(s->name);
	if (s->synchronised)
		ct_lock_free(&s->lock, &s->changed);
	free(s);
}
