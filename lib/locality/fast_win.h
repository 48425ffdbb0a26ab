/* fast_win.h - the window of slots during a batch, with its hot fields in registers.
 * Compiled once per instruction set; the including file defines
 *   POPCOUNT(x)               number of set bits
 *   LOWER16(group, n, delta)  adds delta to the first n of 32 u16 (one cache line)
 *   LOWER32(group, n, delta)  adds delta to the first n of 16 u32 (one cache line)
 *   WIN_AVX512                1: use AVX-512 for whole queries
 * Private. */

#include "locality/isa.h"
#include "locality/window.h"

struct win {
	uint64_t *bits;
	uint16_t *l1, *l2;
	uint32_t *up0, *up1, *up2, *up3;
	unsigned depth, pos;
	uint64_t word, current; /* the number of the word being filled, and its bits so far */
#if WIN_AVX512
	/* The topmost level is one group: it stays in a register, because every death
	 * changes it. */
	__m512i top;
	uint32_t *top_home;
	unsigned top_shift;
#endif
};

CT_INLINE void win_top_load(struct win *w)
{
#if WIN_AVX512
	w->top = _mm512_load_si512(w->top_home);
#else
	(void)w;
#endif
}

CT_INLINE void win_top_store(const struct win *w)
{
#if WIN_AVX512
	_mm512_store_si512(w->top_home, w->top);
#else
	(void)w;
#endif
}

/* Loads the window's hot fields. win_close() stores them again; in between the window itself is
 * stale. */
CT_INLINE void win_open(struct win *w, const struct ct_window *from)
{
	w->bits = from->bits;
	w->l1 = from->l1;
	w->l2 = from->l2;
	w->up0 = from->up[0];
	w->up1 = from->up[1];
	w->up2 = from->up[2];
	w->up3 = from->up[3];
	w->depth = from->depth;
	w->word = from->now / 64;
	w->pos = from->now % 64;
	w->current = w->pos ? from->bits[w->word] : 0;
#if WIN_AVX512
	w->top_home = from->up[from->depth - 1];
	w->top_shift = 10 + 4 * (from->depth - 1);
#endif
	win_top_load(w);
}

CT_INLINE void win_close(const struct win *w, struct ct_window *to)
{
	to->now = w->word * 64 + w->pos;
	if (w->pos)
		to->bits[w->word] = w->current;
	win_top_store(w);
}

/* Adds delta to every suffix that counts the word. Here and below `depth` is w->depth,
 * a constant where the caller has a loop for each. */
CT_INLINE void win_add(const struct win *w, uint64_t word, int delta, unsigned depth)
{
	LOWER16(w->l1 + (word & ~(uint64_t)31), word & 31, delta);
	word >>= 5;
	LOWER16(w->l2 + (word & ~(uint64_t)31), word & 31, delta);
	word >>= 5;
	if (word & 15)
		LOWER32(w->up0 + (word & ~(uint64_t)15), word & 15, delta);
	if (depth > 1) {
		word >>= 4;
		LOWER32(w->up1 + (word & ~(uint64_t)15), word & 15, delta);
		if (depth > 2) {
			word >>= 4;
			LOWER32(w->up2 + (word & ~(uint64_t)15), word & 15, delta);
			if (depth > 3)
				LOWER32(w->up3, word >> 4, delta);
		}
	}
}

/* The current word is complete: the levels count it, the next one begins. */
CT_INLINE void win_next_word(struct win *w, unsigned depth)
{
	w->bits[w->word] = w->current;
	win_top_store(w);
	win_add(w, w->word, (int)POPCOUNT(w->current), depth);
	win_top_load(w);
	w->word++;
	w->pos = 0;
	w->current = 0;
}

/* The next slot becomes live. */
CT_INLINE void win_push(struct win *w)
{
	w->current |= (uint64_t)1 << w->pos;
	if (++w->pos == 64)
		win_next_word(w, w->depth);
}

#if WIN_AVX512

/* A u16 level of a query: the entry of `word` is left in the low half of each 32-bit
 * lane of the result; dies: the entries before it lose one. Taking the entry out of
 * the loaded vector and not out of memory avoids a load that waits for the store of
 * the access before. */
CT_INLINE __m512i win_level16(uint16_t *level, uint64_t word, __m512i index, int dies)
{
	uint16_t *group = level + (word & ~(uint64_t)31);
	__m512i v = _mm512_load_si512(group);
	if (dies)
		_mm512_store_si512(group, _mm512_mask_sub_epi16(v, _bzhi_u32(~0u, word & 31), v,
		                                                _mm512_set1_epi16(1)));
	return _mm512_permutexvar_epi16(index, v);
}

CT_INLINE __m512i win_level32(uint32_t *level, uint64_t word, __m512i index, int dies)
{
	uint32_t *group = level + (word & ~(uint64_t)15);
	__m512i v = _mm512_load_si512(group);
	if (dies)
		_mm512_store_si512(group,
		                   _mm512_mask_sub_epi32(v, (__mmask16)_bzhi_u32(0xffffu, word & 15), v,
		                                         _mm512_set1_epi32(1)));
	return _mm512_permutexvar_epi32(index, v);
}

/* How many living slots lie behind the word, by the counts of all levels above the words. A slot that dies is taken off
 * the counts of the places before it. */
CT_INLINE uint64_t win_levels(struct win *w, uint64_t word, int dies, unsigned depth)
{
	__m512i index = _mm512_set1_epi32((int)word);
	/* l1 is at most 31 * 64 and l2 at most 31 * 2048: their sum fits 16 bits. */
	__m512i low = _mm512_add_epi16(win_level16(w->l1, word, index, dies),
	                               win_level16(w->l2, word >> 5, _mm512_srli_epi32(index, 5), dies));
	unsigned t = (unsigned)(word >> w->top_shift);
	__m512i sum = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)t), w->top);
	if (dies)
		w->top = _mm512_mask_sub_epi32(
			w->top, (__mmask16)_bzhi_u32(0xffffu, t), w->top, _mm512_set1_epi32(1));
	if (depth > 1) {
		sum = _mm512_add_epi32(
			sum, win_level32(w->up0, word >> 10, _mm512_srli_epi32(index, 10), dies));
		if (depth > 2) {
			sum = _mm512_add_epi32(sum, win_level32(w->up1, word >> 14,
			                                        _mm512_srli_epi32(index, 14), dies));
			if (depth > 3)
				sum = _mm512_add_epi32(
					sum, win_level32(w->up2, word >> 18,
				                         _mm512_srli_epi32(index, 18), dies));
		}
	}
	sum = _mm512_add_epi32(sum, _mm512_and_si512(low, _mm512_set1_epi32(0xffff)));
	return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(sum));
}

#else

CT_INLINE uint64_t win_levels(struct win *w, uint64_t word, int dies, unsigned depth)
{
	uint64_t n = (uint64_t)w->l1[word] + w->l2[word >> 5] + w->up0[word >> 10];
	if (depth > 1) {
		n += w->up1[word >> 14];
		if (depth > 2) {
			n += w->up2[word >> 18];
			if (depth > 3)
				n += w->up3[word >> 22];
		}
	}
	if (dies)
		win_add(w, word, -1, depth);
	return n;
}

#endif

/* Live slots after slot t, which dies if `dies` (a constant at every call). */
CT_INLINE uint64_t win_after(struct win *w, uint32_t t, int dies, unsigned depth)
{
	uint64_t word = t / 64, n, bit = (uint64_t)1 << t % 64;
	if (word == w->word) {
		n = POPCOUNT(w->current >> t % 64 >> 1);
		if (dies)
			w->current &= ~bit;
		return n;
	}
	uint64_t x = w->bits[word];
	if (dies)
		w->bits[word] = x & ~bit;
	return win_levels(w, word, dies, depth) + POPCOUNT(x >> t % 64 >> 1) + POPCOUNT(w->current);
}
