/* What tests of whole numbers share: what disagrees is printed and counted. */
static int failures;
static void expect(const char *what, long long got, long long want)
{
	if (got == want)
		return;
	printf("%s: %lld, not %lld\n", what, got, want);
	failures++;
}
