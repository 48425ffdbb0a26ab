/* The set lists in plain C11. */
#include "locality/setlru_kernel.h"

typedef unsigned move_t;

/* Moves the first p entries of a list of 16 back by one, over the entry at p. */
CT_INLINE void run_move(uint32_t *list, unsigned p, uint32_t front)
{
	memmove(list + 1, list, (p < CT_SETLRU_WAYS ? p : CT_SETLRU_WAYS - 1) * sizeof *list);
	list[0] = front;
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q, move_t *m)
{
	unsigned p = 0;
	while (p < CT_SETLRU_WAYS && tag[p] != q)
		p++;
	run_move(tag, p, q);
	*m = p;
	return p;
}

static void count_bytes(const uint8_t *b, size_t n, uint64_t *count)
{
	enum { TABLES = 4 };
	uint32_t t[TABLES][256] = {{0}};
	for (size_t i = 0; i < n; i += TABLES)
		for (size_t k = 0; k < TABLES; k++)
			t[k][b[i + k]]++;
	for (unsigned v = 0; v <= CT_SETLRU_WAYS; v++)
		for (unsigned k = 0; k < TABLES; k++)
			count[v] += t[k][v];
}

#define RUN ct_setlru_portable
#include "locality/setlru_loop.h"
