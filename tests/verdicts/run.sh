#!/bin/bash
# run.sh BUILD verdicts|truth|judge|join|transfer|table: holds the verdicts of triage against replays in full timing.
#
# verdicts: for each workload on each GPU what triage says by default, and what replays of the judged system, of the simpler
# systems that it has to beat and of the GPU as configured say (truth.c). Writes BUILD/verdicts.tsv, one line for each
# workload, GPU and mechanism, and prints BUILD/verdicts.txt: the confusion matrix, how often stated ranges hold the
# replayed speed-up, and each verdict that is wrong.
# truth: makes the replays alone. judge: the same as verdicts with the replays that are there. join: with what
# is there, measuring nothing.
# transfer: the words on the small traces beside those on large ones (medium where large takes too long) on the whole GPU:
# BUILD/transfer.tsv, BUILD/transfer.txt.
# table: copies the results of the last run into tests/verdicts/, with the reasons left out.
#
# Workloads: all bundled ones in size small, and the traces below $SHARED/traces-opencl where that folder is there.
# What was measured stays in OUT/verdicts/ and is not measured again: verdicts while triage, the GPU and the trace are
# the same, replays while the trace is. Replays that another GPU file or other sources of lib or models have made are
# counted as stale, and VERDICTS_FORGET=1 makes those anew. JOBS: how many run side by side (default 1). ONLY: workloads
# whose name contains that. GPUS: other GPUs. LIMIT: CPU seconds for a workload on a GPU, 600. OUT: where all this goes (default
# BUILD). OPTIONS: more options for triage. NO_SEARCHES=1: replays only systems without settings, which is faster; the
# rest comes in a later run.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
verb=${2:-verdicts}
here=tests/verdicts
SHARED=${SHARED:-../shared}
JOBS=${JOBS:-1} ONLY=${ONLY:-} LIMIT=${LIMIT:-600} VERDICTS_FORGET=${VERDICTS_FORGET:-}
GPUS=${GPUS:-rtx3080 sharedl1-28 fermi-15 rtx2060-third}
TRANSFER_GPUS=${TRANSFER_GPUS:-rtx3080}
OUT=${OUT:-$build}
keep=$OUT/verdicts
mkdir -p "$keep/traces" "$keep/truth" "$keep/ours" || exit 2
export LC_ALL=C build keep here LIMIT VERDICTS_FORGET

# The mechanisms that triage judges without being asked, in its own order.
mechanisms() { "$build/tests/truth" -m; }

digest() { cat "$@" | sha256sum | cut -c1-16; }
sources() { find lib models -name '*.[ch]' ! -path 'models/verdict/*' -print0 | sort -z | xargs -0 cat | sha256sum | cut -c1-16; }
trace_digest() { # PATH
	if [ -d "$1" ]; then (cd "$1" && find . -type f -print0 | sort -z | xargs -0 cat) | sha256sum | cut -c1-16
	else digest "$1"; fi
}

# Packs the bundled workloads; traces that come out the same keep their digest, and so what was measured on them.
make_traces() { # SIZE
	local w out
	for w in $("$build/bin/tracegen" --list | awk '{ print $1 }'); do
		out=$keep/traces/$w-$1.ctz
		[[ $w-$1 == *"$ONLY"* ]] || continue
		[ "$out" -nt "$build/bin/tracegen" ] && continue
		rm -rf "$keep/traces/.raw"
		nice -n 15 "$build/bin/tracegen" "$w" --size "$1" -q -o "$keep/traces/.raw" &&
			nice -n 15 "$build/bin/tracecat" -q --level 3 "$keep/traces/.raw" -o "$out" || return
	done
	rm -rf "$keep/traces/.raw"
}

# Lines NAME PATH DIGEST, the smallest trace first.
list_traces() { # SIZE...
	local f size
	for size; do
		for f in "$keep"/traces/*-"$size".ctz; do
			[ -e "$f" ] && echo "$(stat -c %s "$f") $(basename "$f" .ctz) $f $(trace_digest "$f")"
		done
	done | sort -n | cut -d' ' -f2-
	[ "$1" = small ] || return 0
	for f in "$SHARED"/traces-opencl/*/; do
		[ -e "$f" ] && echo "$(du -s "$f" | cut -f1) $(basename "$f") ${f%/} $(trace_digest "$f")"
	done | sort -n | cut -d' ' -f2-
}

# Replays what is missing of the truth about one workload and GPU.
measure_truth() { # NAME PATH TRACE_DIGEST GPU GPU_DIGEST SCALE
	local file=$keep/truth/$1@$4.tsv stamp="key	$3	$5	$sources	$6"
	if [ -e "$file" ]; then
		local old
		old=$(head -n 1 "$file")
		# Of another trace it is of no use; of another GPU file or other sources it stays unless those are to be forgotten.
		if [ "$(cut -f1-2,5 <<<"$old")" != "$(cut -f1-2,5 <<<"$stamp")" ]; then rm -f "$file"
		elif [ "$old" != "$stamp" ] && [ -n "$VERDICTS_FORGET" ]; then rm -f "$file"
		elif grep -q "^end	$sources" "$file"; then return; fi
	fi
	[ -e "$file" ] || echo "$stamp" >"$file"
	sed -i '/^end/d' "$file"
	(ulimit -t "$LIMIT"; exec nice -n 15 "$build/tests/truth" ${NO_SEARCHES:+-1} -s "$6" "$4" data "$2" "$file") 2>"$file.log"
	case $? in
	0) [ -n "${NO_SEARCHES:-}" ] || echo "end	$sources" >>"$file" ;;
	130 | 143) ;; # somebody stopped it: it goes on next time
	*) echo "end	$sources	failed	$(tail -n 1 "$file.log" | tr '\t' ' ')" >>"$file" ;;
	esac
	rm -f "$file.log"
}

# Asks triage, unless this triage has answered that already.
measure_ours() { # FOLDER NAME PATH TRACE_DIGEST GPU GPU_DIGEST OPTION...
	local file=$keep/$1/$2@$5.tsv path=$3 gpu=$5 stamp="key	$4	$6	$triage	${*:7}"
	[ -e "$file" ] && [ "$(head -n 1 "$file")" = "$stamp" ] && grep -q '^TV' "$file" && return
	echo "$stamp" >"$file.new"
	(
		ulimit -t "$LIMIT"
		TIMEFORMAT='cpu	%U'
		time nice -n 15 "$build/bin/triage" -q -g "$gpu" "${@:7}" -O profile "$path"
	) 2>&1 | grep -E '^(TV|cpu|triage|ES	all	[^	]*	[^	]*	speedup_configured)' >>"$file.new"
	mv "$file.new" "$file"
}

one() { # NAME PATH DIGEST GPU
	local gpu_digest
	gpu_digest=$("$build/bin/mpki" -g "$4" --print-gpu | sha256sum | cut -c1-16)
	case $verb in
	truth) measure_truth "$@" "$gpu_digest" auto ;;
	both) measure_truth "$@" "$gpu_digest" auto; measure_ours ours "$@" "$gpu_digest" ${OPTIONS:-} ;;
	ours) measure_ours ours "$@" "$gpu_digest" ${OPTIONS:-} ;;
	whole) measure_ours ours "$@" "$gpu_digest" --scale 1 ;;
	esac
	echo "verdicts: $verb: $1 on $4" >&2
}
export -f one measure_truth measure_ours digest

# Runs one of these for all workloads of the list on standard input and all GPUs: each workload on one GPU first, and on
# the others in later rounds, so that a campaign that is cut has seen them all.
each() { # VERB
	local verb=$1 triage sources
	triage=$(digest "$build/bin/triage")
	sources=$(sources)
	export verb triage sources
	awk -v only="$ONLY" -v gpus="$GPUS" '
		only == "" || index($1, only) { line[n++] = $0 }
		END {
			m = split(gpus, gpu, " ")
			for (round = 0; round < m; round++)
				for (i = 0; i < n; i++)
					print line[i], gpu[(i + round) % m + 1]
		}' | xargs -r -P "$JOBS" -L 1 bash -c 'one "$@"' _
}

# Lines of verdicts.tsv, of the list on standard input, with the records of triage that lie in that folder.
join() { # FOLDER
	local list
	list=$(mechanisms)
	printf '#%s\n' "workload gpu mechanism verdict speedup low high decided_by replayed alternative_replayed word agrees reason estimate" |
		tr ' ' '\t'
	while read -r name path sum; do
		for gpu in $GPUS; do
			local truth=$keep/truth/$name@$gpu.tsv ours=$keep/$1/$name@$gpu.tsv
			[[ $name == *"$ONLY"* ]] || continue
			[ -e "$truth" ] || truth=/dev/null
			if [ ! -e "$ours" ]; then
				[ $verb = join ] && continue
				ours=/dev/null
			fi
			awk -v workload="$name" -v gpu="$gpu" -v mechanisms="$list" -f $here/pair.awk part=truth "$truth" part=ours "$ours"
		done
	done
}

summarise() { # TSV TEXT
	awk -v long=1 -f $here/summary.awk "$1" >"$2"
	{
		echo
		echo "not replayed within $LIMIT CPU seconds, or failed:"
		grep -H '^end	[0-9a-f]*	failed' "$keep"/truth/*.tsv | sed "s,^$keep/truth/,,"
		echo "replays made by other sources: $(grep -L "^key	[^	]*	[^	]*	$(sources)" "$keep"/truth/*.tsv | wc -l) of $(find "$keep/truth" -name '*.tsv' | wc -l)"
		echo "CPU seconds of triage: $(awk '$1 == "cpu" { s += $2 } END { printf "%.0f\n", s }' "$keep"/ours/*.tsv)"
	} >>"$2"
}

verdicts() {
	make_traces small
	list_traces small >"$keep/list"
	[ -d "$SHARED/traces-opencl" ] || echo "verdicts: no $SHARED/traces-opencl: bundled workloads only" >&2
	case $verb in
	judge) each ours <"$keep/list" ;;
	verdicts) each both <"$keep/list" ;;
	esac
	join ours <"$keep/list" >"$OUT/verdicts.tsv"
	summarise "$OUT/verdicts.tsv" "$OUT/verdicts.txt"
	cat "$OUT/verdicts.txt"
}

# Small scaled traces beside large ones on the whole GPU. Where triage does not get through a large one within LIMIT, a
# medium one is taken.
transfer() {
	local gpu=$TRANSFER_GPUS GPUS=$TRANSFER_GPUS size
	make_traces small
	list_traces small | grep -- "$keep/traces/" >"$keep/list-small"
	each ours <"$keep/list-small"
	for size in large medium; do
		make_traces $size
		list_traces $size | unanswered $size >"$keep/list-$size"
		each whole <"$keep/list-$size"
	done
	printf '#workload\tgpu\tmechanism\tsize\tsmall\twhole\tagrees\n' >"$OUT/transfer.tsv"
	for gpu in $GPUS; do
		for w in $(cut -d' ' -f1 "$keep/list-small"); do pair_sizes "${w%-small}" "$gpu"; done
	done >>"$OUT/transfer.tsv"
	awk -f $here/transfer.awk "$OUT/transfer.tsv" | tee "$OUT/transfer.txt"
}

# Of a list those that no larger size has answered on every GPU.
unanswered() { # SIZE
	local name path sum gpu w
	while read -r name path sum; do
		w=${name%-"$1"}
		for gpu in $GPUS; do
			[ "$1" = medium ] && grep -qs '^TV' "$keep/ours/$w-large@$gpu.tsv" || echo "$name $path $sum"
		done
	done | uniq
}

pair_sizes() { # WORKLOAD GPU
	local size whole=/dev/null small=$keep/ours/$1-small@$2.tsv chosen=-
	for size in medium large; do
		grep -qs '^TV' "$keep/ours/$1-$size@$2.tsv" && whole=$keep/ours/$1-$size@$2.tsv chosen=$size
	done
	[ -e "$small" ] || small=/dev/null
	awk -F'\t' -v OFS='\t' -v w="$1" -v gpu="$2" -v size=$chosen '
		$1 != "TV" { next }
		part == "small" { word[$3] = $4; next }
		{
			mine = $3 in word ? word[$3] : "-"
			print w, gpu, $3, size, mine, $4, mine == "unknown" || mine == "-" || $4 == "unknown" ? "-" : mine == $4 ? "yes" : "no"
		}' part=small "$small" part=whole "$whole"
}

# The table that is kept beside this script, without reasons, which are for reading.
keep_table() {
	awk -F'\t' '$4 != "-"' "$OUT/verdicts.tsv" | cut -f1-12 >$here/verdicts.tsv
	keep_estimates >$here/estimates.new && mv $here/estimates.new $here/estimates.tsv
	[ ! -e "$OUT/transfer.tsv" ] || cp "$OUT/transfer.tsv" $here/transfer.tsv
}

# The estimates of the last run, beside those from before verdicts were held against replays, which stay.
keep_estimates() {
	printf '#workload\tgpu\tmechanism\tbefore\treplayed_before\testimate\treplayed\n'
	awk -F'\t' -v OFS='\t' '
		/^#/ || (part == "new" && $4 == "-") { next }
		{ key = $1 OFS $2 OFS $3 }
		!(key in old) && !(key in now) { order[++n] = key }
		part == "old" { old[key] = $4 OFS $5; now[key] = "-" OFS "-"; next }
		{ now[key] = $14 OFS $9 }
		END { for (i = 1; i <= n; i++) print order[i], (order[i] in old ? old[order[i]] : "-" OFS "-"), now[order[i]] }
	' part=old $([ -e $here/estimates.tsv ] && echo $here/estimates.tsv) part=new "$OUT/verdicts.tsv"
}

case $verb in
table) keep_table ;;
transfer) transfer ;;
truth) make_traces small && list_traces small >"$keep/list" && each truth <"$keep/list" ;;
verdicts | judge | join) verdicts ;;
*) echo "run.sh: no verb $verb" >&2; exit 2 ;;
esac
