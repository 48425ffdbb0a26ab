# One line per stream out of the rows of the locality benches (bench, case, metric, value,
# unit): what is measured of reuse distances, side by side. "-": was not measured.
BEGIN { FS = "\t"; best["avx512"] = 4; best["avx2"] = 3; best["popcnt"] = 2; best["portable"] = 1 }
$1 != "stack" && $1 != "sampled" && $1 != "sets" { next }
{
	n = split($2, part, "/")
	stream = part[1]
	v[$1, $2, $3] = $4
	if (!(stream in seen)) { seen[stream] = 1; order[++streams] = stream }
	# The best path that was measured.
	isa = part[n]
	if ($1 == "stack" && isa in best && best[isa] > best[top]) top = isa
	if ($1 == "sets" && isa in best && best[isa] > best[set_top]) set_top = isa
}
function get(key, form) { return key in v ? sprintf(form, v[key]) : "-" }
function stack(s, engine, metric, form) { return get("stack" SUBSEP s "/" engine SUBSEP metric, form) }
function sampled(s, rate, salts, metric, form) {
	return get("sampled" SUBSEP s "/rate" rate "/salts" salts SUBSEP metric, form)
}
function sets(s, shape) { return get("sets" SUBSEP s "/" shape "/" set_top SUBSEP "speed", "%.0f") }
END {
	if (!streams) exit
	printf "\nReuse distances: M accesses per CPU second of one thread, best path (exact: %s)\n", top
	form = "%-8s %7s %13s %6s %6s %6s %7s %7s %7s %7s %7s %7s %8s %8s %6s %6s\n"
	printf form, "", "exact", "spread", "x text", "x AVX2", "x SSE2", "B/line", "2 thr", "chunks", \
		".01", ".001", "4x.001", "err .01", "err.001", "sets", "sector"
	for (i = 1; i <= streams; i++) {
		s = order[i]
		low = stack(s, top, "speed_min", "%.1f")
		spread = low == "-" ? low : low ".." stack(s, top, "speed_max", "%.1f")
		printf form, s, stack(s, top, "speed", "%.1f"), spread, \
			stack(s, top, "over_textbook", "%.1f"), stack(s, "avx2", "over_textbook", "%.1f"), \
			stack(s, "popcnt", "over_textbook", "%.1f"), stack(s, top, "bytes_per_line", "%.1f"), \
			stack(s, "threads2", "over_one_thread_by_cpu", "%.2fx"), \
			stack(s, "chunks2", "over_one_thread_by_cpu", "%.2fx"), \
			sampled(s, "0.01", 1, "speed", "%.0f"), sampled(s, "0.001", 1, "speed", "%.0f"), \
			sampled(s, "0.001", 4, "speed", "%.0f"), \
			sampled(s, "0.01", 1, "mean_error", "%.4f"), sampled(s, "0.001", 1, "mean_error", "%.4f"), \
			sets(s, "lines"), sets(s, "sectors")
	}
}
