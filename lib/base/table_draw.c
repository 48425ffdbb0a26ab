/* table_draw.c - how a table fits the screen. Heads are wrapped first, then the last column, if it is text; names are cut
 * and columns are left out only where that is not enough. */
#include "base/table_draw.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* WRAP_LEAST: a wrapped text of fewer columns cannot be read. NAME_LEAST: nor can a cut name. COMPARED_MOST: names of
 * longer tables are not compared with each other. */
enum { GAP = 2, WRAP_LEAST = 22, NAME_LEAST = 20, COMPARED_MOST = 256 };

struct column {
	size_t head, data; /* how wide the head is, and the cells below it */
	size_t least;      /* to what it can shrink */
	size_t width;      /* what it gets */
	size_t tail;       /* how much of a name's end stays when it is cut */
	int numbers, texts, shown;
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1 for a number, 0 for text, -1 for a missing value, which goes with either. A number may have a unit of some words; a
 * sentence may begin with a number. */
static int looks_like_number(const char *s)
{
	enum { BLANKS_MOST = 3 };
	unsigned blanks = 0;
	for (const char *c = s; *c; c++)
		blanks += *c == ' ';
	if (blanks > BLANKS_MOST)
		return 0;
	if (!*s || strcmp(s, "-") == 0 || strcmp(s, "NA") == 0)
		return -1;
	return is_digit(s[0]) || (s[0] == '-' && is_digit(s[1])) || strcmp(s, "inf") == 0;
}

static void measure(const struct ct_table *t, struct column *c)
{
	const char *s = t->cells.data;
	for (unsigned i = 0; i < t->count; i++, s += strlen(s) + 1) {
		struct column *k = &c[i % t->columns];
		size_t w = ct_utf8_width(s), *at = i < t->columns ? &k->head : &k->data;
		*at = w > *at ? w : *at;
		if (i >= t->columns && looks_like_number(s) >= 0) {
			k->numbers += looks_like_number(s);
			k->texts += !looks_like_number(s);
		}
	}
	for (unsigned i = 0; i < t->columns; i++) {
		c[i].width = c[i].head > c[i].data ? c[i].head : c[i].data;
		c[i].shown = 1;
	}
}

static int is_number(const struct column *c)
{
	return c->numbers && !c->texts;
}

static size_t total(const struct column *c, unsigned n)
{
	size_t sum = 0;
	for (unsigned i = 0; i < n; i++)
		if (c[i].shown)
			sum += c[i].width + (sum ? GAP : 0);
	return sum;
}

/* ---- wrapping ---- */

/* Bytes of the next line of s in `room` columns, broken at a blank where there is one. */
static size_t line_length(const char *s, size_t room)
{
	if (ct_utf8_width(s) <= room)
		return strlen(s);
	const char *end = ct_utf8_at(s, room), *cut = end;
	while (cut > s && (*cut != ' ' || cut[1] == '%')) /* a unit stays with its number */
		cut--;
	return (size_t)((cut > s ? cut : end) - s);
}

/* The line-th line of s and its bytes, NULL behind the last. */
static const char *line_of(const char *s, size_t room, unsigned line, size_t *n)
{
	for (*n = line_length(s, room); line > 0; line--) {
		s += *n;
		s += *s == ' ';
		if (!*s)
			return NULL;
		*n = line_length(s, room);
	}
	return s;
}

static unsigned lines_of(const char *s, size_t room)
{
	size_t n;
	unsigned lines = 1;
	while (line_of(s, room, lines, &n))
		lines++;
	return lines;
}

static size_t longest_word(const char *s)
{
	size_t most = 0, n = 0;
	for (; *s; s++) {
		n = *s == ' ' ? 0 : n + (((unsigned char)*s & 0xc0) != 0x80);
		most = n > most ? n : most;
	}
	return most;
}

/* ---- fitting ---- */

/* Takes from the column what is too much, down to `least`: how much is too much still. */
static size_t shrink(struct column *c, size_t too_much, size_t least)
{
	size_t can = c->shown && c->width > least ? c->width - least : 0;
	size_t by = can < too_much ? can : too_much;
	c->width -= by;
	return too_much - by;
}

/* The column to leave out next; as many as there are: none. A bar, which has no head, goes first. Without ranks the
 * last but one goes then, as the last often tells why. */
static unsigned least_needed(const struct ct_table *t, const struct column *c)
{
	unsigned worst = t->columns, highest = 0;
	for (unsigned i = 0; i < t->columns; i++) {
		unsigned rank = !c[i].head ? UINT_MAX
		                : t->rank  ? t->rank[i]
		                           : i > 0 && i + 1 < t->columns;
		if (c[i].shown && rank && rank >= highest) {
			highest = rank;
			worst = i;
		}
	}
	return worst;
}

/* What a column is wide at least: a head breaks between words, a text at the end wraps, other texts are cut. */
static size_t least_width(const struct ct_table *t, const struct column *c, unsigned i, size_t word)
{
	size_t head = word > c[i].data ? word : c[i].data;
	size_t least = i + 1 == t->columns ? WRAP_LEAST : NAME_LEAST;
	if (is_number(&c[i]) || !c[i].head || head <= least)
		return head;
	return word > least ? word : least;
}

/* 1 when the text at the end may become narrower still, so that the column `out` has room. */
static int can_squeeze(const struct ct_table *t, const struct column *last, unsigned out)
{
	return t->squeezed && t->rank && t->rank[out] == 1 && last->shown && last->least > t->squeezed;
}

static void fit(const struct ct_table *t, struct column *c, size_t screen)
{
	unsigned out;
	const char *head = t->cells.data;
	if (!screen || total(c, t->columns) <= screen)
		return;
	for (unsigned i = 0; i < t->columns && i < t->count; i++, head += strlen(head) + 1) {
		size_t word = longest_word(head);
		c[i].width = word > c[i].data ? word : c[i].data;
		c[i].least = least_width(t, c, i, word);
	}
	for (;;) {
		size_t sum = total(c, t->columns), too_much = sum > screen ? sum - screen : 0;
		size_t can = 0;
		for (unsigned i = 0; i < t->columns; i++)
			can += c[i].shown && c[i].width > c[i].least ? c[i].width - c[i].least : 0;
		if (can >= too_much || (out = least_needed(t, c)) == t->columns) {
			for (unsigned i = t->columns; i-- > 0;)
				too_much = shrink(&c[i], too_much, c[i].least);
			return;
		}
		if (can_squeeze(t, &c[t->columns - 1], out))
			c[t->columns - 1].least = t->squeezed;
		else
			c[out].shown = 0;
	}
}

/* ---- cutting ---- */

/* Whether two names look the same in a column of `room` where each keeps its end of length `tail`. */
static int look_alike(const char *a, const char *b, size_t room, size_t tail)
{
	size_t wide[2] = {ct_utf8_width(a), ct_utf8_width(b)};
	if (strcmp(a, b) == 0 || wide[0] <= room || wide[1] <= room)
		return 0; /* one that is whole has no dots, or is not the other */
	size_t front = (size_t)(ct_utf8_at(a, room - 2 - tail) - a);
	return strncmp(a, b, front) == 0 &&
	       strcmp(ct_utf8_at(a, wide[0] - tail), ct_utf8_at(b, wide[1] - tail)) == 0;
}

/* How many pairs of names in column i look the same. */
static size_t pairs_alike(const struct ct_table *t, const char *const *cell, unsigned i, size_t room,
                          size_t tail)
{
	size_t n = 0;
	for (unsigned k = t->columns + i; k < t->count; k += t->columns)
		for (unsigned l = t->columns + i; l < k; l += t->columns)
			n += (size_t)look_alike(cell[k], cell[l], room, tail);
	return n;
}

/* Chooses where the names of a column are cut: a third of the room is for their ends, and as little more or less as
 * tells the most of them apart. */
static void choose_tail(const struct ct_table *t, const char *const *cell, struct column *c, unsigned i)
{
	const size_t room = c[i].width;
	c[i].tail = room > 2 ? (room - 2) / 3 : 0;
	if (!cell || room <= 2 || is_number(&c[i]) || c[i].data <= room)
		return;
	const size_t usual = c[i].tail, most = room - 2;
	size_t least = pairs_alike(t, cell, i, room, usual);
	for (size_t by = 1; least && by <= most; by++)
		for (int more = 1; more >= 0; more--) {
			if (more ? usual + by > most : by > usual)
				continue;
			size_t tail = more ? usual + by : usual - by;
			size_t n = pairs_alike(t, cell, i, room, tail);
			if (n < least) {
				least = n;
				c[i].tail = tail;
			}
		}
}

/* The ends that names keep, column by column. Without memory, or in a long table, they are not compared. */
static void choose_tails(const struct ct_table *t, struct column *c)
{
	const char **cell = NULL, *s = t->cells.data;
	if (t->count / t->columns <= COMPARED_MOST)
		cell = ct_calloc(t->count, sizeof *cell);
	for (unsigned i = 0; cell && i < t->count; i++, s += strlen(s) + 1)
		cell[i] = s;
	for (unsigned i = 0; i < t->columns; i++)
		choose_tail(t, cell, c, i);
	free(cell);
}

/* ---- drawing ---- */

static void pad(struct ct_buf *b, size_t n)
{
	while (n-- > 0)
		ct_buf_putc(b, ' ');
}

/* Verdicts stand out in colour, if there is one; the word says the same. */
static void print_text(struct ct_buf *b, const char *s, size_t n, int color)
{
	const char *code = !color                                    ? NULL
	                   : n == 8 && memcmp(s, "benefits", 8) == 0 ? "32"
	                   : n == 5 && memcmp(s, "hurts", 5) == 0    ? "31"
	                   : n == 7 && memcmp(s, "unknown", 7) == 0  ? "2"
	                                                             : NULL;
	if (code)
		ct_buf_printf(b, "\033[%sm", code);
	ct_buf_add(b, s, n);
	if (code)
		ct_buf_puts(b, "\033[0m");
}

/* One line of a cell. A name without room is cut in the middle, so that `tail` of its end stays. */
static void print_line(struct ct_buf *b, const char *s, size_t n, size_t room, size_t tail, int color)
{
	struct ct_buf text = {0};
	ct_buf_add(&text, s, n);
	size_t width = text.len ? ct_utf8_width(text.data) : 0;
	b->failed |= text.failed;
	if (width > room && room > 2) {
		size_t front = room - 2 - tail;
		ct_buf_add(b, text.data, (size_t)(ct_utf8_at(text.data, front) - text.data));
		ct_buf_puts(b, "..");
		ct_buf_puts(b, ct_utf8_at(text.data, width - tail));
	} else if (text.len) {
		print_text(b, text.data, text.len, color);
	}
	ct_buf_free(&text);
}

/* A row in as many lines as its longest cell needs: heads stand on the lowest of them, cells on the first. */
static const char *print_row(const struct ct_table *t, const struct column *c, unsigned cells, int head,
                             int color, const char *row, struct ct_buf *b)
{
	unsigned lines = 1, last = t->columns - 1;
	const char *s = row;
	for (unsigned i = 0; i < cells; i++, s += strlen(s) + 1) {
		unsigned n = c[i].shown && (head || (i == last && !is_number(&c[i])))
		                     ? lines_of(s, c[i].width)
		                     : 1;
		lines = n > lines ? n : lines;
	}
	for (unsigned line = 0; line < lines; line++) {
		size_t owed = 0; /* blanks that the next cell needs: none end a line */
		s = row;
		for (unsigned i = 0; i < cells; i++, s += strlen(s) + 1) {
			size_t n = strlen(s), room = c[i].width;
			const int wraps = head || (i == last && !is_number(&c[i]));
			const char *part = wraps || !line ? s : NULL;
			if (!c[i].shown)
				continue;
			if (wraps) {
				unsigned first = head ? lines - lines_of(s, room) : 0;
				part = line < first ? NULL : line_of(s, room, line - first, &n);
			}
			if (!part || !n) {
				owed += room + GAP;
				continue;
			}
			size_t wide = ct_utf8_width(part) - ct_utf8_width(part + n);
			wide = wide > room ? room : wide;
			pad(b, owed + (is_number(&c[i]) ? room - wide : 0));
			print_line(b, part, n, room, c[i].tail, color);
			owed = GAP + (is_number(&c[i]) ? 0 : room - wide);
		}
		ct_buf_putc(b, '\n');
	}
	return s;
}

/* Names the columns that there was no room for. */
static void print_left_out(const struct ct_table *t, const struct column *c, size_t screen,
                           struct ct_buf *b)
{
	struct ct_buf text = {0};
	const char *head = t->cells.data;
	for (unsigned i = 0; i < t->columns && i < t->count; i++, head += strlen(head) + 1)
		if (!c[i].shown && *head)
			ct_buf_printf(&text, "%s%s",
			              text.len ? ", " : "left out for want of room: ", head);
	b->failed |= text.failed;
	if (text.len && !text.failed) {
		ct_buf_puts(&text, " (COLUMNS=200 before the command prints them)\n");
		ct_table_wrap_text(&text, (unsigned)screen);
		b->failed |= text.failed;
		ct_buf_puts(b, text.len ? text.data : "");
	}
	ct_buf_free(&text);
}

void ct_table_draw(const struct ct_table *t, const struct ct_table_style *style, struct ct_buf *b)
{
	struct column *c = ct_calloc(t->columns, sizeof *c);
	const char *row = t->cells.data;
	if (!c) {
		b->failed = 1;
		return;
	}
	measure(t, c);
	fit(t, c, style->width);
	choose_tails(t, c);
	for (unsigned i = 0; i < t->count; i += t->columns) {
		unsigned cells = t->count - i < t->columns ? t->count - i : t->columns;
		row = print_row(t, c, cells, i == 0, style->color, row, b);
	}
	print_left_out(t, c, style->width, b);
	free(c);
}

void ct_table_wrap_text(struct ct_buf *b, unsigned width)
{
	enum { INDENT = 2 };
	struct ct_buf out = {0};
	char *line = b->data, *end;
	if (!b->len || width <= INDENT)
		return;
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		/* a row in colour fits already */
		size_t room = strchr(line, '\033') ? SIZE_MAX : width, n;
		for (const char *s = line;; room = width - INDENT) {
			n = line_length(s, room);
			ct_buf_add(&out, s, n);
			s += n;
			s += *s == ' ';
			if (!*s)
				break;
			ct_buf_puts(&out, "\n  ");
		}
		ct_buf_putc(&out, '\n');
		*end = '\n';
	}
	ct_buf_puts(&out, line);
	if (out.failed) {
		b->failed = 1;
		ct_buf_free(&out);
		return;
	}
	ct_buf_free(b);
	*b = out;
}
