#!/usr/bin/env bash
# NVBit mem_trace logs: the shared ones are read or refused as their README says.
. "$CT_ROOT/tests/golden/lib.sh"
info=$CT_BIN/traceinfo

# sn METRIC: of all launches, from standard input
sn() { awk -F'\t' -v m="$1" '$1=="SN" && $2=="all" && $3==m {print $4}'; }

shared_logs() {
	local d=$CT_SHARED/traces log=$CT_SHARED/traces/memtrace-values/mem_trace.txt.zst p
	p=$("$info" -O profile "$log" 2>"$TMPDIR/err")
	same "memtrace-values: 2 CTAs of 32 warps, 192 records" "(2,1,1) (1024,1,1) 64 192" \
		"$(awk -F'\t' '$1=="KN" {print $4,$5,$6,$7}' <<<"$p")"
	# 2048 floats in three arrays of 8192 bytes.
	same "memtrace-values: lines" 192 "$(sn distinct_lines <<<"$p")"
	same "and says what it lacks" 1 "$(grep -c 'memory instructions only' "$TMPDIR/err")"
	refuses "a torn last line" 1 'issue130-excerpt.txt:2: the file ends inside' "$info" -q \
		"$d/edge-cases/mem_trace-issue130-excerpt.txt"
	p=$("$info" -q --salvage -O profile "$d/edge-cases/mem_trace-issue130-excerpt.txt" 2>"$TMPDIR/err")
	same "--salvage: exit 1, the record before, marked" "1 1 1" \
		"$? $(sn warp_insts <<<"$p") $(sn truncated <<<"$p")"
	p=$("$info" -q -O profile "$d/edge-cases/mem_trace-issue66-launch-only.txt")
	same "a launch without records" "kernel_info 0" \
		"$(awk -F'\t' '$1=="KN" {print $3,$7}' <<<"$p")"
	refuses "the JSON form is refused by name" 2 'mem_trace.json:1: JSON' "$info" \
		"$d/memtrace-json/mem_trace.json"
	for tool in reuse mpki replicate; do
		check "$tool reads a log" "$CT_BIN/$tool" -q -O profile "$log"
	done
}

counts() {
	"$info" -q -O profile "$1" | awk -F'\t' '$1=="SN" && $2=="all" &&
		$3 ~ /^(warp_insts|thread_insts|mem_insts|global_|distinct_|address_)/ {print $3,$4}'
}

# A log is what the same accesses in Accel-Sim text are, but for what it lacks.
same_as_text() {
	local i
	{
		printf -- '-kernel name = f\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n'
		printf '#traces format\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 20\n'
		for i in $(seq 20); do
			printf '0 0 0 0 0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4\n' $((4096 + i * i * 96))
		done
		printf '#END_TB\n'
	} | sed 's/^0 0 0 0 //' >"$TMPDIR/k.traceg"
	{
		echo "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x1 - Kernel name f - grid launch id 1 -" \
			"grid size 1,1,1 - block size 32,1,1 - nregs 8 - shmem 0 - cuda stream id 0"
		for i in $(seq 20); do
			printf 'MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 5 - LDG.E - '
			for lane in $(seq 0 31); do
				printf '0x%016x ' $((4096 + i * i * 96 + 4 * lane))
			done
			echo
		done
	} >"$TMPDIR/log"
	sed -i 's/^-block dim.*/&\n-accelsim tracer version = 3/' "$TMPDIR/k.traceg"
	same "counts of a log and of the same text" "$(counts "$TMPDIR/k.traceg")" "$(counts "$TMPDIR/log")"
}

# Warps without an access are not in a log, and not lost: in no form of it.
same_in_any_form() {
	local f
	{
		echo "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x1 - Kernel name f - grid launch id 0 -" \
			"grid size 1,1,1 - block size 256,1,1 - nregs 32 - shmem 0 - cuda stream id 0"
		echo 'MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 3 - LDG.E - MREF: 0x0,0x7f0000'
	} >"$TMPDIR/few"
	"$CT_BIN/tracecat" -q "$TMPDIR/few" -o "$TMPDIR/few.ctz"
	"$CT_BIN/tracecat" -q -O accelsim "$TMPDIR/few" >"$TMPDIR/few.traceg"
	for f in few few.ctz few.traceg; do
		same "$f: one warp of eight" "0 1 0" "$("$info" -q -O profile "$TMPDIR/$f" >"$TMPDIR/p"; echo $? \
			"$(awk -F'\t' '$1=="SN" && $2=="all" && ($3=="warps" || $3=="absent_warps") {print $4}' "$TMPDIR/p")" | xargs)"
	done
}

same_as_text
same_in_any_form
needs_shared "shared NVBit logs" && shared_logs
finish
