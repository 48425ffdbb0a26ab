#include "base/items.h"

#include <string.h>

const char *ct_item_next(const char **at, size_t *n)
{
	const char *item = *at;
	if (!item)
		return NULL;
	*n = strcspn(item, ",");
	*at = item[*n] ? item + *n + 1 : NULL;
	return item;
}

int ct_item_copy(const char **at, char *out, size_t room)
{
	size_t n;
	const char *item = ct_item_next(at, &n);
	if (!item)
		return 0;
	for (; n > 0 && *item == ' '; n--)
		item++;
	while (n > 0 && item[n - 1] == ' ')
		n--;
	out[0] = '\0';
	if (n >= room)
		return -1;
	memcpy(out, item, n);
	out[n] = '\0';
	return 1;
}
