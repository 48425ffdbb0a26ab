/* The set lists in plain C11. */
#include <string.h>

#include "locality/setlru_kernel.h"

CT_INLINE void move(uint32_t *list, unsigned p, uint32_t front)
{
	memmove(list + 1, list, (p < CT_SETLRU_WAYS ? p : CT_SETLRU_WAYS - 1) * sizeof *list);
	list[0] = front;
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q)
{
	unsigned p = 0;
	while (p < CT_SETLRU_WAYS && tag[p] != q)
		p++;
	move(tag, p, q);
	return p;
}

CT_INLINE uint32_t run_at(const uint32_t *run, unsigned p)
{
	return run[p];
}

CT_INLINE void run_move(uint32_t *run, unsigned p, uint32_t v)
{
	move(run, p, v);
}

#define RUN ct_setlru_portable
#include "locality/setlru_loop.h"
