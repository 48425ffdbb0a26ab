/* sniff.c - what an input is, by its first bytes. */
#include <string.h>

#include "trace/private/text.h"
#include "trace/source.h"

enum { SNIFF_BYTES = 64 * 1024 };

static int starts_with(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);
	return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

static int is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* PC and mask somewhere among the first tokens: an instruction line without any of
 * the markers around it (a piece of a trace). */
static int like_instruction(const char *p, const char *end)
{
	size_t last = 0;
	for (int token = 0; token < 16 && p < end && *p != '\n'; token++) {
		size_t n = 0;
		while (p + n < end && is_hex(p[n]))
			n++;
		if (n == 0 || p + n >= end || p[n] != ' ')
			return 0;
		if (n == 8 && token > 0 && last >= 4)
			return 1;
		last = n;
		p += n + 1;
	}
	return 0;
}

/* One line of a kernels list: a kernel, also in a folder ("GPU_0/kernel-1.traceg"), a
 * copy, or a command "name,0x...". */
static int like_list(const char *p, const char *end)
{
	if (starts_with(p, end, "kernel") || starts_with(p, end, "Memcpy"))
		return 1;
	const char *q = p;
	for (; q < end && *q != '\n' && *q != ',' && *q != ' '; q++)
		if (*q == '/' && starts_with(q + 1, end, "kernel-"))
			return 1;
	q = p;
	while (q < end && ((*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z') || *q == '_'))
		q++;
	return q > p && starts_with(q, end, ",0x");
}

/* Tells Accel-Sim's text from a kernels list by the first lines that are typical of one. */
static enum ct_kind by_lines(const char *p, const char *end)
{
	enum ct_kind kind = CT_KIND_TEXT;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		if (starts_with(p, end, "-kernel name") || starts_with(p, end, "#BEGIN_TB") ||
		    starts_with(p, end, "#traces format"))
			return CT_KIND_ACCELSIM;
		if (kind == CT_KIND_TEXT && like_list(p, end))
			kind = CT_KIND_KERNELSLIST;
		if (kind == CT_KIND_TEXT && like_instruction(p, end))
			return CT_KIND_ACCELSIM;
		if (!nl)
			break;
		p = nl + 1;
	}
	return kind;
}

/* A byte that no text has, or NULL. */
static const char *control_byte(const char *p, const char *end)
{
	for (; p < end; p++) {
		unsigned char c = (unsigned char)*p;
		if (c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b)
			return p;
	}
	return NULL;
}

/* What the first bytes look like. Formats with a mark of their own come first, text that anything may
 * precede comes last. */
static enum ct_kind classify_bytes(const char *p, const char *end)
{
	if (p == end)
		return CT_KIND_EMPTY;
	if (starts_with(p, end, "CTZ\x01"))
		return CT_KIND_CTZ;
	if (starts_with(p, end, "#cachetriage-profile"))
		return CT_KIND_PROFILE;
	const char *nul = control_byte(p, end);
	if (nul) {
		/* .tracez: the text header ends in a NUL, then binary follows. */
		if (*nul == '\0' && starts_with(p, end, "-") && ct_text_find(p, nul, "-kernel name") &&
		    !ct_text_find(p, nul, "#BEGIN_TB"))
			return CT_KIND_TRACEZ;
		if (!starts_with(p, end, "-kernel") && ct_text_find(p, *nul ? end : nul, "MEMTRACE: "))
			return CT_KIND_NVBIT; /* among any output of the application */
		/* Damage further down is the parser's to report, with its line. */
		return nul - p > 512 || starts_with(p, end, "-kernel")
		               ? by_lines(p, nul)
		               : CT_KIND_BINARY;
	}
	const char *q = p;
	while (q < end && (*q == ' ' || *q == '\n' || *q == '\r' || *q == '\t'))
		q++;
	if (q == end)
		return CT_KIND_EMPTY;
	/* First, since the application may have begun with any text, also like JSON. */
	if (!starts_with(q, end, "-kernel") && ct_text_find(p, end, "MEMTRACE: "))
		return CT_KIND_NVBIT;
	if (*q == '{' || *q == '[')
		return CT_KIND_JSON;
	return by_lines(p, end);
}

int ct_source_sniff(struct ct_source *s, enum ct_kind *kind, struct ct_error *e)
{
	const char *p;
	size_t n;
	int st = ct_source_peek(s, SNIFF_BYTES, &p, &n, e);
	if (st == CT_OK)
		*kind = classify_bytes(p, p + n);
	return st;
}
