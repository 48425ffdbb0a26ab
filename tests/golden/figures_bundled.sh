# report --figure on the bundled workloads: one triage of fourteen of them, shared by the 41
# figures, each of which has finite rows for every workload, or tells on standard error which
# command makes them, and whose numbers obey the arithmetic of their paper. CT_WORKLOADS=all takes all.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
export PATH=$CT_RELEASE:$PATH
report() { "$CT_BIN/report" "$@"; }

all="vecadd nn hotspot gemm-tensor ray mri-q gemm streamcluster spmv lud particlefilter_float rnn spmv-csr scan"
[ "${CT_WORKLOADS:-}" = all ] && all=$(tracegen --list | awk '{ print $1 }')
swept="lud hotspot ray" # of these also what only a sweep or a timeline shows
mkdir traces
for w in $all; do tracegen -q "$w" --size small -o "traces/$w" >/dev/null || fail "tracegen $w"; done
check "triage of $(echo "$all" | wc -w) workloads" triage -q -@ 2 --scale 1/16 --resume run -o verdicts traces/*
n=$(ls run | wc -l)
same "a profile each" "$(echo "$all" | wc -w)" "$n"
for w in $swept; do
	p=$(ls run/$w-????????.profile)
	sharedl1-est -q --timeline --sweep l1.latency=8..64:8 "$p" | malekeh-est -q --studies --sweep sthld=0..16:8 |
		tsc-est -q --sweep private_bits=0..20:10 >more && tsc-est -q --sweep chunk=8..64 more >"$p" ||
		fail "sweeps of $w"
done

# figure ID PROGRAM: awk over the rows of ours, after checks that all figures share. The
# program says what is wrong with "bad(text)"; v[panel,x,series] has the values, has[panel,x,series]
# says that there is one.
figure() {
	local id=$1 out
	if ! report -v --figure "$id" run >rows 2>err; then
		fail "$id" "$(cat err)"
		return
	fi
	# "report: ID: NAME, NAME: what to do", as rows of their own
	sed "s/^report: $id: //" err | awk -F': ' '{ n = split($1, w, ", "); for (i = 1; i <= n; i++) print w[i] "\t" $2 }' >missing
	out=$(awk -F'\t' -v id="$id" -v all="$all" -v swept="$swept" '
		function bad(text) { if (!wrong++) print text }
		function near(a, b) { d = a - b; d = d < 0 ? -d : d; m = b < 0 ? -b : b; return d <= 2e-5 * (m > 1e-3 ? m : 1e-3) }
		function equal(what, a, b) { if (!near(a, b)) bad(what ": " a " is not " b) }
		function within(what, a, lo, hi) { if (!(a >= lo && a <= hi)) bad(what ": " a " is not in " lo ".." hi) }
		BEGIN { nw = split(all, work, " "); ns = split(swept, sw, " "); for (i in sw) is_swept[sw[i]] = 1 }
		FILENAME == "missing" { missing[$1] = 1; why[$1] = $2; n_missing++; next }
		FNR == 1 { next }
		NF != 8 || $1 != id { bad("line " NR); next }
		$8 == "paper" { next }
		$8 != "here" { bad("source " $8); next }
		$5 !~ /^-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?$/ { bad("not finite: " $0); next }
		{ v[$2, $3, $4] = $5; has[$2, $3, $4] = 1; seen[$3] = seen[$4] = 1; split($4, word, " "); seen[word[1]] = 1; x[++n] = $3; panel[n] = $2; series[n] = $4; y[n] = $5 }
		END {
			'"$2"'
			if (!n) bad("no rows")
		}' missing rows)
	same "$id" "" "$out"
}
# Every workload is an x, or a series, or said to be missing.
each='for (i = 1; i <= nw; i++) if (!seen[work[i]] && !missing[work[i]]) bad("nothing about " work[i]);'
full=$each' for (m in missing) bad("missing: " m);'
positive='for (i = 1; i <= n; i++) if (!(y[i] > 0)) bad(x[i] ", " series[i] ": " y[i]);'
share='for (i = 1; i <= n; i++) within(x[i] ", " series[i], y[i], 0, 1);'
stack='for (i = 1; i <= n; i++) sum[panel[i], x[i]] += y[i]; for (k in sum) equal("sum", sum[k], 1);'
sorted='for (i = 2; i <= n; i++) if (series[i] == series[i - 1] && panel[i] == panel[i - 1] && panel[i] != "a" && y[i] < y[i - 1]) bad("not sorted");'
# of_swept N: the swept have N points or more, the others one and the command that makes more.
of_swept='for (i = 1; i <= n; i++) { split(series[i], word, " "); points[panel[i], word[1]]++ }
	for (i = 1; i <= nw; i++) if (!is_swept[work[i]] && !missing[work[i]]) bad(work[i] ": no sweep, and no word of it");
	for (m in missing) if (is_swept[m]) bad(m " is missing");
	for (k in why) if (why[k] !~ /^(run [a-z0-9]+-est --|no workload passes)/) bad(why[k]);'

# ---- Morpheus ----
figure morpheus:1 "$full$positive"'
	for (i = 1; i <= n; i++) { if (!(series[i] in first)) { first[series[i]] = 1; equal("first of " series[i], y[i], 1) }; count[series[i]]++ }
	for (i = 1; i <= nw; i++) if (count[work[i]] != 5) bad(work[i] ": " count[work[i]] " points");'
figure morpheus:2 "$full"'
	for (i = 1; i <= nw; i++) { a = v["", work[i], "2x LLC"]; b = v["", work[i], "4x LLC"]; within("2x", a, 0.999, 4); within("4x", b, a * 0.999, 8) }
	within("mean", v["", "mean", "4x LLC"], 1, 8);'
figure morpheus:5 '
	for (i = 1; i <= n; i++) if (panel[i] == "segments") sum[x[i]] += y[i]; else total[x[i]] = y[i];
	for (k in total) if (!(total[k] > 0)) bad("total of " k);
	for (k in total) equal("total of " k, sum[k], total[k]);
	within("conventional miss", total["conventional miss"], 607.5, 608.5); within("extended miss", total["extended miss"], 772.5, 773.5);'
figure morpheus:11 "$positive"'
	for (i = 1; i <= n; i++) if (panel[i] ~ /^capacity/ && x[i] == 48 && series[i] == "registers") within("registers", y[i], 192, 256);
	if (n != 60) bad(n " rows");'
figure morpheus:12 "$full$positive"'
	t = "execution time"; for (i = 1; i <= nw; i++) { w = work[i];
		within(w ": IBL over BL", v[t, w, "IBL"], 0, 1.001); within(w ": a larger LLC", v[t, w, "IBL-4x-LLC"], 0, v[t, w, "IBL"] * 1.001);
		within(w ": perf/W", v["performance/watt", w, "IBL"], 0.2, 5) }
	for (s in has) { split(s, part, SUBSEP); if (part[2] == "mean" && part[1] == t) { g = 0; for (i = 1; i <= nw; i++) g += log(v[t, work[i], part[3]]); equal("mean of " part[3], v[s], exp(g / nw)) } }'
figure morpheus:13 "$full$positive"'
	for (i = 1; i <= nw; i++) { w = work[i]; b = v["over BL", w, "Bloom-Filter"];
		within(w ": perfect", v["over BL", w, "Perfect-Prediction"], 0, b * 1.001);
		within(w ": none", v["over BL", w, "No-Prediction"], b * 0.999, 100) }'
figure morpheus:table3 "$full"'
	for (i = 1; i <= nw; i++) { w = work[i];
		within(w ": IBL", v["", w, "IBL"], 1, 68); within(w ": ALL", v["", w, "Morpheus-ALL"], 1, 68);
		if (v["", w, "IBL"] != int(v["", w, "IBL"])) bad(w ": part of an SM") }'
figure morpheus:7.4 "$full$positive"'
	for (i = 1; i <= nw; i++) { w = work[i]; within(w ": misses", v["LLC MPKI", w, "Morpheus-ALL over IBL"], 0, 2);
		within(w ": network", v["network load", w, "Morpheus-ALL over BL"], 0.2, 20)
		# At the same share of cycles a heavier load waits longer, and no load less than none.
		more = v["network load", w, "Morpheus-ALL over BL"] > 1.001
		within(w ": latency", v["network latency", w, "Morpheus-ALL over BL"], more ? 1 : 0.5, more ? 50 : 1.001) }'

# ---- Shared L1 ----
figure shared-l1:1 "$full"'
	for (i = 1; i <= nw; i++) { w = work[i]; within(w, v["replication ratio", w, "Private"], 0, 1);
		within(w, v["L1 miss rate", w, "Private"], 0, 1); within(w ": a larger L1", v["IPC over Private", w, "16x-L1"], 0.95, 16) }'
# A shared L1 may miss more than private ones: its homes still wait for what a private L1 has
# had before (particlefilter_float; the replay counts the same).
figure shared-l1:2 "$full$positive"'
	for (i = 1; i <= nw; i++) within(work[i] ": misses", v["L1 miss rate", work[i], "Hypothetical"], 0, 3);
	within("a shared table", v["L1 miss rate", "gemm", "Hypothetical"], 0, 1);'
figure shared-l1:5 "$full$positive"'
	for (i = 1; i <= nw; i++) for (k = 1; k <= split("Shared,Shared+Chunk,Shared++", s, ","); k++) for (p = 1; p <= split("IPC,L1 miss rate,reply latency", q, ","); p++) if (!has[q[p], work[i], s[k]]) bad(work[i] ": no " q[p] " of " s[k]);'
cp rows sl5
figure shared-l1:6 "$full$share$stack"
figure shared-l1:7 "$full$positive"'
	while ((getline line <"sl5") > 0) { split(line, f, FS); if (f[2] == "IPC" && f[4] == "Shared++" && f[8] == "here" && f[3] != "mean") equal(f[3], v["", f[3], "Shared++"], f[5]) }'
figure shared-l1:9 "$full$positive"'
	for (i = 1; i <= nw; i++) { equal("Shared++ of both", v["a", work[i], "Shared++"], v["b", work[i], "Shared++"]); if (!has["b", work[i], "DynEB+L1MRpr"]) bad("DynEB") }'
figure shared-l1:10 "$full$positive"'
	for (i = 1; i <= nw; i++) { b = v["", work[i], "Best(Private,Shared++)"]; s = v["", work[i], "Shared++"]; equal(work[i] ": best", b, s > 1 ? s : 1) }'
figure shared-l1:11 "$positive$sorted"'
	if (n != 4 * nw) bad(n " points");
	while ((getline line <"sl5") > 0) { split(line, f, FS); if (f[2] == "IPC" && f[8] == "here" && f[3] != "mean") { b[f[4]] += f[5] } }
	for (i = 1; i <= n; i++) c[series[i]] += y[i]; for (s in b) equal("sum of " s, c[s], b[s]);'
figure shared-l1:12 "$full$positive"'
	for (i = 1; i <= nw; i++) { p = v["", work[i], "Private"]; within(work[i], p, 1, 5); within(work[i] ": shared", v["", work[i], "Shared++"], 0.99, p * 1.001) }'
figure shared-l1:13 "$full$positive"'
	while ((getline line <"sl5") > 0) { split(line, f, FS); if (f[2] == "L1 miss rate" && f[4] == "Shared++" && f[8] == "here") equal(f[3], v["", f[3], "Shared++"], f[5]) }'
figure shared-l1:14 "$of_swept"'
	for (i = 1; i <= n; i++) { if (y[i] != 0 && y[i] != 1 && y[i] != 2) bad("mode " y[i]); if (series[i] == series[i - 1] && x[i] + 0 < x[i - 1] + 0) bad("time goes back") }
	for (k in sw) if (!seen[sw[k]]) bad("no timeline of " sw[k]);'
figure shared-l1:15 "$of_swept$positive"'
	for (k in sw) { if (points["a: DynEB", sw[k]] != 8) bad(points["a: DynEB", sw[k]] " points of " sw[k]); if (!has["a: DynEB", 64, sw[k]]) bad("64") }
	for (i = 1; i <= n; i++) { b += panel[i] == "b"; if (panel[i] == "b" && x[i] !~ /^\(5,[0-9]+\)$/) bad(x[i]) } if (!b) bad("no panel b");'
figure shared-l1:16 "$full"'
	for (i = 1; i <= nw; i++) { within(work[i], v["private: rates", work[i], "L1 miss rate"], 0, 1); within(work[i], v["private: rates", work[i], "replication ratio"], 0, 1) }'
figure shared-l1:17 "$full$positive$sorted"'
	while ((getline line <"sl5") > 0) { split(line, f, FS); if (f[2] == "IPC" && f[4] == "Shared+Chunk" && f[8] == "here") equal(f[3], v["a", f[3], "Shared+Chunk"], f[5]) }'
figure shared-l1:18 "$positive"'
	for (i = 1; i <= n; i++) if (x[i] !~ /^\(5,[0-9]+\)$/ || series[i] !~ /, (SF|NS)$/) bad(x[i] " " series[i]); if (n != 2 && n != 4) bad(n " rows"); if (n == 2 && !n_missing) bad("a class without a word");'

# ---- Malekeh ----
figure malekeh:1 "$full$share"'
	for (i = 1; i <= n; i++) sum[series[i]] += y[i]; for (k in sum) equal("sum of " k, sum[k], 1);'
figure malekeh:2 "$positive"'
	for (i = 1; i <= nw; i++) { w = work[i]; if (!has["", w, "RFC, sub-core"]) bad(w);
		m = has["", w, "RFC, monolithic"]; if (is_swept[w] != m + 0) bad(w ": monolithic");
		if (!m && why[w] != "run malekeh-est --studies") bad(w ": " why[w]) }'
figure malekeh:7 "$of_swept"'
	for (k in sw) if (points["IPC", sw[k]] != 3 || points["hit ratio", sw[k]] != 3) bad("points of " sw[k]);
	for (i = 1; i <= n; i++) within(x[i], y[i], panel[i] == "IPC" ? 0.2 : 0, panel[i] == "IPC" ? 3 : 1);'
figure malekeh:10 "$full$share"'
	for (i = 1; i <= n; i++) sum[panel[i], x[i]] += y[i]; for (k in sum) within("states", sum[k], 0.05, 1.00001);'
figure malekeh:12 "$full$positive"'
	g = 0; for (i = 1; i <= nw; i++) g += log(v["", work[i], "BOW"]); equal("mean", v["", "mean", "BOW"], exp(g / nw));'
figure malekeh:13 "$full$share"'
	for (i = 1; i <= nw; i++) if (!has["", work[i], "Malekeh"] || !has["", work[i], "BOW"]) bad(work[i]);'
figure malekeh:14 "$full$share"
figure malekeh:15 "$full$positive"'
	for (i = 1; i <= nw; i++) within(work[i], v["", work[i], "Malekeh"], 0.2, 1.2);'
figure malekeh:16 "$full$share"
figure malekeh:17 "$full$share"'
	g = 0; for (i = 1; i <= nw; i++) g += v["", work[i], "GTO+LRU"];'

# ---- Tag-Split ----
figure tag-split:1 "$full$share$stack"
figure tag-split:2 "$full$positive"'
	for (i = 1; i <= nw; i++) equal(work[i] ": the baseline", v["", work[i], "128 B"], 1);'
cp rows ts2
figure tag-split:4 "$full$share"
figure tag-split:5 "$full$positive"
figure tag-split:9 "$of_swept$positive"'
	for (b = 0; b <= 20; b++) equal("storage of " b " bits", v["storage, bytes", b, "TSC"], 208 + 48 * b);
	for (k in sw) { if (points["IPC", sw[k]] != 3) bad("points of " sw[k]); g += log(v["IPC", 20, sw[k]]) }
	equal("mean", v["IPC", 20, "mean"], exp(g / ns));'
figure tag-split:10 "$full$positive"'
	for (i = 1; i <= nw; i++) { equal(work[i], v["a", work[i], "TSC"], v["b", work[i], "TSC"]); equal(work[i], v["a", work[i], "TSC+"], v["b", work[i], "TSC+"]) }
	while ((getline line <"ts2") > 0) { split(line, f, FS); if (f[4] == "32 B" && f[8] == "here") equal(f[3], v["a", f[3], "32 B"], f[5]) }'
cp rows ts10
figure tag-split:11 "$each$positive"'
	for (k in why) if (why[k] !~ /is 0$/) bad(why[k]);'
figure tag-split:12 "$each"'
	for (i = 1; i <= nw; i++) if (has["baseline", work[i], "L2 to L1"]) equal(work[i], v["baseline", work[i], "L2 to L1"], 1);'
figure tag-split:13 "$of_swept$positive"'
	for (k in sw) for (b = 8; b <= 64; b *= 2) if (!has["", sw[k], b " B"]) bad(sw[k] ": no " b " B");'
figure tag-split:table3 "$positive"'
	s = "storage, KB"; # 592 B for 16 KiB (reading storage-law); the L1 here has eight times the sets
	equal("TSC", v[s, "per L1", "TSC"], 8 * 592 / 1024);
	while ((getline line <"ts10") > 0) { split(line, f, FS); if (f[2] == "b" && f[8] == "here") equal(f[3] ", " f[4], v["speed-up", f[3], f[4]], f[5]) }'

same "all of them were tried" "$(report --list-figures | wc -l)" "$(grep -c '^figure [a-z]' "$CT_ROOT/tests/golden/figures_bundled.sh")"
finish
