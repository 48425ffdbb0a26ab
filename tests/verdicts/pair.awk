# pair.awk: the verdicts on one workload and GPU beside what replays of it say.
#   awk -v workload=W -v gpu=G -v mechanisms=LIST -f pair.awk part=truth TRUTH part=ours OURS
# TRUTH holds lines of tests/verdicts/truth.c, OURS the TV records of triage and the ES records of its estimates. Prints a line of verdicts.tsv for each
# mechanism of the comma-separated list, behind it the reason and what was estimated without replays. What is missing is "-".
BEGIN { FS = OFS = "\t" }

function or_dash(x) { return x == "" || x == "NA" ? "-" : x }

# The fewest cycles over the settings of a system. A system that may be set also may be left off.
function keep_best(table, key, setting, cycles)
{
	if (setting != 0 && !(key in table))
		table[key] = configured
	if (!(key in table) || cycles < table[key])
		table[key] = cycles
}

part == "truth" && $1 == "sms" { sms = $2; next }
part == "truth" && (NF < 6 || $5 != "full" || !($6 > 0) || $6 == "inf") { next }
part == "truth" && $2 == "configured" && $1 == "-" { configured = $6; next }
part == "truth" && $2 == "configured" { stands_for_it[$1] = $6; next }
part == "truth" {
	if ($2 == "judged") {
		keep_best(judged, $1, $4, $6)
		judged_system[$1] = $3
	} else {
		keep_best(other, $1 SUBSEP $3, $4, $6)
		if (!(($1, $3) in seen)) {
			seen[$1, $3] = 1
			others[$1] = others[$1] $3 OFS
		}
	}
	next
}

part == "ours" && $1 == "ES" && ($8 == "analytic" || $8 == "replay") { estimate[$3, $4] = $6 }
part == "ours" && $1 == "TV" {
	word[$3] = $4; speedup[$3] = $5; low[$3] = $6; high[$3] = $7; reason[$3] = $8
	by[$3] = $12; used[$3] = $13
}

function replayed_word(own, alternative)
{
	if (own < 0.98)
		return "hurts"
	if (own > 1.02 && (alternative == "-" || own / alternative > 1.02))
		return "benefits"
	return "neutral"
}

function line(m,    base, own, best, n, i, name, truth, agrees, mine)
{
	base = m in stands_for_it ? stands_for_it[m] : configured
	own = truth = agrees = best = "-"
	mine = or_dash(word[m])
	if (sms > 0 && used[m] > 0 && sms != used[m])
		reason[m] = "replayed on " sms " SMs, judged on " used[m] ": " reason[m]
	else if (base > 0 && judged[m] > 0) {
		own = base / judged[m]
		n = split(others[m], name, OFS)
		for (i = 1; i < n; i++)
			if (best == "-" || base / other[m, name[i]] > best)
				best = base / other[m, name[i]]
		truth = replayed_word(own, best)
		if (mine != "-" && mine != "unknown")
			agrees = mine == truth ? "yes" : "no"
	}
	print workload, gpu, m, mine, or_dash(speedup[m]), or_dash(low[m]), or_dash(high[m]), or_dash(by[m]),
		own == "-" ? own : sprintf("%.4g", own), best == "-" ? best : sprintf("%.4g", best), truth, agrees, reason[m],
		or_dash(estimate[m, judged_system[m]])
}

END {
	n = split(mechanisms, list, ",")
	for (i = 1; i <= n; i++)
		line(list[i])
}
