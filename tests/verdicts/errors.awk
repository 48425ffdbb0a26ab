# errors.awk: how far estimated speed-ups are from replayed ones, for each mechanism.
#   awk [-v estimate=4] [-v replayed=5] -f errors.awk TSV
# Columns of the input: workload, gpu, mechanism, and where these two say; lines without both are left out. Prints the number of
# pairs, median and ninth decile of the logarithm's error as percent, and shares of pairs where both say more, less or the
# same (within 2 %), and where one says more and the other less.
BEGIN {
	FS = "\t"
	if (!estimate)
		estimate = 4
	if (!replayed)
		replayed = 5
}
/^#/ || $estimate == "-" || $replayed == "-" || $estimate <= 0 { next }
{
	add("all")
	add($3)
}

function sign(x) { return x > 1.02 ? 1 : x < 0.98 ? -1 : 0 }

function add(m) {
	if (!(m in n))
		name[++names] = m
	error[m, n[m]++] = (d = log($estimate / $replayed)) < 0 ? -d : d
	same[m] += sign($estimate) == sign($replayed)
	opposite[m] += sign($estimate) * sign($replayed) < 0
}

# The q-th part of the errors of m, the lower of two: the list is sorted in place.
function quantile(m, q,    i, j, x) {
	for (i = 1; i < n[m]; i++) {
		x = error[m, i]
		for (j = i; j > 0 && error[m, j - 1] > x; j--)
			error[m, j] = error[m, j - 1]
		error[m, j] = x
	}
	return 100 * (exp(error[m, int(q * (n[m] - 1))]) - 1)
}

END {
	printf "%-12s %6s %8s %8s %10s %9s\n", "", "pairs", "median", "decile 9", "same sign", "opposite"
	for (i = 1; i <= names; i++)
		printf "%-12s %6d %6.1f %% %6.1f %% %8.1f %% %7.1f %%\n", name[i], n[name[i]], quantile(name[i], 0.5),
			quantile(name[i], 0.9), 100 * same[name[i]] / n[name[i]], 100 * opposite[name[i]] / n[name[i]]
}
