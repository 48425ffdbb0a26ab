# compare.awk -v paper=NAME published.tsv results/NAME.tsv [gates.tsv]: published items beside ours, as lines of text. First
# the gates that were measured. Then, of programs that have results of size paper, per application where at least five have the
# item, then single ones, then means. "=" where ours is as published says, "x" where it is not; numbers are compared by rank
# (Spearman, ties averaged). A ratio is that of replays where both systems were replayed, and is marked "r" then, or "s" of a
# sample, whose ratio comes with half of its range. Counts are of the applications whose gate passes (doc/validation.md), of
# those that the paper says are unaffected ("0"), which need none, and of all; rank correlations are of the first two together,
# and of all. A mean is that of the programs whose gate passes, then that of all, and says how many of those are ratios of replays.
BEGIN { FS = "\t" }
FNR == 1 { file++ }
/^#/ { next }
FILENAME ~ /gates\.tsv$/ { if ($1 == paper) { gate[$2] = $7; gated[$2] = sprintf("%8.1f %7s %8s %8s", $3 / 1e6, $4, $5, $6) } next }
file == 1 && $1 == "app" && $2 == paper { app[++apps] = $3; workload[$3] = $4; group[$3] = $5 }
file == 1 && $1 == "item" && $2 == paper {
	item[++items] = $3; system_of[items] = $4; against[items] = $5; metric[items] = $6; want[items] = $7; fact[items] = $8
	key[items] = $4 SUBSEP $5 SUBSEP $6
	if ($3 !~ /^@/ && ++count[key[items]] == 1) column_of[++seen] = key[items]
}
file == 2 { value[$1, $3, $2] = $4; found[$1] = 1; if ($2 == "size") size[$1] = $4 }

# Metrics of the pass, and what a system's own replay counts in their place.
BEGIN { own["mem_inst_miss_rate"] = "l1_sent_inst_rate"; own["l1_request_mpki"] = "l1_sent_mpki"; own["traffic_l1_to_l2_bytes"] = "l1_sent_bytes" }
# The SMs that a system leaves to the program at its best, and its speed-up, come from replays where all that is needed was replayed.
function replayed(w, s, m) {
	if (m == "compute_sms") return (w, s, "setting@replay") in value ? value[w, s, "setting@replay"] : \
		(w, s, "speedup@replay") in value ? value[w, "-", "sms"] : ""
	return value[w, s, (m in own ? own[m] : m) "@replay"]
}
# Half of the 90 % range of a ratio of sampled replays, in its logarithm: each system's is over the GPU as configured. "": nothing was left out.
function half_of(w, s, other,   a, b) {
	a = value[w, s, "speedup_half@replay"]
	b = other == "-" ? "" : value[w, other, "speedup_half@replay"]
	return a + 0 == 0 && b + 0 == 0 && a b !~ /NA/ ? "" : a == "NA" || b == "NA" ? "NA" : sqrt(a * a + b * b)
}
# Metric of a system, over that of another where one is named. Sets by_replay, half, and sampled.
function ours(w, i,   a, b) {
	half = half_of(w, system_of[i], against[i])
	sampled = half != ""
	if (metric[i] != "speedup") half = ""
	a = replayed(w, system_of[i], metric[i])
	b = against[i] == "-" ? 1 : replayed(w, against[i], metric[i])
	by_replay = a != "" && b != "" && b + 0 > 0
	if (by_replay) return a / b
	a = value[w, system_of[i], metric[i]]
	if (a == "" || a == "NA") return "NA"
	if (against[i] == "-") return a + 0
	b = value[w, against[i], metric[i]]
	return b == "" || b == "NA" || b + 0 == 0 ? "NA" : a / b
}
function is_number(s) { return s ~ /^[0-9.]+$/ && s != "0" }
function holds(s, x) {
	return s == "+" ? x > 1.02 : s == "-" ? x < 0.98 : s == "0" ? x >= 0.98 && x <= 1.02 : \
		s == ">" ? x > 1 : s == ">=" ? x >= 0.995 : x < 1
}
function mark(s, x) { return x == "NA" || is_number(s) ? " " : holds(s, x) ? "=" : "x" }
function level(s) { return is_number(s) ? s + 0 : s == "+" || s == ">" || s == ">=" ? 1 : s == "-" ? -1 : 0 }
function shown(x) { return x == "NA" ? "NA" : sprintf("%.3f", x) }
function title(k,   p) { split(k, p, SUBSEP); return p[1] (p[2] == "-" ? "" : "/" p[2]) " " p[3] }

# Spearman's coefficient of a[1..n] and b[1..n], or "-" where one of them does not vary.
function ranks(a, n, r,   i, j, below, same) {
	for (i = 1; i <= n; i++) {
		below = same = 0
		for (j = 1; j <= n; j++) { below += a[j] < a[i]; same += a[j] == a[i] }
		r[i] = below + (same + 1) / 2
	}
}
function spearman(a, b, n,   ra, rb, i, m, sa, sb, sab) {
	ranks(a, n, ra); ranks(b, n, rb)
	m = (n + 1) / 2
	for (i = 1; i <= n; i++) { sa += (ra[i] - m) ^ 2; sb += (rb[i] - m) ^ 2; sab += (ra[i] - m) * (rb[i] - m) }
	return sa == 0 || sb == 0 ? "-" : sprintf("%+.2f", sab / sqrt(sa * sb))
}

function passes(k) { return workload[app[k]] in gate ? gate[workload[app[k]]] : "-" }

# What replays without the mechanism say of the programs; doc/validation.md says what the two figures are.
function gates(   k, w, n, pass, without, unmeasured) {
	for (k = 1; k <= apps; k++) n += workload[app[k]] in gate
	if (n == 0) return
	printf "%-21s%8s %7s %8s %8s  gate\n", "application", "M insts", "waves", "first", "second"
	for (k = 1; k <= apps; k++) {
		w = workload[app[k]]
		if (w in gate) {
			printf "%-21s%s  %s\n", app[k], gated[w], gate[w]
			pass += gate[w] == "yes"
		} else unmeasured = unmeasured (unmeasured == "" ? "" : ", ") app[k]
		if (!(w in measured)) without = without (without == "" ? "" : ", ") app[k]
	}
	print ""
	printf "%d of %d gates measured are passed\n", pass, n
	if (unmeasured != "") listed("gate not measured: " unmeasured)
	if (without != "") listed("no estimates and no replays yet: " without)
	print ""
}
# Prints text in lines of at most 78 columns, cut at blanks.
function listed(s,   cut) {
	while (length(s) > 78) {
		for (cut = 78; cut > 1 && substr(s, cut, 1) != " "; cut--);
		print substr(s, 1, cut - 1)
		s = "  " substr(s, cut + 1)
	}
	print s
}
function table(   c, k, i, n, m, x, line, a, b, a_fit, b_fit, agree, told, ranges) {
	line = sprintf("%-21s%4s %-5s", "application", "SMs", "gate")
	for (c = 1; c <= columns; c++) line = line sprintf("  %-17s", "(" c ")")
	print line
	for (k = 1; k <= apps; k++) {
		if (!(workload[app[k]] in measured)) continue
		line = sprintf("%-21s%4s %-5s", app[k], value[workload[app[k]], "-", "sms"], passes(k))
		for (c = 1; c <= columns; c++) {
			i = at[column[c], app[k]]
			if (i == "") { line = line sprintf("  %-17s", ""); continue }
			x = ours(workload[app[k]], i)
			line = line sprintf("  %5s %7s %s%s ", want[i], shown(x), mark(want[i], x), !by_replay ? " " : sampled ? "s" : "r")
			if (by_replay && half != "") ranges = ranges (ranges == "" ? "" : ", ") sprintf("%s (%d) %.3f +- %s", app[k], c, x, half == "NA" ? "NA" : sprintf("%.3f", x * half))
		}
		sub(/ +$/, "", line)
		print line
	}
	print ""
	if (ranges != "") { listed("of samples, 90 %: " ranges); print "" }
	for (c = 1; c <= columns; c++) {
		n = m = agree = told = passed_agree = passed_told = free_agree = free_told = 0
		for (k = 1; k <= apps; k++) {
			i = at[column[c], app[k]]
			x = i == "" ? "NA" : ours(workload[app[k]], i)
			if (x == "NA" || !(workload[app[k]] in measured)) continue
			a[++n] = level(want[i]); b[n] = x
			if (passes(k) == "yes" || want[i] == "0") { a_fit[++m] = a[n]; b_fit[m] = x }
			if (is_number(want[i])) continue
			told++
			agree += holds(want[i], x)
			if (passes(k) == "yes") {
				passed_told++
				passed_agree += holds(want[i], x)
			} else if (want[i] == "0") {
				free_told++
				free_agree += holds(want[i], x)
			}
		}
		printf "(%d) %s:", c, title(column[c])
		if (passed_told) printf " %d of %d that pass the gate agree,", passed_agree, passed_told
		if (free_told) printf " %d of %d that need none agree,", free_agree, free_told
		if (told) printf " %d of %d agree,", agree, told
		printf " rank correlation"
		if (m > 2 && m < n) printf " %s over %d that pass the gate or need none,", spearman(a_fit, b_fit, m), m
		printf " %s over %d\n", spearman(a, b, n), n
	}
}
function single(i, passing, x, name, over) {
	if (x == "NA") return
	if (!headed++) printf "%-21s %-42s %6s %7s %7s\n", "", "", "paper", "passing", "all"
	printf "%-21s %-42s %6s %7s %7s %s  %s%s\n", name, title(key[i]), want[i], passing == "NA" ? "-" : shown(passing), shown(x), mark(want[i], x), fact[i], over
}
# Over the programs whose gate passes, or all. Sets programs, and how many of them were replayed.
function mean(i, passing,   k, g, x, n, s) {
	g = substr(item[i], 2)
	programs = replays = 0
	for (k = 1; k <= apps; k++) {
		if ((g != "*" && group[app[k]] != g) || (passing && passes(k) != "yes")) continue
		x = workload[app[k]] in measured ? ours(workload[app[k]], i) : "NA"
		if (x == "NA" || (against[i] != "-" && x <= 0)) continue
		n++
		replays += by_replay
		s += against[i] == "-" ? x : log(x)
	}
	programs = n + 0
	return n == 0 ? "NA" : against[i] == "-" ? s / n : exp(s / n)
}
# A mean with its programs: how many pass and how many there are, and of all how many are ratios of replays.
function mean_line(i,   passing, passed, x) {
	passing = mean(i, 1)
	passed = programs
	x = mean(i, 0)
	single(i, passing, x, item[i] == "@*" ? "mean" : "mean " substr(item[i], 2), ", " (passed == programs ? "" : passed " of ") \
		programs (programs == 1 ? " program" : " programs") (replays == 0 ? "" : replays == programs ? ", replayed" : ", " replays " replayed"))
}

END {
	for (k = 1; k <= seen; k++) if (count[column_of[k]] >= 5) column[++columns] = column_of[k]
	for (i = 1; i <= items; i++) at[key[i], item[i]] = i
	for (k = 1; k <= apps; k++) number[app[k]] = k
	for (w in found) if (size[w] == "paper" || size[w] == "") measured[w] = 1
	gates()
	for (k = 1; k <= apps; k++) any += workload[app[k]] in measured
	if (!any) exit
	table()
	print ""
	for (i = 1; i <= items; i++)
		if (item[i] !~ /^@/ && count[key[i]] < 5 && workload[item[i]] in measured) {
			x = ours(workload[item[i]], i)
			single(i, passes(number[item[i]]) == "yes" ? x : "NA", x, item[i])
		}
	for (i = 1; i <= items; i++) if (item[i] ~ /^@/) mean_line(i)
}
