/* opcode.c - the SASS opcode table (doc/formats.md section 6; units
 * are those of doc/replay.md section 4). */
#include "trace/opcode.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	const char *base; /* text before the first '.' */
	unsigned char unit, space, access;
};

/* clang-format off */
#define INT(x) {x, CT_CLASS_INT, CT_SPACE_NONE, CT_ACCESS_NONE}
#define ALU(x) {x, CT_CLASS_ALU, CT_SPACE_NONE, CT_ACCESS_NONE}
#define SP(x) {x, CT_CLASS_SP, CT_SPACE_NONE, CT_ACCESS_NONE}
#define HALF(x) {x, CT_CLASS_HALF, CT_SPACE_NONE, CT_ACCESS_NONE}
#define DP(x) {x, CT_CLASS_DP, CT_SPACE_NONE, CT_ACCESS_NONE}
#define SFU(x) {x, CT_CLASS_SFU, CT_SPACE_NONE, CT_ACCESS_NONE}
#define TENSOR(x) {x, CT_CLASS_TENSOR, CT_SPACE_NONE, CT_ACCESS_NONE}
#define BRANCH(x) {x, CT_CLASS_BRANCH, CT_SPACE_NONE, CT_ACCESS_NONE}
#define UNIFORM(x) {x, CT_CLASS_UNIFORM, CT_SPACE_NONE, CT_ACCESS_NONE}
#define OTHER(x) {x, CT_CLASS_OTHER, CT_SPACE_NONE, CT_ACCESS_NONE}
#define TEX(x) {x, CT_CLASS_TEX, CT_SPACE_TEXTURE, CT_ACCESS_LOAD}
#define SURF(x, access) {x, CT_CLASS_ALU, CT_SPACE_SURFACE, access}
#define MEM(x, space, access) {x, CT_CLASS_MEM, CT_SPACE_##space, CT_ACCESS_##access}
#define UNIT(x, unit) {x, CT_CLASS_##unit, CT_SPACE_NONE, CT_ACCESS_NONE}
/* clang-format on */

/* In the order of strcmp. HMUL2 and HMNMX2 run at the rate of SP. */
static const struct entry table[] = {
	MEM("ARRIVES", SHARED, BARRIER_OP),
	MEM("ATOM", GENERIC, ATOMIC),
	MEM("ATOMG", GLOBAL, ATOMIC),
	MEM("ATOMS", SHARED, ATOMIC),
	ALU("B2R"),
	UNIT("BAR", BAR),
	TENSOR("BGMMA"),
	TENSOR("BMMA"),
	BRANCH("BMOV"),
	INT("BMSK"),
	BRANCH("BPT"),
	BRANCH("BRA"),
	BRANCH("BREAK"),
	INT("BREV"),
	BRANCH("BRK"),
	BRANCH("BRX"),
	BRANCH("BRXU"),
	BRANCH("BSSY"),
	BRANCH("BSYNC"),
	BRANCH("CAL"),
	BRANCH("CALL"),
	ALU("CCTL"),
	ALU("CCTLL"),
	ALU("CCTLT"),
	BRANCH("CONT"),
	ALU("CS2R"),
	ALU("CSET"),
	ALU("CSETP"),
	ALU("CSMTEST"),
	DP("DADD"),
	UNIT("DEPBAR", DEPBAR),
	DP("DFMA"),
	TENSOR("DMMA"),
	DP("DMNMX"),
	DP("DMUL"),
	DP("DSET"),
	DP("DSETP"),
	OTHER("ELECT"),
	UNIT("ERRBAR", MEMBAR),
	UNIT("EXIT", EXIT),
	ALU("F2F"),
	ALU("F2FP"),
	ALU("F2I"),
	ALU("F2IP"),
	SP("FADD"),
	SP("FADD32I"),
	SP("FCHK"),
	SP("FCMP"),
	UNIT("FENCE", MEMBAR),
	SP("FFMA"),
	SP("FFMA32I"),
	INT("FLO"),
	SP("FMNMX"),
	SP("FMUL"),
	SP("FMUL32I"),
	ALU("FRND"),
	SP("FSEL"),
	SP("FSET"),
	SP("FSETP"),
	SP("FSWZ"),
	SP("FSWZADD"),
	ALU("GETLMEMBASE"),
	HALF("HADD2"),
	HALF("HADD2_32I"),
	HALF("HFMA2"),
	HALF("HFMA2_32I"),
	TENSOR("HGMMA"),
	TENSOR("HMMA"),
	SP("HMNMX2"),
	SP("HMUL2"),
	SP("HMUL2_32I"),
	HALF("HSET2"),
	HALF("HSETP2"),
	ALU("I2F"),
	ALU("I2FP"),
	ALU("I2I"),
	ALU("I2IP"),
	INT("IABS"),
	INT("IADD"),
	INT("IADD3"),
	INT("IADD32I"),
	INT("ICMP"),
	INT("IDP"),
	INT("IDP4A"),
	TENSOR("IGMMA"),
	INT("IMAD"),
	INT("IMAD32I"),
	TENSOR("IMMA"),
	INT("IMNMX"),
	INT("IMUL"),
	INT("IMUL32I"),
	SFU("IPA"),
	INT("ISCADD"),
	INT("ISCADD32I"),
	INT("ISET"),
	INT("ISETP"),
	BRANCH("JCAL"),
	BRANCH("JMP"),
	BRANCH("JMX"),
	BRANCH("JMXU"),
	BRANCH("KILL"),
	MEM("LD", GENERIC, LOAD),
	{"LDC", CT_CLASS_ALU, CT_SPACE_CONST, CT_ACCESS_LOAD},
	{"LDCU", CT_CLASS_UNIFORM, CT_SPACE_CONST, CT_ACCESS_LOAD},
	MEM("LDG", GLOBAL, LOAD),
	UNIT("LDGDEPBAR", LDGDEPBAR),
	MEM("LDGSTS", GLOBAL, ASYNC),
	MEM("LDL", LOCAL, LOAD),
	MEM("LDS", SHARED, LOAD),
	MEM("LDSM", SHARED, LOAD),
	INT("LEA"),
	BRANCH("LEPC"),
	INT("LOP"),
	INT("LOP3"),
	INT("LOP32I"),
	ALU("MATCH"),
	UNIT("MEMBAR", MEMBAR),
	ALU("MOV"),
	ALU("MOV32I"),
	ALU("MOVM"),
	SFU("MUFU"),
	BRANCH("NANOSLEEP"),
	ALU("NOP"),
	TENSOR("OMMA"),
	ALU("P2R"),
	BRANCH("PBK"),
	BRANCH("PCNT"),
	ALU("PLOP3"),
	ALU("PMTRIG"),
	INT("POPC"),
	BRANCH("PRET"),
	ALU("PRMT"),
	ALU("PSET"),
	ALU("PSETP"),
	TENSOR("QGMMA"),
	TENSOR("QMMA"),
	ALU("QSPC"),
	ALU("R2B"),
	ALU("R2P"),
	UNIFORM("R2UR"),
	MEM("RED", GLOBAL, REDUCTION),
	INT("REDUX"),
	BRANCH("RET"),
	BRANCH("RPCMOV"),
	SFU("RRO"),
	BRANCH("RTT"),
	ALU("S2R"),
	UNIFORM("S2UR"),
	ALU("SEL"),
	ALU("SETCTAID"),
	ALU("SETLMEMBASE"),
	INT("SGXT"),
	INT("SHF"),
	ALU("SHFL"),
	INT("SHL"),
	INT("SHR"),
	BRANCH("SSY"),
	MEM("ST", GENERIC, STORE),
	MEM("STAS", SHARED, STORE), /* of another thread block of the cluster */
	MEM("STG", GLOBAL, STORE),
	MEM("STL", LOCAL, STORE),
	MEM("STS", SHARED, STORE),
	MEM("STSM", SHARED, STORE),
	SURF("SUATOM", CT_ACCESS_ATOMIC),
	SURF("SULD", CT_ACCESS_LOAD),
	SURF("SUQUERY", CT_ACCESS_NONE),
	SURF("SURED", CT_ACCESS_REDUCTION),
	SURF("SUST", CT_ACCESS_STORE),
	BRANCH("SYNC"),
	MEM("SYNCS", SHARED, BARRIER_OP),
	TEX("TEX"),
	TEX("TEXS"),
	TEX("TLD"),
	TEX("TLD4"),
	TEX("TLD4S"),
	TEX("TLDS"),
	TEX("TMML"),
	TEX("TXA"),
	TEX("TXD"),
	TEX("TXQ"),
	MEM("UBLKCP", GLOBAL, LOAD), /* or a store, see copy_direction() */
	MEM("UBLKPF", GLOBAL, PREFETCH),
	MEM("UBLKRED", GLOBAL, REDUCTION),
	UNIFORM("UBMSK"),
	UNIFORM("UBREV"),
	UNIFORM("UCLEA"),
	UNIFORM("UF2F"),
	UNIFORM("UFLO"),
	UNIFORM("UIADD3"),
	UNIFORM("UIMAD"),
	UNIFORM("UISETP"),
	{"ULDC", CT_CLASS_UNIFORM, CT_SPACE_CONST, CT_ACCESS_LOAD},
	UNIFORM("ULEA"),
	UNIFORM("ULOP"),
	UNIFORM("ULOP3"),
	UNIFORM("ULOP32I"),
	UNIFORM("UMOV"),
	UNIFORM("UP2UR"),
	UNIFORM("UPLOP3"),
	UNIFORM("UPOPC"),
	UNIFORM("UPRMT"),
	UNIFORM("UPSETP"),
	UNIFORM("UR2UP"),
	UNIFORM("USEL"),
	UNIFORM("USETMAXREG"),
	UNIFORM("USGXT"),
	UNIFORM("USHF"),
	UNIFORM("USHL"),
	UNIFORM("USHR"),
	MEM("UTMALDG", GLOBAL, LOAD),
	MEM("UTMAPF", GLOBAL, PREFETCH),
	MEM("UTMAREDG", GLOBAL, REDUCTION),
	MEM("UTMASTG", GLOBAL, STORE),
	INT("VABSDIFF"),
	INT("VABSDIFF4"),
	INT("VHMNMX"),
	INT("VIADD"),
	INT("VIADDMNMX"),
	INT("VIMNMX"),
	INT("VIMNMX3"),
	ALU("VOTE"),
	UNIFORM("VOTEU"),
	BRANCH("WARPGROUP"),
	BRANCH("WARPSYNC"),
	INT("XMAD"),
	BRANCH("YIELD"),
};

struct text {
	const char *p;
	size_t n;
};

static int compare_base(const void *key, const void *element)
{
	const struct text *t = key;
	const struct entry *x = element;
	int c = strncmp(t->p, x->base, t->n);
	return c ? c : x->base[t->n] ? -1 : 0;
}

static int is_text(struct text t, const char *s)
{
	return strlen(s) == t.n && memcmp(t.p, s, t.n) == 0;
}

/* Next '.'-separated token; 0 at the end. */
static int next_token(const char **p, struct text *t)
{
	if (**p != '.')
		return 0;
	t->p = *p + 1;
	t->n = strcspn(t->p, ".");
	*p = t->p + t->n;
	return 1;
}

/* Bytes that a size token names, or 0. LTC64B and the like are L2 prefetch hints,
 * not sizes, and match nothing here. */
static unsigned token_bytes(struct text t)
{
	static const struct {
		const char *token;
		unsigned bytes;
	} sizes[] = {
		{"U8", 1},     {"S8", 1},      {"8", 1},      {"U16", 2},   {"S16", 2},
		{"16", 2},     {"F16", 2},     {"BF16", 2},   {"32", 4},    {"U32", 4},
		{"S32", 4},    {"F32", 4},     {"F16x2", 4},  {"F16X2", 4}, {"BF16x2", 4},
		{"BF16X2", 4}, {"BF16_V2", 4}, {"F16_V2", 4}, {"64", 8},    {"U64", 8},
		{"S64", 8},    {"F64", 8},     {"F32x2", 8},  {"128", 16},  {"256", 32},
	};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		if (is_text(t, sizes[i].token))
			return sizes[i].bytes;
	return 0;
}

/* What a word behind a dot says about caching (CT_MOD_*), or 0. Some words only count behind .STRONG. */
static unsigned token_mod(struct text t, struct text before)
{
	int strong = is_text(before, "STRONG");
	if (strong && is_text(t, "GPU"))
		return CT_MOD_STRONG_GPU;
	if (strong && is_text(t, "SYS"))
		return CT_MOD_STRONG_SYS;
	if (is_text(t, "BYPASS"))
		return CT_MOD_BYPASS;
	if (is_text(t, "CONSTANT") || is_text(t, "CI"))
		return CT_MOD_CONSTANT;
	if (is_text(t, "CG"))
		return CT_MOD_CG;
	if (is_text(t, "CV"))
		return CT_MOD_CV;
	if (is_text(t, "EF"))
		return CT_MOD_EVICT_FIRST;
	return is_text(t, "E") ? CT_MOD_EXTENDED : 0;
}

/* Modifiers, and the size they name (4 bytes without one). */
static unsigned read_modifiers(struct ct_sinst *s, const char *p, int *prefetch)
{
	struct text t, before = {"", 0};
	unsigned bytes = 0;
	*prefetch = 0;
	s->mods = 0;
	for (; next_token(&p, &t); before = t) {
		s->mods |= (uint16_t)token_mod(t, before);
		if (!bytes)
			bytes = token_bytes(t);
		*prefetch |= t.n >= 2 && t.p[0] == 'P' && t.p[1] == 'F';
	}
	return bytes ? bytes : 4;
}

int ct_opcode_is_bulk(const char *opcode)
{
	static const char *const names[] = {
		"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UBLKCP", "UBLKRED", "UBLKPF"};
	const struct text base = {opcode, strcspn(opcode, ".")};
	for (size_t i = 0; *opcode == 'U' && i < sizeof names / sizeof names[0]; i++)
		if (is_text(base, names[i]))
			return 1;
	return 0;
}

/* A bulk copy moves pieces of the width that its reader found, between shared memory and the LLC. UBLKCP names where
 * to and where from: .S.G loads, .G.S stores, and .S.S stays in shared memory. */
static void classify_bulk(struct ct_sinst *s)
{
	if (strncmp(s->opcode, "UBLKCP", 6) == 0) {
		if (strstr(s->opcode, ".G.S"))
			s->access = CT_ACCESS_STORE;
		else if (!strstr(s->opcode, ".S.G"))
			s->access = CT_ACCESS_NONE;
	}
	s->mods |= CT_MOD_BULK;
	s->width = s->access == CT_ACCESS_NONE ? 0 : s->width_field;
}

void ct_opcode_classify(struct ct_sinst *s)
{
	struct text base = {s->opcode, strcspn(s->opcode, ".")};
	const struct entry *x = bsearch(
		&base, table, sizeof table / sizeof table[0], sizeof table[0], compare_base);
	int prefetch;
	unsigned bytes = read_modifiers(s, s->opcode + base.n, &prefetch);
	s->unit = x ? x->unit : CT_CLASS_OTHER;
	s->space = x ? x->space : CT_SPACE_NONE;
	s->access = x ? x->access : CT_ACCESS_NONE;
	s->width = 0;
	if (ct_opcode_is_bulk(s->opcode)) {
		classify_bulk(s);
		return;
	}
	if (!x && s->width_field) {
		s->space = CT_SPACE_GENERIC;
		s->access = CT_ACCESS_LOAD;
	}
	if (is_text(base, "CCTL") && prefetch) {
		s->space = CT_SPACE_GLOBAL;
		s->access = CT_ACCESS_PREFETCH;
	} else if (prefetch && (s->access == CT_ACCESS_LOAD) && s->space == CT_SPACE_GLOBAL) {
		s->access = CT_ACCESS_PREFETCH;
	}
	if (s->width_field == 0 || s->access == CT_ACCESS_NONE)
		return;
	/* Matrix loads and stores address rows of 16 bytes; barrier objects have 8. */
	if (is_text(base, "LDSM") || is_text(base, "STSM"))
		bytes = 16;
	else if (s->access == CT_ACCESS_BARRIER_OP)
		bytes = 8;
	s->width = (uint16_t)bytes;
}

enum ct_space ct_generic_space(const struct ct_kernel *k, uint64_t address)
{
	/* Section 9: 16 MiB from each base, whichever order the two come in. */
	const uint64_t window = UINT64_C(16) << 20;
	if (!k->has_windows)
		return CT_SPACE_GENERIC;
	if (address - k->shmem_base < window)
		return CT_SPACE_SHARED;
	if (address - k->local_base < window)
		return CT_SPACE_LOCAL;
	return CT_SPACE_GLOBAL;
}
