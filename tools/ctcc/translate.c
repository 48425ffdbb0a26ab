/* What nvcc takes in a source and clang does not: the text of one file. */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "ctcc/job.h"

/* Where the comment, string or character that starts at s[i] ends; i where none does. */
static size_t skip_quoted(const char *s, size_t i, size_t n)
{
	if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
		while (i < n && s[i] != '\n')
			i += s[i] == '\\' && i + 1 < n ? 2 : 1;
		return i < n ? i : n;
	}
	if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
		for (i += 2; i + 1 < n && !(s[i] == '*' && s[i + 1] == '/');)
			i++;
		return i + 1 < n ? i + 2 : n;
	}
	/* An apostrophe inside of a number separates digits. */
	if (s[i] == '"' || (s[i] == '\'' && (i == 0 || !isalnum((unsigned char)s[i - 1])))) {
		char quote = s[i++];
		while (i < n && s[i] != quote && s[i] != '\n')
			i += s[i] == '\\' && i + 1 < n ? 2 : 1;
		return i < n ? i + 1 : n;
	}
	return i;
}

/* The first place from s[i] on that lies in no comment, string or character; n where there is none. */
static size_t skip_all_quoted(const char *s, size_t i, size_t n)
{
	for (size_t next; i < n && (next = skip_quoted(s, i, n)) > i;)
		i = next;
	return i;
}

/* The place behind three brackets c with blanks among them from s[i] on; 0 where it is something else. */
static size_t three_of(const char *s, size_t i, size_t n, char c)
{
	unsigned k = 0;
	size_t end = i;
	for (; i < n && k < 3; i++) {
		if (s[i] == c) {
			k++;
			end = i + 1;
		} else if (s[i] != ' ' && s[i] != '\t') {
			break;
		}
	}
	return k == 3 ? end : 0;
}

static int behind_operator(const char *s, size_t i)
{
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	return i >= 8 && memcmp(s + i - 8, "operator", 8) == 0;
}

/* Joins the brackets in place: blanks go in front, so that lines and columns stay. Returns whether any had to be. */
static int join_brackets(char *s, size_t n)
{
	int changed = 0, open = 0;
	for (size_t i = 0, end; (i = skip_all_quoted(s, i, n)) < n;) {
		if (s[i] == '<' && (end = three_of(s, i, n, '<')) && !behind_operator(s, i)) {
			changed |= end - i > 3;
			memset(s + i, ' ', end - i - 3);
			memset(s + end - 3, '<', 3);
			open = 1;
			i = end;
		} else if (open && s[i] == '>' && (end = three_of(s, i, n, '>'))) {
			changed |= end - i > 3;
			memset(s + i, ' ', end - i - 3);
			memset(s + end - 3, '>', 3);
			open = 0;
			i = end;
		} else {
			if (s[i] == ';' || s[i] == '}')
				open = 0;
			i++;
		}
	}
	return changed;
}

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word at s[i] is w. */
static int is_word(const char *s, size_t i, size_t n, const char *w)
{
	size_t len = strlen(w);
	return i + len <= n && memcmp(s + i, w, len) == 0 && (i == 0 || !is_name(s[i - 1])) &&
	       (i + len == n || !is_name(s[i + len]));
}

static size_t skip_blanks(const char *s, size_t i, size_t n)
{
	while (i < n && isspace((unsigned char)s[i]))
		i++;
	return i;
}

/* Where the text of the asm statement at s[i] begins, behind its bracket; 0 where there is none. */
static size_t text_of_asm(const char *s, size_t i, size_t n)
{
	static const char *const words[] = {
		"asm", "__asm__", "__asm", "volatile", "__volatile__", "__volatile"};
	size_t found = 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (is_word(s, i, n, words[k]) && (k < 3 || found)) {
			found = i = skip_blanks(s, i + strlen(words[k]), n);
			k = 2; /* what may follow */
		}
	return found && i < n && s[i] == '(' ? i + 1 : 0;
}

/* Whether s[i] is the percent sign of a special register of PTX, and the only one. */
static int is_special_register(const char *s, size_t i, size_t n)
{
	static const char *const names[] = {
		"tid",
		"ntid",
		"ctaid",
		"nctaid",
		"laneid",
		"warpid",
		"nwarpid",
		"smid",
		"nsmid",
		"gridid",
		"lanemask_eq",
		"lanemask_lt",
		"lanemask_le",
		"lanemask_gt",
		"lanemask_ge",
		"clock",
		"clock_hi",
		"clock64",
		"globaltimer",
		"globaltimer_lo",
		"globaltimer_hi",
		"dynamic_smem_size",
		"total_smem_size"};
	if (s[i] != '%' || (i > 0 && s[i - 1] == '%'))
		return 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (is_word(s, i + 1, n, names[k]))
			return 1;
	return 0;
}

/* Copies the strings from s[i] on, with comments and blanks among them, and doubles the percent signs of special registers. Returns where
 * something else begins. */
static size_t double_in_strings(struct ct_buf *out, const char *s, size_t i, size_t n, int *changed)
{
	for (size_t end; i < n; i = end) {
		end = skip_quoted(s, i, n);
		if (end == i && !isspace((unsigned char)s[i]))
			break;
		end = end == i ? i + 1 : end;
		for (size_t k = i; k < end; k++) {
			if (s[i] == '"' && is_special_register(s, k, end)) {
				ct_buf_putc(out, '%');
				*changed = 1;
			}
			ct_buf_putc(out, s[k]);
		}
	}
	return i;
}

/* Whether the word before s[i] is one of n. */
static int is_behind(const char *s, size_t i, const char *const *words, size_t n)
{
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	for (size_t k = 0; k < n; k++) {
		size_t len = strlen(words[k]);
		if (i >= len && is_word(s, i - len, i, words[k]))
			return 1;
	}
	return 0;
}

/* Words in front of a declaration that are attributes to clang: those where a variable lies, and the others. */
static const char *const attributes[] = {
	"__shared__", "__device__",      "__constant__", "__managed__",      "__host__",
	"__global__", "__forceinline__", "__noinline__", "__grid_constant__"};
enum { SPACES = 4, ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* The number sign of the directive whose line s[i] is on; n where it is on none. */
static size_t directive_of(const char *s, size_t i, size_t n)
{
	size_t line = i;
	while (line > 0 && (s[line - 1] != '\n' || (line > 1 && s[line - 2] == '\\')))
		line--;
	while (line < i && (s[line] == ' ' || s[line] == '\t'))
		line++;
	return s[line] == '#' ? line : n;
}

/* Where the bracket at s[i] closes; n where it does not. */
static size_t closing(const char *s, size_t i, size_t n)
{
	int depth = 0;
	for (; (i = skip_all_quoted(s, i, n)) < n; i++) {
		depth += (s[i] == '(') - (s[i] == ')');
		if (depth == 0)
			return i;
	}
	return n;
}

/* Where the list of template arguments that begins at s[i] ends, behind its bracket; 0 where it is none. */
static size_t behind_arguments(const char *s, size_t i, size_t n)
{
	int depth = 0;
	for (; (i = skip_all_quoted(s, i, n)) < n; i++) {
		if (s[i] == ';' || s[i] == '{' || s[i] == '}' || s[i] == ')')
			return 0;
		if (s[i] == '(' && (i = closing(s, i, n)) == n)
			return 0;
		depth += (s[i] == '<') - (s[i] == '>');
		if (depth == 0)
			return i + 1;
	}
	return 0;
}

struct text {
	struct ct_buf *out;
	const char *s;
	int changed;
};

static void translate(struct text *t, size_t i, size_t n);

static void copy(struct text *t, size_t i, size_t end)
{
	ct_buf_add(t->out, t->s + i, end - i);
}

/* `typename A<T>::B<U>` names a template B: clang wants `A<T>::template B<U>`. s[i] is behind "typename". Returns how far it came. */
static size_t put_type_name(struct text *t, size_t i, size_t n)
{
	const char *s = t->s;
	int behind_list = 0, says_template = 0;
	for (;;) {
		size_t name = skip_blanks(s, i, n), end, list;
		if (name + 1 < n && s[name] == ':' && s[name + 1] == ':')
			name = skip_blanks(s, name + 2, n);
		for (end = name; end < n && is_name(s[end]);)
			end++;
		if (end == name)
			return i;
		if (is_word(s, name, n, "template")) {
			copy(t, i, end);
			i = end;
			says_template = 1;
			continue;
		}
		list = skip_blanks(s, end, n);
		size_t behind = list < n && s[list] == '<' ? behind_arguments(s, list, n) : 0;
		copy(t, i, name);
		if (behind && behind_list && !says_template) {
			ct_buf_puts(t->out, "template ");
			t->changed = 1;
		}
		copy(t, name, end);
		if (behind)
			translate(t, end, behind);
		i = behind ? behind : end;
		behind_list = behind != 0;
		says_template = 0;
		list = skip_blanks(s, i, n);
		if (list + 1 >= n || s[list] != ':' || s[list + 1] != ':')
			return i;
	}
}

/* `(-1 << n)` is constant to nvcc; clang wants a number that is not negative to be shifted. s[i] is the bracket. Returns where it
 * came to; i: this is something else, or more than a shift, whose type may be another one. */
static size_t put_shift(struct text *t, size_t i, size_t n)
{
	const char *s = t->s;
	size_t one = skip_blanks(s, i + 1, n);
	if (one + 1 >= n || s[one] != '-' || s[one + 1] != '1')
		return i;
	size_t shift = skip_blanks(s, one + 2, n), close = closing(s, i, n);
	if (shift + 2 >= close || s[shift] != '<' || s[shift + 1] != '<' || s[shift + 2] == '<' ||
	    s[shift + 2] == '=' || close == n || directive_of(s, i, n) < n)
		return i;
	for (size_t k = shift + 2; k < close; k++)
		if (strchr("|&^?,;=<>!", s[k]))
			return i;
	ct_buf_puts(t->out, "((int)(-1u");
	translate(t, one + 2, close);
	ct_buf_puts(t->out, "))");
	t->changed = 1;
	return close + 1;
}

/* `#define UNROLL #pragma unroll` has a pragma for a value. s[i] is its number sign. Returns as put_shift() does. */
static size_t put_pragma(struct text *t, size_t i, size_t n)
{
	const char *s = t->s;
	size_t word = i + 1, line = directive_of(s, i, n);
	while (word < n && (s[word] == ' ' || s[word] == '\t'))
		word++;
	if (line >= i || !is_word(s, word, n, "pragma") ||
	    !is_word(s, skip_blanks(s, line + 1, n), n, "define"))
		return i;
	ct_buf_puts(t->out, "_Pragma(\"");
	for (i = skip_blanks(s, word + 6, n); i < n && s[i] != '\n' && s[i] != '\r'; i++) {
		if (s[i] == '"' || s[i] == '\\')
			ct_buf_putc(t->out, '\\');
		ct_buf_putc(t->out, s[i]);
	}
	ct_buf_puts(t->out, "\")");
	t->changed = 1;
	return i;
}

/* Attributes in double brackets may follow words like __device__ to nvcc; without them the program is the same. */
static size_t put_attributes(struct text *t, size_t i, size_t n)
{
	size_t end = i + 2;
	if (!is_behind(t->s, i, attributes, ATTRIBUTES))
		return i;
	while (end + 1 < n && !(t->s[end] == ']' && t->s[end + 1] == ']'))
		end++;
	if (end + 1 >= n)
		return i;
	for (end += 2; i < end; i++)
		ct_buf_putc(t->out, t->s[i] == '\n' ? '\n' : ' ');
	t->changed = 1;
	return end;
}

/* The word at s[i], and what belongs to it. */
static size_t put_word(struct text *t, size_t i, size_t n)
{
	const char *s = t->s;
	size_t text = text_of_asm(s, i, n), end = i;
	while (end < n && is_name(s[end]))
		end++;
	if (is_word(s, i, n, "alignas") && is_behind(s, i, attributes, SPACES)) {
		ct_buf_puts(t->out, "_Alignas");
		t->changed = 1;
		return end;
	}
	copy(t, i, text ? text : end);
	if (text)
		return double_in_strings(t->out, s, text, n, &t->changed);
	return is_word(s, i, n, "typename") ? put_type_name(t, end, n) : end;
}

/* Copies what lies from s[i] to s[n]. */
static void translate(struct text *t, size_t i, size_t n)
{
	const char *s = t->s;
	while (i < n) {
		size_t next = skip_quoted(s, i, n);
		if (next > i)
			copy(t, i, next);
		else if (is_name(s[i]))
			next = put_word(t, i, n);
		else if (s[i] == '(')
			next = put_shift(t, i, n);
		else if (s[i] == '#')
			next = put_pragma(t, i, n);
		else if (s[i] == '[' && i + 1 < n && s[i + 1] == '[')
			next = put_attributes(t, i, n);
		if (next == i)
			ct_buf_putc(t->out, s[next++]);
		i = next;
	}
}

int ctcc_translate(struct ct_buf *out, char *s, size_t n)
{
	struct text t = {.out = out, .s = s};
	t.changed = join_brackets(s, n);
	translate(&t, 0, n);
	return t.changed;
}
