# paired.awk: what one way of telling speed-ups is off by another: awk -f paired.awk [-v by=gpu] quick.tsv
# Columns: workload, gpu, system, speed-up by the way that is judged, speed-up by the other. Of each system and of all: nine in ten
# of the differences of the logarithms where the first moves by less than 3 % (floor), and over its logarithm where it moves by
# more (share), in percent. Rows in which neither moves, by less than a thousandth, are counted apart: they tell nothing.
BEGIN { FS = "\t" }
/^#/ { next }
function size(x) { return x < 0 ? -x : x }
function add(g) {
	if (!(g in seen)) { seen[g] = 1; group[++groups] = g }
	if (moved < 0.001 && size(log($5)) < 0.001) { still[g]++; return }
	if (moved < 0.03) floor[g, ++floors[g]] = off
	else share[g, ++shares[g]] = off / moved
}
{ off = size(log($4 / $5)); moved = size(log($4)); add("all"); add($3) }
function decile(list, g, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = list[g, i]
		for (j = i - 1; j >= 1 && list[g, j] > x; j--) list[g, j + 1] = list[g, j]
		list[g, j + 1] = x
	}
	return n ? sprintf("%8.2f", 100 * list[g, int(0.9 * n + 0.999999)]) : "       -"
}
END {
	printf "%-20s %6s %8s %6s %8s %6s\n", "", "still", "floor %", "rows", "share %", "rows"
	for (i = 1; i <= groups; i++) {
		g = group[i]
		printf "%-20s %6d %s %6d %s %6d\n", g, still[g], decile(floor, g, floors[g]), floors[g], decile(share, g, shares[g]), shares[g]
	}
}
