/* lex.h - tokens of PTX text. Private. */
#ifndef CT_PTX_LEX_H
#define CT_PTX_LEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum ct_ptx_token_kind {
	CT_PTX_END,
	CT_PTX_WORD, /* a name, directive, opcode or register: letters, digits and _ $ % . :: */
	CT_PTX_INTEGER,
	CT_PTX_FLOAT, /* 0f, 0d or with a decimal point */
	CT_PTX_STRING,
	CT_PTX_MARK /* one character that stands for itself */
};

struct ct_ptx_token {
	enum ct_ptx_token_kind kind;
	const char *text; /* in the input, not closed by a NUL */
	size_t length;
	uint64_t value; /* of an integer; of a float the bits of `single` or else of a double */
	int single;
	char mark;
};

struct ct_ptx_lexer {
	const char *file; /* for messages */
	const char *at, *end;
	uint32_t line;      /* of the current token, for messages */
	uint32_t read_line; /* where `at` is */
	struct ct_ptx_token now;
	struct ct_error *e;
};

/* Begins at the first token; fails as ct_ptx_lex_next does. */
int ct_ptx_lex_begin(struct ct_ptx_lexer *x, const char *file, const char *text, size_t size,
                     struct ct_error *e);
/* Steps to the next token: CT_OK, or CT_ERR_INPUT with file and line in the message. */
int ct_ptx_lex_next(struct ct_ptx_lexer *x);
/* Fails at the current line: "file:line: what". Returns `status`. */
int ct_ptx_lex_fail(struct ct_ptx_lexer *x, int status, const char *fmt, ...) CT_PRINTF(3, 4);

/* 1 where the current token is that mark or that word. Pure. */
int ct_ptx_is_mark(const struct ct_ptx_lexer *x, char mark);
int ct_ptx_is_word(const struct ct_ptx_lexer *x, const char *word);
/* Steps over the mark or word if it is there: 1, 0 where it is not, negative after a failure. */
int ct_ptx_skip_mark(struct ct_ptx_lexer *x, char mark);
int ct_ptx_skip_word(struct ct_ptx_lexer *x, const char *word);
/* Steps over the mark, which must be there. */
int ct_ptx_want_mark(struct ct_ptx_lexer *x, char mark);

/* Length of the current token for "%.*s", cut to what a message can hold. */
int ct_ptx_shown(const struct ct_ptx_lexer *x);

#endif
