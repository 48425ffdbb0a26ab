# How far a board's kernels are from ours, as tools/common/board.c has it, and how many programs that are left out lie within what
# the others say: awk -f intervals.awk silicon.tsv, the rows that compare.awk writes.
# A kernel's residual is the board's mean over ours (cycles, in %), or their difference (hit rates, in points); the interval is
# from the least to the most of them. Programs weigh the same in what is covered.

BEGIN { FS = OFS = "\t"; split("gpu_cycles l1_hit l2_hit", metric, " "); split("cycles|L1 hit rate|L2 hit rate", name, "|") }
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	k = $at["program"] SUBSEP $at["kernel"]; m = $at["metric"]
	if (!(k in of)) { order[++n] = k; of[k] = $at["program"] }
	board[k, m] += $at["silicon"]; ours[k, m] += $at["ours"]; launches[k, m]++
	if ($at["gate"] != "open") closed[k] = 1
}

# The residuals of the kernels of the class, without those of one program: their range in low and high.
function range(class, m, without,    i, k, r) {
	low = high = ""
	for (i = 1; i <= n; i++) {
		k = order[i]
		if (of[k] == without || (class == "open" && k in closed)) continue
		r = residual[k, m]
		if (low == "" || r < low) low = r
		if (high == "" || r > high) high = r
	}
}
function covered(class, m,    i, k, p, s, c, inside, of_all) {
	for (i = 1; i <= n; i++) {
		k = order[i]
		if (class == "open" && k in closed) continue
		range(class, m, of[k])
		of_all[of[k]]++
		inside[of[k]] += residual[k, m] >= low && residual[k, m] <= high
	}
	for (p in of_all) { s += inside[p] / of_all[p]; c++ }
	programs = c
	return s / c
}

END {
	for (i = 1; i <= n; i++) for (j = 1; j <= 3; j++) {
		k = order[i]; m = metric[j]
		residual[k, m] = j == 1 ? 100 * (board[k, m] / ours[k, m] - 1) : (board[k, m] - ours[k, m]) / launches[k, m]
	}
	print "class", "metric", "low", "high", "unit", "programs", "covered_%"
	for (c = 1; c <= 2; c++) for (j = 1; j <= 3; j++) {
		class = c == 1 ? "open" : "all"
		share = covered(class, metric[j])
		range(class, metric[j], "")
		print class, name[j], sprintf("%+.1f", low), sprintf("%+.1f", high), j == 1 ? "%" : "points", programs, sprintf("%.0f", 100 * share)
	}
}
