/* Cache strings of GPGPU-Sim, every published form:
 *   4.x   S:4:128:64,L:T:m:L:L,A:512:8,16:0,32    sector letter first
 *   3.x   64:128:8,L:B:m:W:L,A:32:4,4:0,32        without it
 *   3.0   N,64:128:6:L:R:m,A:16:4,4:0:0:0:0       shorter policies, other separators
 *   2.x   64:128:2:L                              geometry and replacement only
 *   none
 * Fields (doc/replay.md section 6): sets, line, ways; replacement, write, allocate, write
 * allocate, set function; MSHR kind, entries, merges; miss queue, result FIFO, port. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_keys.h"

enum { MAX_TOKENS = 24, TOKEN = 16, SECTOR_BYTES = 32 };

struct tokens {
	unsigned n, at;
	char text[MAX_TOKENS][TOKEN];
	char before[MAX_TOKENS]; /* the separator in front: ',' or ':' */
};

/* Splits a cache string into its tokens and remembers what separated them, since ',' and ':' mean
 * different things. */
static int split_tokens(struct tokens *t, const char *s)
{
	char separator = ',';
	memset(t, 0, sizeof *t);
	while (*s) {
		size_t n = strcspn(s, ",:");
		while (n && isspace((unsigned char)*s)) {
			s++;
			n--;
		}
		size_t used = n;
		while (used && isspace((unsigned char)s[used - 1]))
			used--;
		if (t->n == MAX_TOKENS || used == 0 || used >= TOKEN)
			return -1;
		memcpy(t->text[t->n], s, used);
		t->before[t->n++] = separator;
		separator = s[n];
		s += n + (separator != 0);
	}
	return t->n ? 0 : -1;
}

static int take_number(struct tokens *t, uint64_t lo, uint32_t *out)
{
	uint64_t v;
	if (t->at == t->n || ct_parse_u64_range(t->text[t->at], lo, 1u << 24, &v) < 0)
		return -1;
	t->at++;
	*out = (uint32_t)v;
	return 0;
}

static int is_letter(const struct tokens *t)
{
	return t->at < t->n && isalpha((unsigned char)t->text[t->at][0]) && !t->text[t->at][1];
}

static void add_remark(char *note, size_t n, const char *text)
{
	size_t used = strlen(note);
	if (used + 2 < n)
		snprintf(note + used, n - used, "%s%s", used ? "; " : "", text);
}

static int set_replacement(struct ct_cache_params *c, char letter)
{
	switch (letter) {
	case 'L': c->replacement = CT_REPL_LRU; return 0;
	case 'F': c->replacement = CT_REPL_FIFO; return 0;
	}
	return -1;
}

/* write is R B T E L, allocate is N W F L (doc/replay.md section 6). */
static int write_policy(struct ct_cache_params *c, char write, char allocate, char *note, size_t n)
{
	if (!strchr("NWFL", allocate))
		return -1;
	switch (write) {
	case 'T':
		c->write_policy = allocate == 'N' ? CT_WRITE_THROUGH_NO_ALLOCATE
		                                  : CT_WRITE_THROUGH_ALLOCATE;
		if (allocate == 'W' || allocate == 'F')
			add_remark(note, n, "a store miss of the write-through cache does not fetch");
		return 0;
	case 'B':
		c->write_policy = allocate == 'L' ? CT_WRITE_BACK_VALIDATE : CT_WRITE_BACK_FETCH;
		if (allocate == 'N') {
			c->write_policy = CT_WRITE_BACK_VALIDATE;
			add_remark(note, n, "write-back without allocation runs as back_validate");
		}
		return 0;
	case 'E': c->write_policy = CT_WRITE_EVICT; return 0;
	case 'L':
		c->write_policy = CT_WRITE_EVICT;
		add_remark(note, n, "local stores evict as global ones do");
		return 0;
	case 'R': c->write_policy = CT_WRITE_THROUGH_NO_ALLOCATE; return 0;
	}
	return -1;
}

static int allocate_policy(struct ct_cache_params *c, char letter)
{
	switch (letter) {
	case 'm': c->allocate = CT_ALLOCATE_ON_MISS; return 0;
	case 'f': c->allocate = CT_ALLOCATE_ON_FILL; return 0;
	case 's': c->allocate = CT_ALLOCATE_STREAMING; return 0;
	}
	return -1;
}

static int set_function(struct ct_cache_params *c, char letter, char *note, size_t n)
{
	switch (letter) {
	case 'L': c->set_hash = CT_HASH_LINEAR; return 0;
	case 'X': c->set_hash = CT_HASH_XOR; return 0;
	case 'P': c->set_hash = CT_HASH_IPOLY; return 0;
	case 'H': c->set_hash = CT_HASH_FERMI; return 0;
	case 'C':
		c->set_hash = CT_HASH_LINEAR;
		add_remark(note, n, "a custom set function runs as linear");
		return 0;
	}
	return -1;
}

/* The letters after the geometry; the one in front of two numbers is the MSHR kind. */
static int read_policies(struct tokens *t, struct ct_cache_params *c, char *note, size_t n)
{
	char p[8] = "";
	unsigned k = 0;
	while (is_letter(t) && k < 6)
		p[k++] = t->text[t->at++][0];
	if (t->at < t->n) { /* MSHR letter, entries, merges */
		if (k < 2 || !strchr("ASFT", p[--k]) || take_number(t, 1, &c->mshr_entries) < 0 ||
		    take_number(t, 1, &c->mshr_merge) < 0)
			return -1;
	}
	if (k == 0 || set_replacement(c, p[0]) < 0)
		return -1;
	if (k == 2 || (k > 2 && (allocate_policy(c, p[2]) < 0 ||
	                         write_policy(c, p[1], k > 3 ? p[3] : 'N', note, n) < 0)))
		return -1;
	return k > 4 ? set_function(c, p[4], note, n) : 0;
}

int ct_sim_cache(struct ct_cache_params *out, const char *text, char *note, size_t n)
{
	struct ct_cache_params c = *out;
	struct tokens t;
	int sectored = 0;
	uint32_t fifo = 0;
	note[0] = 0;
	if (strcmp(text, "none") == 0)
		return 1;
	if (split_tokens(&t, text) < 0)
		return -1;
	if (is_letter(&t)) {
		sectored = t.text[0][0] == 'S';
		if (!sectored && t.text[0][0] != 'N')
			return -1;
		t.at = 1;
	}
	if (take_number(&t, 1, &c.sets) < 0 || take_number(&t, 1, &c.line) < 0 ||
	    take_number(&t, 1, &c.ways) < 0)
		return -1;
	c.size = 0;
	c.sector = sectored ? SECTOR_BYTES : c.line;
	c.set_hash = CT_HASH_LINEAR;
	c.port_bytes = c.line;
	if (read_policies(&t, &c, note, n) < 0)
		return -1;
	if (t.at < t.n && take_number(&t, 1, &c.miss_queue) < 0)
		return -1;
	if (t.at < t.n && t.before[t.at] == ':' && take_number(&t, 0, &fifo) < 0)
		return -1;
	if (t.at < t.n && t.before[t.at] == ',') {
		uint32_t port;
		if (take_number(&t, 0, &port) < 0)
			return -1;
		c.port_bytes = port ? port : c.line;
	}
	while (t.at < t.n && take_number(&t, 0, &fifo) == 0) /* trailing fields of 3.0 */
		;
	if (t.at < t.n)
		return -1;
	*out = c;
	return 0;
}
