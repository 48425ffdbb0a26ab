# summary.awk: what verdicts.tsv adds up to, for people.
#   awk -f summary.awk [-v long=1] verdicts.tsv
# "but full" leaves out what a full replay of the judged system decided: the range of such a verdict, which tells how far replays
# are from the simulator that they follow, is around the very number that it is held against here.
# long: also every wrong verdict and every reason of an unknown one (column 13).
BEGIN { FS = "\t" }
/^#/ { next }

{ pairs++; count["all", $4]++; count[$3, $4]++; count[$2, $4]++; count[$8, $4]++ }
!($3 in is_mechanism) { is_mechanism[$3] = 1; mechanism[++mechanisms] = $3 }
!($2 in is_gpu) { is_gpu[$2] = 1; gpu[++gpus] = $2 }
!($8 in is_step) { is_step[$8] = 1; step[++steps] = $8 }

# Who ranges over: all, this mechanism, this GPU, this step.
function each_group(what,    g) {
	split("all" FS $3 FS $2 FS $8 ($8 == "full" ? "" : FS "but full"), group)
	for (g = 1; g in group; g++)
		n[group[g], what]++
}

{ each_group("pairs") }
$4 == "unknown" || $4 == "-" {
	each_group("unknown")
	reason = $13
	gsub(/[0-9]+(\.[0-9]+)?/, "N", reason)
	sub(/.*; /, "", reason)
	unknown[$3 ": " reason]++
}
$11 == "-" { each_group("unmeasured") }
$11 != "-" {
	matrix["all", $4, $11]++
	matrix[$3, $4, $11]++
	if ($6 != "-" && $7 != "-") {
		each_group("ranged")
		if ($6 <= $9 && $9 <= $7)
			each_group("held")
	}
}
$12 == "yes" || $12 == "no" { each_group("decided") }
$12 == "yes" { each_group("right") }
$12 == "no" {
	if (($4 == "benefits" && $11 == "hurts") || ($4 == "hurts" && $11 == "benefits"))
		each_group("opposite")
	wrong[++wrongs] = $0
}

function share(a, b) { return b ? sprintf("%5.1f %%", 100 * a / b) : "     - " }

function row(g) {
	printf "%-14s %6d %9s %9s %8d %9s %6d\n", g, n[g, "pairs"], share(n[g, "unknown"], n[g, "pairs"]),
		share(n[g, "right"], n[g, "decided"]), n[g, "opposite"], share(n[g, "held"], n[g, "ranged"]), n[g, "unmeasured"]
}

function print_matrix(g,    i, j, v, w) {
	split("benefits neutral hurts unknown", v, " ")
	split("benefits neutral hurts", w, " ")
	printf "\n%-14s %9s %9s %9s  (replayed)\n", g, w[1], w[2], w[3]
	for (i = 1; i <= 4; i++) {
		printf "%14s", v[i]
		for (j = 1; j <= 3; j++)
			printf " %9d", matrix[g, v[i], w[j]]
		print ""
	}
}

function print_ranked(list, most,    k, best, i) {
	for (i = 0; i < most; i++) {
		best = ""
		for (k in list)
			if (best == "" || list[k] > list[best] || (list[k] == list[best] && k < best))
				best = k
		if (best == "")
			return
		printf "%5d  %s\n", list[best], best
		delete list[best]
	}
}

END {
	printf "%-14s %6s %9s %9s %8s %9s %6s\n", "", "pairs", "unknown", "right", "opposite", "in range", "no truth"
	row("all")
	row("but full")
	for (i = 1; i <= mechanisms; i++)
		row(mechanism[i])
	for (i = 1; i <= gpus; i++)
		row(gpu[i])
	for (i = 1; i <= steps; i++)
		row(step[i])
	print_matrix("all")
	for (i = 1; i <= mechanisms; i++)
		print_matrix(mechanism[i])
	if (!long)
		exit
	print "\nunknown, by reason:"
	print_ranked(unknown, 40)
	print "\nwrong: workload gpu mechanism verdict speedup low high decided_by replayed alternative_replayed word reason"
	for (i = 1; i <= wrongs; i++) {
		split(wrong[i], f, FS)
		printf "%s %s %s %s %s (%s..%s) by %s, replayed %s, alternative %s: %s; %s\n", f[1], f[2], f[3], f[4], f[5], f[6],
			f[7], f[8], f[9], f[10], f[11], f[13]
	}
}
