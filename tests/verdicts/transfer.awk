# transfer.awk: how often verdicts on small scaled traces are those on large ones on the whole GPU.
#   awk -f transfer.awk transfer.tsv
BEGIN { FS = "\t"; split("benefits neutral hurts unknown", word, " ") }
/^#/ { next }
{
	matrix[$5, $6]++
	group[1] = "all"; group[2] = $3
	for (i = 1; i <= 2; i++) {
		pairs[group[i]]++
		unknown[group[i]] += $7 == "-"
		decided[group[i]] += $7 != "-"
		right[group[i]] += $7 == "yes"
		moving[group[i]] += $7 != "-" && $6 != "neutral"
		found[group[i]] += $7 == "yes" && $6 != "neutral"
		opposite[group[i]] += $5 $6 == "benefitshurts" || $5 $6 == "hurtsbenefits"
	}
	if (!($3 in seen)) {
		seen[$3] = 1
		mechanism[++mechanisms] = $3
	}
	if ($7 == "no")
		wrong[++wrongs] = sprintf("%s %s %s: small %s, %s %s", $1, $2, $3, $5, $4, $6)
}
function share(a, b) { return b ? sprintf("%5.1f %%", 100 * a / b) : "     - " }
function row(g) {
	printf "%-14s %6d %9s %9s %18s %8d\n", g, pairs[g], share(unknown[g], pairs[g]), share(right[g], decided[g]),
		share(found[g], moving[g]), opposite[g]
}
END {
	printf "%-14s %6s %9s %9s %18s %8s\n", "", "pairs", "unknown", "same word", "where not neutral", "opposite"
	row("all")
	for (i = 1; i <= mechanisms; i++)
		row(mechanism[i])
	printf "\n%-14s %9s %9s %9s %9s  (large, whole GPU)\n", "small", word[1], word[2], word[3], word[4]
	for (i = 1; i <= 4; i++) {
		printf "%-14s", word[i]
		for (j = 1; j <= 4; j++)
			printf " %9d", matrix[word[i], word[j]]
		print ""
	}
	for (i = 1; i <= wrongs; i++)
		print wrong[i]
}
