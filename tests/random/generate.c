/* Writes a random program that is CUDA and C at once (program.h): integers, floating point, nested control flow,
 * private, shared and global memory, atomics, barriers, shuffles and votes.
 *     generate SEED >program.cu
 * Threads never race: between two barriers an array of shared memory is read, or written by one thread a place. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

enum type { INT, UNSIGNED, LONG, FLOAT, DOUBLE, TYPES };
enum { OF_A_TYPE = 4, EXPRESSION_DEPTH = 4, STATEMENT_DEPTH = 3, HELPERS = 3, PHASES = 9 };

static const char letter[] = "iulfd";
static const char *const names[] = {"int", "unsigned", "long long", "float", "double"};

struct generator {
	uint64_t seed;
	unsigned loops;   /* loop counters so far: each has its own name */
	unsigned inside;  /* loops around this place */
	int reads_shared; /* shared memory may be read here */
	int in_helper;    /* only a helper's parameters are there */
	unsigned helpers; /* helpers that may be called */
};

static unsigned choose(struct generator *g, unsigned n)
{
	return (unsigned)(ct_rand64(&g->seed) >> 33) % n;
}

static void expression(struct generator *g, enum type t, unsigned depth);

static void constant(struct generator *g, enum type t)
{
	static const char *const integers[] = {
		"0",   "1",   "2",    "3",     "5",     "7",          "15", "16", "31",         "32",
		"100", "255", "1000", "65535", "65536", "2147483647", "-1", "-7", "-2147483647"};
	static const char *const reals[] = {
		"0.0", "1.0", "-1.0", "0.5", "2.0", "3.25", "-0.1", "1e-3", "1e6", "7e9", "1e-20"};
	if (t >= FLOAT)
		printf("(%s)%s", names[t], reals[choose(g, sizeof reals / sizeof *reals)]);
	else
		printf("(%s)%s", names[t], integers[choose(g, sizeof integers / sizeof *integers)]);
}

static void variable(struct generator *g, enum type t)
{
	if (g->in_helper)
		printf("(%s)%c", names[t],
		       t == FLOAT || t == DOUBLE ? "xy"[choose(g, 2)] : "ab"[choose(g, 2)]);
	else
		printf("V(%c%u)", letter[t], choose(g, OF_A_TYPE));
}

/* Something of memory, of other threads, or of the thread itself. */
static void integer_leaf(struct generator *g)
{
	switch (g->in_helper ? 5 : choose(g, 6)) {
	case 0: printf("TID"); break;
	case 1: printf("BID"); break;
	case 2:
		printf("table[(");
		expression(g, INT, 2);
		printf(") & (TABLE - 1)]");
		break;
	case 3:
		printf("P(p, ");
		expression(g, INT, 2);
		printf(")");
		break;
	case 4:
		if (g->reads_shared) {
			printf("si[(");
			expression(g, INT, 2);
			printf(") & (SHARED - 1)]");
		} else
			printf("g[(BID * THREADS + TID) * PRIVATE + (TID & 3)]");
		break;
	default: variable(g, INT); break;
	}
}

static void leaf(struct generator *g, enum type t)
{
	unsigned what = choose(g, 6);
	if (what == 0)
		constant(g, t);
	else if (what == 1 && t == INT)
		integer_leaf(g);
	else if (what == 1 && t == FLOAT && g->reads_shared && !g->in_helper) {
		printf("sf[(");
		expression(g, INT, 1);
		printf(") & (SHARED - 1)]");
	} else
		variable(g, t);
}

static void condition(struct generator *g, unsigned depth)
{
	static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};
	enum type t = (enum type)choose(g, TYPES);
	if (depth > 1 && choose(g, 4) == 0) {
		printf("(%s", choose(g, 3) ? "" : "!");
		condition(g, depth - 1);
		printf(choose(g, 2) ? " && " : " || ");
		condition(g, depth - 1);
		printf(")");
		return;
	}
	printf("(");
	expression(g, t, depth > 0 ? depth - 1 : 0);
	printf(" %s ", relations[choose(g, 6)]);
	expression(g, t, depth > 0 ? depth - 1 : 0);
	printf(")");
}

/* A form with up to three operands: #0 is one of the type itself, #i, #u, #l, #f, #d one of another, #c a condition. */
static void form(struct generator *g, enum type t, const char *text, unsigned depth)
{
	for (; *text; text++) {
		if (*text != '#') {
			putchar(*text);
			continue;
		}
		switch (*++text) {
		case '0': expression(g, t, depth); break;
		case 'i': expression(g, INT, depth); break;
		case 'u': expression(g, UNSIGNED, depth); break;
		case 'l': expression(g, LONG, depth); break;
		case 'f': expression(g, FLOAT, depth); break;
		case 'd': expression(g, DOUBLE, depth); break;
		default: condition(g, depth); break;
		}
	}
}

/* clang-format off */
static const char *const forms[TYPES][20] = {
	{"ADD(#0, #0)", "SUB(#0, #0)", "MUL(#0, #0)", "DIV(#0, #0)", "REM(#0, #0)", "(#0 & #0)", "(#0 | #0)", "(#0 ^ #0)",
         "SHL(#0, #0)", "(#0 >> (#0 & 31))", "(#c ? #0 : #0)", "(int)#u", "(int)#l", "TOINT(#d)", "MULHI(#0, #0)",
         "(int)POPC(#u)", "(int)CLZ(#u)", "(int)(signed char)#0", "(int)(short)#0", "(int)#c"},
	{"(#0 + #0)", "(#0 - #0)", "(#0 * #0)", "UDIV(#0, #0)", "UREM(#0, #0)", "(#0 & #0)", "(#0 | ~#0)", "(#0 ^ #0)",
         "(#0 << (#i & 31))", "(#0 >> (#i & 31))", "(#c ? #0 : #0)", "(unsigned)#i", "(unsigned)#l", "UMULHI(#0, #0)",
         "BREV(#0)", "PERM(#0, #0, #0)", "FUNNEL(#0, #0, #0)", "(unsigned)(unsigned char)#0", "(unsigned)(unsigned short)#i",
         "(unsigned)TOLONG(#f)"},
	{"LADD(#0, #0)", "LSUB(#0, #0)", "LMUL(#0, #0)", "LDIV(#0, #0)", "LREM(#0, #0)", "(#0 & #0)", "(#0 | #0)", "(#0 ^ ~#0)",
         "LSHL(#0, #i)", "(#0 >> (#i & 63))", "(#c ? #0 : #0)", "(long long)#i", "(long long)#u", "TOLONG(#d)",
         "LMUL((long long)#i, (long long)#i)", "(long long)(#u * (unsigned long long)#u)", "LADD(#0, (long long)#i)", "TOLONG(#f)",
         "(long long)#c", "LSUB((long long)#u, #0)"},
	{"(#0 + #0)", "(#0 - #0)", "(#0 * #0)", "(#0 / #0)", "fmaf(#0, #0, #0)", "sqrtf(fabsf(#0))", "fabsf(#0)", "(-#0)",
         "(#c ? #0 : #0)", "(float)#i", "(float)#u", "(float)#d", "(float)#l", "(#0 < #0 ? #0 : #0)", "floorf(#0)", "truncf(#0)",
         "ceilf(#0)", "copysignf(#0, (float)#i)", "(#0 * #0 + #0)", "rintf(#0)"},
	{"(#0 + #0)", "(#0 - #0)", "(#0 * #0)", "(#0 / #0)", "fma(#0, #0, #0)", "sqrt(fabs(#0))", "fabs(#0)", "(-#0)",
         "(#c ? #0 : #0)", "(double)#i", "(double)#u", "(double)#f", "(double)#l", "(#0 > #0 ? #0 : #0)", "floor(#0)", "trunc(#0)",
         "ceil(#0)", "copysign(#0, (double)#i)", "(#0 * #0 - #0)", "rint(#0)"},
};
/* clang-format on */

static void expression(struct generator *g, enum type t, unsigned depth)
{
	if (depth == 0 || choose(g, 5) == 0) {
		leaf(g, t);
	} else if (g->helpers && t <= UNSIGNED && choose(g, 12) == 0) {
		printf("(%s)helper%u(", names[t], choose(g, g->helpers));
		expression(g, INT, depth - 1);
		printf(", ");
		expression(g, INT, depth - 1);
		printf(", ");
		expression(g, FLOAT, depth - 1);
		printf(", ");
		expression(g, DOUBLE, depth - 1);
		printf(")");
	} else
		form(g, t, forms[t][choose(g, 20)], depth - 1);
}

static void block(struct generator *g, unsigned depth);

static void assignment(struct generator *g)
{
	enum type t = (enum type)choose(g, TYPES);
	switch (choose(g, 8)) {
	case 0:
		printf("P(p, ");
		expression(g, INT, 2);
		printf(") = ");
		expression(g, INT, EXPRESSION_DEPTH);
		break;
	case 1:
		printf("g[(BID * THREADS + TID) * PRIVATE + ((");
		expression(g, INT, 2);
		printf(") & (PRIVATE - 1))] = ");
		expression(g, INT, EXPRESSION_DEPTH);
		break;
	default:
		printf("V(%c%u) = ", letter[t], choose(g, OF_A_TYPE));
		expression(g, t, EXPRESSION_DEPTH);
		break;
	}
	printf(";\n");
}

static void loop(struct generator *g, unsigned depth)
{
	unsigned n = g->loops++;
	if (choose(g, 2)) {
		printf("for (int c%u = 0; c%u < ((", n, n);
		expression(g, INT, 2);
		printf(") & 7); c%u++) {\n", n);
	} else {
		printf("for (int c%u = 0; c%u < %u && ", n, n, 1 + choose(g, 9));
		condition(g, 2);
		printf("; c%u++) {\n", n);
	}
	g->inside++;
	block(g, depth + 1);
	g->inside--;
	printf("}\n");
}

static void statement(struct generator *g, unsigned depth)
{
	unsigned what = depth >= STATEMENT_DEPTH ? 0 : choose(g, 12);
	if (what < 6) {
		assignment(g);
	} else if (what < 8) {
		printf("if (");
		condition(g, 3);
		printf(") {\n");
		block(g, depth + 1);
		if (choose(g, 2)) {
			printf("} else {\n");
			block(g, depth + 1);
		}
		printf("}\n");
	} else if (what < 10) {
		loop(g, depth);
	} else if (what == 10 && g->inside) {
		printf("if (");
		condition(g, 2);
		printf(") %s;\n", choose(g, 2) ? "break" : "continue");
	} else {
		printf("switch ((");
		expression(g, INT, 2);
		printf(") & 3) {\n");
		for (unsigned k = 0; k < 3; k++) {
			/* A break or continue of a loop would mean the switch. */
			unsigned inside = g->inside;
			g->inside = 0;
			printf("case %u:\n", k);
			block(g, depth + 1);
			printf("%s", choose(g, 4) ? "break;\n" : "");
			g->inside = inside;
		}
		printf("default:\n");
		assignment(g);
		printf("}\n");
	}
}

static void block(struct generator *g, unsigned depth)
{
	for (unsigned n = 1 + choose(g, 3); n > 0; n--)
		statement(g, depth);
}

static void compute(struct generator *g)
{
	g->reads_shared = 1;
	printf("EACH {\n");
	block(g, 0);
	block(g, 0);
	printf("}\n");
	g->reads_shared = 0;
}

/* Every thread writes the one place that is its own: an odd factor permutes them. */
static void share(struct generator *g)
{
	int real = (int)choose(g, 2);
	printf("BARRIER\nEACH { s%c[(TID * %u + %u) & (SHARED - 1)] = ", real ? 'f' : 'i',
	       2 * choose(g, 40) + 1, choose(g, 128));
	expression(g, real ? FLOAT : INT, EXPRESSION_DEPTH);
	printf("; }\nBARRIER\n");
}

/* One operation at a time: then the order does not matter. */
static void count(struct generator *g)
{
	static const char *const operations[] = {"Add", "Max", "Min", "Xor", "Or"};
	printf("BARRIER\nEACH { ");
	if (choose(g, 2)) {
		printf("if ");
		condition(g, 2);
		printf(" ");
	}
	printf("ATOMIC(%s, &counter[(", operations[choose(g, 5)]);
	expression(g, INT, 2);
	printf(") & (COUNTERS - 1)], ");
	expression(g, INT, 3);
	printf("); }\nBARRIER\nEACH { V(i%u) = counter[TID & (COUNTERS - 1)]; }\n",
	       choose(g, OF_A_TYPE));
}

static void exchange(struct generator *g)
{
	static const char *const votes[] = {"BALLOT", "ANY", "ALL"};
	char l = letter[choose(g, TYPES)];
	switch (choose(g, 5)) {
	case 0:
		printf("SHUFFLE(%c%u, %c%u, ", l, choose(g, OF_A_TYPE), l, choose(g, OF_A_TYPE));
		expression(g, INT, 2);
		printf(")\n");
		break;
	case 1:
		printf("SHUFFLE_XOR(%c%u, %c%u, %u)\n", l, choose(g, OF_A_TYPE), l, choose(g, OF_A_TYPE),
		       1 + choose(g, 31));
		break;
	case 2:
	case 3:
		printf("SHUFFLE_%s(%c%u, %c%u, %u)\n", choose(g, 2) ? "UP" : "DOWN", l,
		       choose(g, OF_A_TYPE), l, choose(g, OF_A_TYPE), 1 + choose(g, 31));
		break;
	default:
		printf("%s(u%u, ", votes[choose(g, 3)], choose(g, OF_A_TYPE));
		condition(g, 2);
		printf(")\n");
		break;
	}
}

static void phase(struct generator *g, int in_loop)
{
	switch (choose(g, 6)) {
	case 0:
	case 1: compute(g); break;
	case 2: share(g); break;
	case 3: count(g); break;
	case 4: exchange(g); break;
	default:
		if (in_loop) {
			compute(g);
			break;
		}
		unsigned n = g->loops++;
		printf("for (int c%u = 0; c%u < %u; c%u++) {\n", n, n, 2 + choose(g, 3), n);
		phase(g, 1);
		phase(g, 1);
		printf("}\n");
		break;
	}
}

static void helpers(struct generator *g)
{
	g->in_helper = 1;
	for (unsigned h = 0; h < HELPERS; h++) {
		printf("DEVICE int helper%u(int a, int b, float x, double y)\n{\n", h);
		printf("for (int k = 0; k < (a & 3); k++) {\nif ");
		condition(g, 2);
		printf("\nreturn ");
		expression(g, INT, 3);
		printf(";\nb = ");
		expression(g, INT, 3);
		printf(";\nx = ");
		expression(g, FLOAT, 2);
		printf(";\n}\nreturn ");
		expression(g, INT, 3);
		printf(";\n}\n\n");
		g->helpers = h + 1;
	}
	g->in_helper = 0;
}

static void kernel(struct generator *g)
{
	printf("KERNEL void k(const int *table, int *g, unsigned long long *out)\n{\n"
	       "SHARED_MEMORY int si[SHARED];\nSHARED_MEMORY float sf[SHARED];\nSHARED_MEMORY int counter[COUNTERS];\n");
	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned v = 0; v < OF_A_TYPE; v++)
			printf("VARIABLE(%s, %c%u);\n", names[t], letter[t], v);
	printf("PRIVATE_ARRAY(p);\n"
	       "EACH { for (int k = 0; k < PRIVATE; k++) P(p, k) = table[k] + TID; }\n"
	       "EACH { for (int k = TID; k < SHARED; k += THREADS) { si[k] = 3 * k; sf[k] = (float)k / 7; } "
	       "if (TID < COUNTERS) counter[TID] = TID; }\nBARRIER\nEACH {\n");
	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned v = 0; v < OF_A_TYPE; v++)
			printf("V(%c%u) = (%s)(table[(TID + %u) & (TABLE - 1)] + BID)%s;\n", letter[t],
			       v, names[t], 7 * t + 3 * v, t >= FLOAT ? " / 1000" : "");
	printf("}\n");
	for (unsigned n = 0; n < PHASES; n++)
		phase(g, 0);
	printf("EACH {\n");
	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned v = 0; v < OF_A_TYPE; v++)
			printf("out[(BID * THREADS + TID) * RESULTS + %u] = BITS_%c(V(%c%u));\n",
			       t * OF_A_TYPE + v, "IULFD"[t], letter[t], v);
	printf("}\n}\n\n");
}

int main(int argc, char **argv)
{
	struct generator g = {.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0};
	if (argc != 2) {
		fprintf(stderr, "usage: generate SEED >program.cu\n");
		return 2;
	}
	printf("/* Random program %s of tests/random/generate.c. */\n#include \"program.h\"\n\n",
	       argv[1]);
	helpers(&g);
	kernel(&g);
	printf("#include \"main.h\"\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
