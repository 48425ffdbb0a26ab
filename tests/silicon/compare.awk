# Ours beside a board's and published simulators' figures: awk -f compare.awk BOARD ROWS; ROWS are those of `measure` with
# program and half in front of them. Rows go to the file `out`, means to standard output; exit 1: past the goals.
# Launches of a name are averaged to a kernel, errors of kernels to a program, those of programs to the mean: of rows that pass
# the gate (open), of all, and of those of each half that pass it.

# A file's header: column of each name.
function header(c, shift,    i) { for (i = 1 + shift; i <= NF; i++) c[$i] = i }
function abs(x) { return x < 0 ? -x : x }
function value(x) { return x == "" || x == "-" || x == "NA" ? "NA" : x + 0 }

BEGIN {
	FS = OFS = "\t"
	n = split("gpu_cycles l1_hit l1_hit_read l2_hit l2_read_sectors l2_write_sectors dram_sectors warp_insts", metric, " ")
	split("cycles % % % sectors sectors sectors insts", unit, " ")
	split("accelsim hyfiss ppt", peer, " ")
	suffix["gpu_cycles"] = "cycles"; suffix["l1_hit"] = "l1_hit"; suffix["l2_hit"] = "l2_hit"
	points["l1_hit"] = points["l1_hit_read"] = points["l2_hit"] = 1
	goal["gpu_cycles"] = 10; goal["l1_hit"] = 1.5; goal["l2_hit"] = 4; goal["l2_read_sectors"] = 5; goal["dram_sectors"] = 6
	print "program", "kernel", "launch", "metric", "unit", "silicon", "ours", "accelsim", "hyfiss", "ppt", "gate" >out
}
FNR == 1 { file++ }
file == 1 && FNR == 1 { header(b, 0); next }
file == 1 { for (k in b) board[$b["app"], $b["kernel_id"], k] = $b[k]; known[$b["app"], $b["kernel_id"]] = 1; next }
FNR == 1 { header(o, 0); next }
!(($o["program"], $o["launch"]) in known) { next }
{
	p = $o["program"]; k = p SUBSEP $o["kernel"]; l = p SUBSEP $o["launch"]
	open = $o["gld_req"] == board[l, "gld_req"] && $o["gst_req"] == board[l, "gst_req"] && \
		abs($o["warp_insts"] / board[l, "warp_insts"] - 1) <= 0.1
	if (!(k in launches)) { order[++kernels] = k; of[k] = p; gate[k] = 1 }
	half[p] = $o["half"]
	launches[k]++; gate[k] = gate[k] && open
	for (i = 1; i <= n; i++) {
		m = metric[i]; sum[k, m, "ours"] += $o[m]; sum[k, m, "silicon"] += board[l, m]
		line = p OFS $o["kernel"] OFS $o["launch"] OFS m OFS unit[i] OFS board[l, m] OFS $o[m]
		for (j = 1; j <= 3; j++) {
			v = m in suffix ? value(board[l, peer[j] "_" suffix[m]]) : "NA"
			if (v == "NA") lacks[k, m, peer[j]] = 1
			sum[k, m, peer[j]] += v
			line = line OFS v
		}
		print line, open ? "open" : "closed" >out
	}
}

# Adds the kernel's error in the metric, if it has one, to its program's.
function add(k, m, who, which,    e) {
	if (((k, m, who) in lacks) || sum[k, m, "silicon"] == 0) return
	e = abs(m in points ? (sum[k, m, who] - sum[k, m, "silicon"]) / launches[k] \
		: 100 * (sum[k, m, who] / sum[k, m, "silicon"] - 1))
	error[of[k], m, who, which] += e; count[of[k], m, who, which]++
	each[m, who, which] += e; eachn[m, who, which]++
}
function mean(m, who, which,    p, s, c) {
	for (p in programs) if (count[p, m, who, which]) { s += error[p, m, who, which] / count[p, m, who, which]; c++ }
	return c ? sprintf("%.1f", s / c) : "-"
}
function per_kernel(m, who, which) { return eachn[m, who, which] ? sprintf("%.1f", each[m, who, which] / eachn[m, who, which]) : "-" }

END {
	split("ours accelsim hyfiss ppt", who, " ")
	print "program", "kernel", "launches", "gate", "insts_%", "cycles_%", "accelsim_%", "l1_hit", "l2_hit", "l2_read_%", "dram_%"
	for (i = 1; i <= kernels; i++) {
		k = order[i]; programs[of[k]] = 1; opened += gate[k]
		if (gate[k]) passes[of[k]] = 1
		for (j = 1; j <= n; j++) for (w = 1; w <= 4; w++) {
			add(k, metric[j], who[w], "all")
			if (gate[k]) add(k, metric[j], who[w], "open")
			if (gate[k]) add(k, metric[j], who[w], half[of[k]])
		}
		split(k, part, SUBSEP)
		line = part[1] OFS part[2] OFS launches[k] OFS (gate[k] ? "open" : "closed")
		line = line OFS off(k, "warp_insts", "ours") OFS off(k, "gpu_cycles", "ours") OFS off(k, "gpu_cycles", "accelsim")
		print line, off(k, "l1_hit", "ours"), off(k, "l2_hit", "ours"), off(k, "l2_read_sectors", "ours"), off(k, "dram_sectors", "ours")
	}
	for (p in passes) good++
	for (p in programs) all++
	printf "gate: %d of %d programs, %d of %d kernels\n", good, all, opened, kernels
	print "mean", "rows", "ours", "accelsim", "hyfiss", "ppt", "goal"
	split("open all fit out", which, " ")
	for (j = 1; j <= n; j++) for (r = 1; r <= 4; r++) {
		rows = which[r]; m = metric[j]; line = m OFS rows
		for (w = 1; w <= 4; w++) line = line OFS mean(m, who[w], rows)
		print line, m in goal ? goal[m] : "-"
		if (r == 1 && m in goal && mean(m, "ours", rows) + 0 > goal[m]) bad = 1
		if (m == "gpu_cycles") {
			line = m " per kernel" OFS rows
			for (w = 1; w <= 4; w++) line = line OFS per_kernel(m, who[w], rows)
			print line, 13
			if (r == 1 && per_kernel(m, "ours", rows) + 0 > 13) bad = 1
		}
	}
	if (bad || opened < 0.8 * kernels || good < 14) { print "past the goals"; exit 1 }
}
function off(k, m, w) {
	if (((k, m, w) in lacks) || sum[k, m, "silicon"] == 0) return "-"
	return sprintf("%+.1f", m in points ? (sum[k, m, w] - sum[k, m, "silicon"]) / launches[k] : 100 * (sum[k, m, w] / sum[k, m, "silicon"] - 1))
}
