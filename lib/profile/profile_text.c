/* Numbers in the text of fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/profile_internal.h"

/* The count at s; 0 when it is none. Profiles hold many of them, mostly short. */
static int count_of(const char *s, uint64_t *v)
{
	uint64_t n = 0;
	const char *c = s;
	for (; *c >= '0' && *c <= '9' && c - s < 19; c++)
		n = n * 10 + (unsigned)(*c - '0');
	*v = n;
	if (!*c)
		return c > s;
	/* ct_parse_u64 takes 0x too, which no field holds. */
	return *c >= '0' && *c <= '9' && ct_parse_u64(s, v) == 0;
}

int profile_is_count(const char *s)
{
	uint64_t v;
	return count_of(s, &v);
}

static const char *past_digits(const char *s)
{
	const char *start = s;
	while (*s >= '0' && *s <= '9')
		s++;
	return s > start ? s : NULL;
}

int profile_is_number(const char *s)
{
	if (*s == '-')
		s++;
	if (s[0] == '0' && s[1] >= '0' && s[1] <= '9')
		return 0;
	s = past_digits(s);
	if (s && *s == '.')
		s = past_digits(s + 1);
	if (s && (*s == 'e' || *s == 'E')) {
		s++;
		if (*s == '+' || *s == '-')
			s++;
		s = past_digits(s);
	}
	return s && !*s;
}

int ct_field_real(const char *text, double *v)
{
	if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
		*v = *text == '-' ? -INFINITY : INFINITY;
		return 1;
	}
	return profile_is_number(text) && ct_parse_real(text, v) == 0;
}

int ct_field_count(const char *text, uint64_t *v)
{
	uint64_t n;
	if (*text == 'i' && strcmp(text, "inf") == 0) {
		*v = UINT64_MAX;
		return 1;
	}
	if (!count_of(text, &n))
		return 0;
	*v = n;
	return 1;
}

const char *profile_count_text(char s[PROFILE_COUNT_TEXT], uint64_t v)
{
	char *c = s + PROFILE_COUNT_TEXT - 1;
	*c = '\0';
	do {
		*--c = (char)('0' + v % 10);
	} while (v /= 10);
	return c;
}
