/* Reading a profile from a source: a file, a pipe, compressed or not. */
#include "profile/profile.h"
#include "profile/profile_internal.h"

int ct_profile_read(struct ct_profile **p, struct ct_source *src, int verify, struct ct_error *e)
{
	struct profile_reader *ps;
	const char *data;
	size_t n;
	int got = 0, st = profile_reader_new(&ps, ct_source_name(src), verify, e);
	while (st == CT_OK && (got = ct_source_read(src, &data, &n, e)) > 0)
		st = profile_reader_feed(ps, data, n);
	return profile_reader_end(ps, got < 0 ? got : st, p);
}
