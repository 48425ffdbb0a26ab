#include "locality/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int ct_isa_available(enum ct_isa isa)
{
	switch (isa) {
	case CT_ISA_BEST:
	case CT_ISA_PORTABLE: return 1;
#if CT_X86
	case CT_ISA_POPCNT: return __builtin_cpu_supports("popcnt") != 0;
	case CT_ISA_AVX2:
		return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("bmi2");
	case CT_ISA_AVX512:
		return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2") &&
		       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
	default: return 0;
	}
}

/* What CACHETRIAGE_ISA allows, looked up once. */
static int best_allowed(void)
{
	static atomic_int known; /* 0: not looked up */
	int best = atomic_load_explicit(&known, memory_order_relaxed);
	if (best)
		return best;
	const char *name = getenv("CACHETRIAGE_ISA");
	best = CT_ISA_AVX512;
	for (int i = CT_ISA_PORTABLE; name && i < CT_ISA_COUNT; i++)
		if (strcmp(name, ct_isa_name((enum ct_isa)i)) == 0)
			best = i;
	atomic_store_explicit(&known, best, memory_order_relaxed);
	return best;
}

enum ct_isa ct_isa_resolve(enum ct_isa asked)
{
	int isa = asked == CT_ISA_BEST ? best_allowed() : (int)asked;
	while (isa > CT_ISA_PORTABLE && !ct_isa_available((enum ct_isa)isa))
		isa--;
	return (enum ct_isa)isa;
}

const char *ct_isa_name(enum ct_isa isa)
{
	static const char *const name[] = {"best", "portable", "popcnt", "avx2", "avx512"};
	return isa < CT_ISA_COUNT ? name[isa] : "?";
}
