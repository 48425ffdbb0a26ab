/* Reading the document: lines are cut out of the chunks a source hands out, checked,
 * unescaped in a line buffer and appended to the store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "profile/profile.h"
#include "profile/profile_internal.h"

enum { FIELD_SLOTS = CT_RECORD_FIELDS_MAX + 1 };

struct profile_reader {
	struct ct_profile *p;
	const char *name;
	struct ct_error *e;
	int verify;
	uint64_t line;     /* of the line being read, from 1 */
	uint32_t crc;      /* of the lines before it */
	int ended;         /* EN was read */
	struct ct_buf buf; /* the line being put together */
	size_t type;       /* the list that the last record went to */
};

/* Every refusal ends here: "file:line: what: hint". */
static int refuse_line(struct profile_reader *ps, const char *what)
{
	return ct_fail(ps->e, CT_ERR_INPUT, "%s:%llu: %s", ps->name, (unsigned long long)ps->line, what);
}

/* Puts file:line in front of an error from the store. */
static int located_error(struct profile_reader *ps, int st)
{
	char text[CT_ERROR_TEXT_MAX];
	if (st == CT_OK || !ps->e || st == CT_ERR_NOMEM)
		return st;
	snprintf(text, sizeof text, "%s", ps->e->text);
	if (st == CT_ERR_USAGE)
		st = CT_ERR_INPUT;
	return ct_fail(ps->e, st, "%.600s:%llu: %.1200s", ps->name, (unsigned long long)ps->line, text);
}

/* Accepts printable text and UTF-8 only. Other bytes have to be written as escapes, so that a terminal
 * shows what is there. */
static int check_bytes(struct profile_reader *ps, const char *s, size_t n)
{
	size_t i = 0;
	if (n > 0 && s[n - 1] == '\r')
		return refuse_line(ps, "line ends in CR LF: remove the carriage returns (tr -d '\\r')");
	while (i < n) {
		unsigned char c = (unsigned char)s[i];
		if ((c >= 0x20 && c < 0x7f) || c == '\t') {
			i++;
			continue;
		}
		if (c < 0x20 || c == 0x7f)
			return refuse_line(ps, "control character: write it as \\xHH");
		size_t len = ct_utf8(s + i, n - i);
		if (len == 0)
			return refuse_line(ps, "invalid UTF-8: write such bytes as \\xHH");
		i += len;
	}
	return CT_OK;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Undoes the escapes of a NUL-terminated field in place. */
static int unescape_field(struct profile_reader *ps, char *s)
{
	char *out = s;
	for (; *s; s++) {
		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		s++;
		if (*s == 't' || *s == 'n' || *s == '\\') {
			*out++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : '\\';
		} else if (*s == 'x' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
			int c = hex_digit(s[1]) * 16 + hex_digit(s[2]);
			if (c == 0)
				return refuse_line(ps,
				                   "\\x00 in a field: a name cannot hold a NUL byte");
			*out++ = (char)c;
			s += 2;
		} else {
			return refuse_line(ps, "unknown escape: only \\t \\n \\\\ and \\xHH are used");
		}
	}
	*out = '\0';
	return CT_OK;
}

/* Cuts the line at its tabs: field[0] is the type. *n is their number. */
static int split_fields(struct profile_reader *ps, char *s, char **field, unsigned *n)
{
	int escapes = 0;
	*n = 0;
	for (int more = 1; more; s++) {
		if (*n == FIELD_SLOTS)
			return refuse_line(ps, "too many fields: a record has at most 64");
		field[(*n)++] = s;
		for (; *s && *s != '\t'; s++)
			escapes |= *s == '\\';
		more = *s != '\0';
		*s = '\0';
		int st = escapes ? unescape_field(ps, field[*n - 1]) : CT_OK;
		if (st != CT_OK)
			return st;
		escapes = 0;
	}
	return CT_OK;
}

static int number_ok(enum ct_column_kind kind, const char *s)
{
	if (kind == CT_COLUMN_TEXT || kind == CT_COLUMN_ANY || (*s == 'N' && strcmp(s, "NA") == 0) ||
	    (*s == 'i' && strcmp(s, "inf") == 0))
		return 1;
	if (kind == CT_COLUMN_COUNT)
		return profile_is_count(s);
	return profile_is_number(s) || strcmp(s, "-inf") == 0;
}

static int check_numbers(struct profile_reader *ps, const struct ct_record_type *t, char **field,
                         unsigned n)
{
	char what[160];
	for (unsigned i = 0; i < n && i < t->n_columns + t->n_optional; i++)
		if (!number_ok(t->columns[i].kind, field[i])) {
			snprintf(what, sizeof what,
			         "%s of a %s record is '%.40s': it must be a %s or NA",
			         t->columns[i].name, t->name, field[i],
			         t->columns[i].kind == CT_COLUMN_COUNT ? "count" : "number");
			return refuse_line(ps, what);
		}
	return CT_OK;
}

/* A bin is [lo, hi) with lo < hi, or inf and inf for the cold one. */
static int check_bounds(struct profile_reader *ps, const struct ct_record_type *t, char **field,
                        unsigned n)
{
	uint64_t lo, hi;
	for (unsigned i = 0; i + 1 < n && i + 1 < t->n_columns; i++)
		if (t->bounds >> i & 1 &&
		    (!ct_field_count(field[i], &lo) || !ct_field_count(field[i + 1], &hi) ||
		     (lo == UINT64_MAX ? hi != lo : lo >= hi))) {
			char what[160];
			snprintf(what, sizeof what, "%s record: [%.40s,%.40s) is no bin", t->name,
			         field[i], field[i + 1]);
			return refuse_line(ps, what);
		}
	return CT_OK;
}

/* Refuses a bin whose count is missing: taken as 0, the histogram would look whole. */
static int check_counts(struct profile_reader *ps, const struct ct_record_type *t, char **field,
                        unsigned n)
{
	if (t->merge != CT_MERGE_COUNTS)
		return CT_OK;
	for (unsigned i = 0; i < n && i < t->n_columns; i++)
		if (t->values >> i & 1 && strcmp(field[i], "NA") == 0) {
			char what[120];
			snprintf(what, sizeof what,
			         "%s of a %s record is NA: a histogram without a count is none",
			         t->columns[i].name, t->name);
			return refuse_line(ps, what);
		}
	return CT_OK;
}

/* Checks the EN record: how many records precede it, and their CRC-32. */
static int end_record(struct profile_reader *ps, char **field, unsigned n)
{
	uint64_t records;
	char crc[16];
	ps->ended = 1;
	if (!ps->verify)
		return CT_OK;
	snprintf(crc, sizeof crc, "%08lx", (unsigned long)ps->crc);
	if (n != 3 || !ct_field_count(field[1], &records) || strlen(field[2]) != 8)
		return refuse_line(ps,
		                   "malformed EN record: the profile is damaged (--no-verify reads it)");
	if (records != ct_profile_count(ps->p))
		return refuse_line(
			ps, "EN counts other records than there are: the profile is damaged or was "
			    "edited (--no-verify reads it)");
	if (strcmp(field[2], crc) != 0)
		return refuse_line(ps, "check sum differs: the profile is damaged or was edited "
		                       "(--no-verify reads it)");
	return CT_OK;
}

/* "#TYPE\tname..." names columns; other lines behind '#' are comments. */
static int column_line(struct profile_reader *ps, char *s)
{
	char *field[FIELD_SLOTS];
	unsigned n;
	if (!(s[0] >= 'A' && s[0] <= 'Z') || !strchr(s, '\t'))
		return CT_OK;
	int st = split_fields(ps, s, field, &n);
	if (st != CT_OK || strcmp(field[0], "EN") == 0)
		return st;
	const struct ct_record_type *t = ct_record_type(field[0]);
	/* Optional columns may be missing at the end, and are called nothing else. */
	for (unsigned i = 0; t && i < t->n_columns + t->n_optional; i++)
		if (i + 1 >= n ? i < t->n_columns : strcmp(field[i + 1], t->columns[i].name) != 0) {
			char what[120];
			snprintf(what, sizeof what,
			         "column %u of %s is not '%s': the columns' order is fixed", i + 1,
			         t->name, t->columns[i].name);
			return refuse_line(ps, what);
		}
	struct type_list *l = profile_list(ps->p, field[0], 1, ps->e);
	if (!l)
		return located_error(ps, ps->e ? ps->e->status : CT_ERR_NOMEM);
	return located_error(ps,
	                     profile_columns(ps->p, l, n - 1, (const char *const *)(field + 1), ps->e));
}

/* Reads a line into its fields, checks them against the type's columns, and keeps the record. */
static int record_line(struct profile_reader *ps, char *s)
{
	char *field[FIELD_SLOTS];
	unsigned n;
	int st = split_fields(ps, s, field, &n);
	if (st != CT_OK)
		return st;
	if (*field[0] == 'E' && strcmp(field[0], "EN") == 0)
		return end_record(ps, field, n);
	/* Mostly of the type before. */
	struct type_list *l = ps->type < ps->p->n_types ? &ps->p->types[ps->type] : NULL;
	if (!l || strcmp(l->name, field[0]) != 0)
		l = profile_list(ps->p, field[0], 1, ps->e);
	if (!l)
		return located_error(ps, ps->e ? ps->e->status : CT_ERR_NOMEM);
	ps->type = (size_t)(l - ps->p->types);
	if (l->known && (st = check_numbers(ps, l->known, field + 1, n - 1)) != CT_OK)
		return st;
	if (l->known && (st = check_bounds(ps, l->known, field + 1, n - 1)) != CT_OK)
		return st;
	if (l->known && (st = check_counts(ps, l->known, field + 1, n - 1)) != CT_OK)
		return st;
	return located_error(
		ps, profile_append(ps->p, l, n - 1, (const char *const *)(field + 1), NULL, ps->e));
}

static const char magic[] = "#cachetriage-profile\t";

static int first_line(struct profile_reader *ps, const char *s)
{
	if (strncmp(s, magic, sizeof magic - 1) != 0)
		return refuse_line(ps,
		                   "not a profile: the first line must be #cachetriage-profile, a tab "
		                   "and 1");
	if (strcmp(s + sizeof magic - 1, "1") != 0)
		return ct_fail(ps->e, CT_ERR_UNSUPPORTED,
		               "%s:1: profile version '%.20s': this cachetriage reads version 1",
		               ps->name, s + sizeof magic - 1);
	return CT_OK;
}

/* One whole line, without its newline. s[n] is writable. */
static int parse_line(struct profile_reader *ps, char *s, size_t n)
{
	if (ps->ended)
		return refuse_line(ps,
		                   "content behind the EN record: to join profiles use reuse --merge");
	int st = check_bytes(ps, s, n);
	s[n] = '\0';
	if (st != CT_OK)
		return st;
	if (ps->line == 1)
		st = first_line(ps, s);
	else if (s[0] == '#' && strncmp(s, magic, sizeof magic - 1) == 0)
		st = refuse_line(ps, "another profile begins here: to join profiles use reuse --merge");
	else if (s[0] == '#')
		st = column_line(ps, s + 1);
	else if (n == 0)
		st = refuse_line(ps, "empty line: a profile has none");
	else
		st = record_line(ps, s);
	return st;
}

/* Adds the lines of a piece up to `to` to the checksum: many at once, since they are short. */
static void sum_lines(struct profile_reader *ps, const char **from, const char *to)
{
	ps->crc = ct_crc32(ps->crc, *from, (size_t)(to - *from));
	*from = to;
}

/* A line that began in an earlier piece is in the buffer only. */
static int parse_joined(struct profile_reader *ps)
{
	struct ct_buf *b = &ps->buf;
	b->data[b->len] = '\n';
	uint32_t crc = ct_crc32(ps->crc, b->data, b->len + 1);
	int st = parse_line(ps, b->data, b->len);
	ps->crc = crc;
	return st;
}

int profile_reader_feed(struct profile_reader *ps, const char *data, size_t n)
{
	const char *from = data, *end = data + n;
	while (data < end) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((nl ? nl : end) - data), before = ps->buf.len;
		if (before == 0)
			ps->line++;
		if (len > CT_PROFILE_LINE_MAX || before + len > CT_PROFILE_LINE_MAX)
			return refuse_line(ps, "line of over 1 MiB: not a profile, or a damaged one");
		ct_buf_add(&ps->buf, data, len);
		if (ps->buf.failed)
			return ct_fail_nomem(ps->e);
		if (!nl)
			break;
		if (*data == 'E' && !before) /* EN names the sum of all lines before it */
			sum_lines(ps, &from, data);
		int st = before ? parse_joined(ps) : parse_line(ps, ps->buf.data, ps->buf.len);
		if (st != CT_OK)
			return st;
		ct_buf_reset(&ps->buf);
		data = nl + 1;
		if (before)
			from = data;
	}
	sum_lines(ps, &from, data);
	return CT_OK;
}

/* Checks, at the end of the input, that it was whole. */
static int finish_profile(struct profile_reader *ps)
{
	if (ps->buf.len > 0) {
		if (ps->verify)
			return refuse_line(
				ps, "the last line has no end: the profile is cut (--no-verify reads "
				    "what is there)");
		int st = profile_reader_feed(ps, "\n", 1);
		if (st != CT_OK)
			return st;
	}
	if (ps->line == 0)
		return ct_fail(ps->e, CT_ERR_INPUT, "%s: empty: a profile was expected", ps->name);
	if (ps->verify && !ps->ended)
		return refuse_line(
			ps, "no EN record at the end: the profile is cut (--no-verify reads what is "
			    "there)");
	return CT_OK;
}

int profile_reader_new(struct profile_reader **ps, const char *name, int verify, struct ct_error *e)
{
	struct profile_reader *r = ct_calloc(1, sizeof *r);
	*ps = r;
	if (!r)
		return ct_fail_nomem(e);
	r->name = name;
	r->verify = verify;
	r->e = e;
	r->p = ct_profile_new(e);
	return r->p ? CT_OK : CT_ERR_NOMEM;
}

int profile_reader_end(struct profile_reader *ps, int st, struct ct_profile **p)
{
	*p = NULL;
	if (!ps)
		return st;
	if (st == CT_OK)
		st = finish_profile(ps);
	if (st == CT_OK)
		*p = ps->p;
	else
		ct_profile_free(ps->p);
	ct_buf_free(&ps->buf);
	free(ps);
	return st;
}

int ct_profile_read_memory(struct ct_profile **p, const char *name, const void *data, size_t n,
                           int verify, struct ct_error *e)
{
	struct profile_reader *ps;
	int st = profile_reader_new(&ps, name, verify, e);
	if (st == CT_OK)
		st = profile_reader_feed(ps, data, n);
	return profile_reader_end(ps, st, p);
}
