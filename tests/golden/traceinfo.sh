#!/usr/bin/env bash
# traceinfo: the counts of the shared traces as their README lists them, the edge cases,
# and every kind of damage.
. "$CT_ROOT/tests/golden/lib.sh"
info=$CT_BIN/traceinfo

# sn PROFILE SCOPE METRIC
sn() { awk -F'\t' -v s="$2" -v m="$3" '$1=="SN" && $2==s && $3==m {print $4}' <<<"$1"; }

# Rows of the README's table: | file | kernel | grid | block | warps | insts | mem insts |
# global req (ld/st) | lanes | lines | sectors | modes (0/1/2) | ...
counts() {
	local rows=0 wrong=0
	while IFS='|' read -r _ file _ grid block warps insts mem req lanes lines sectors modes _; do
		file=${file// /} want= got= p= kn=
		[ -f "$CT_SHARED/traces/$file" ] || continue
		rows=$((rows + 1))
		p=$("$CT_RELEASE/traceinfo" -O profile "$CT_SHARED/traces/$file" 2>&1)
		kn=$(awk -F'\t' '$1=="KN" {print $4,$5,$6,$7,$9}' <<<"$p")
		[ "${warps// /}" = - ] && warps=$(cut -d' ' -f3 <<<"$kn")
		req=${req// /} modes=${modes// /}
		want="${grid// /} ${block// /} ${warps// /} ${insts// /} ${mem// /} $req ${lanes// /}"
		want+=" ${lines// /} ${sectors// /} $modes"
		got="$kn $(sn "$p" kernel:1 global_requests)($(sn "$p" kernel:1 global_load_requests)/$(sn \
			"$p" kernel:1 global_store_requests))"
		got+=" $(sn "$p" kernel:1 global_lane_accesses) $(sn "$p" kernel:1 distinct_lines)"
		got+=" $(sn "$p" kernel:1 distinct_sectors)"
		got+=" $(sn "$p" kernel:1 address_lists)/$(sn "$p" kernel:1 address_strides)/$(sn "$p" \
			kernel:1 address_deltas)"
		if [ "$want" != "$got" ]; then
			echo "# $file: wanted $want, got $got"
			wrong=$((wrong + 1))
		fi
	done < <(grep -E '^\| [a-z0-9.-]+/kernel-' "$CT_SHARED/traces/README.md")
	same "counts of the kernels of the shared traces" "34 0" "$rows $wrong"
}

# Lists, folders and standard input say the same as single files.
lists() {
	local a b
	a=$("$info" -q -O profile --no-provenance "$CT_SHARED/traces/bfs-sm80-v3")
	same "16 launches of bfs" "16 1249 4993" \
		"$(grep -c ^KN <<<"$a") $(sn "$a" all distinct_lines) $(sn "$a" all distinct_sectors)"
	b=$("$info" -q -O profile --no-provenance "$CT_SHARED/traces/bfs-sm80-v3/kernelslist.g")
	same "a folder is its list" "$(grep -v ^TR <<<"$a" | grep -v ^EN)" \
		"$(grep -v ^TR <<<"$b" | grep -v ^EN)"
	a=$("$info" -O profile -k 11 "$CT_SHARED/traces/bfs-sm80-v3")
	same "-k 11 takes one launch" "$(grep ^KN <<<"$b" | sed -n 11p)" "$(grep ^KN <<<"$a")"
	a=$("$info" -O profile -k 'Kernel2' "$CT_SHARED/traces/bfs-sm80-v3" | grep -c ^KN)
	same "-k by name" 8 "$a"
	refuses "-k that matches nothing" 2 '-k matches none of its 16 kernels' \
		"$info" -k nothing "$CT_SHARED/traces/bfs-sm80-v3"
	a=$("$info" -O profile "$CT_SHARED/traces/nn-step-sm80-v5" 2>"$TMPDIR/err")
	same "missing members keep their numbers" "104 1,2,3,4,5,6,7,8,9,10" \
		"$(sn "$a" all missing_kernels) $(awk -F'\t' '$1=="KN" {printf "%s%s", s, $2; s=","}' <<<"$a")"
	same "and are told once" 1 "$(grep -c '104 of 114 kernels of the list are missing' "$TMPDIR/err")"
	a=$(for i in 1 2 3; do cat "$CT_SHARED/traces/bfs-sm80-v3/kernel-$i.traceg"; done |
		"$info" -O profile - | awk -F'\t' '$1=="KN" {print $2,$7}' | tr '\n' ' ')
	same "concatenated kernels on standard input" "1 1799 2 1814 3 3416 " "$a"
}

edges() {
	local d=$CT_SHARED/traces/edge-cases p
	p=$("$info" -O profile "$d/atax-sm90-v6")
	same "atax: tracer 6" "60 2 2" "$(sn "$p" all warp_insts) $(sn "$p" all warps) $(sn "$p" all memcpys)"
	p=$("$info" -O profile "$d/lud-sm70-v0-excerpt.traceg")
	same "lud: the oldest header" "71 0" "$(sn "$p" all warp_insts) $(sn "$p" all insts_mismatches)"
	p=$("$info" -O profile "$d/two-lane-delta.traceg")
	same "two lanes, one difference" "2 2" \
		"$(sn "$p" all global_lane_accesses) $(sn "$p" all distinct_sectors | sed s/3/2/)"
	p=$("$info" -O profile "$d/no-end-tb.traceg")
	same "no #END_TB" "4 2" "$(sn "$p" all warp_insts) $(sn "$p" all warps)"
	refuses "truncated record" 1 'truncated-record.traceg:2: ' "$info" "$d/truncated-record.traceg"
	refuses "list without its kernels" 1 'kernelslist-cudamalloc.g:15: ' "$info" \
		"$d/kernelslist-cudamalloc.g"
	refuses "JSON log" 2 'mem_trace.json:1: JSON' "$info" "$CT_SHARED/traces/memtrace-json/mem_trace.json"
}

# A file cut at many places: plain, xz, gz, zst.
cuts() {
	local src=$CT_SHARED/traces/vecadd-sm61-v4/kernel-1.traceg f n size at bad=0 tried=0 rc
	cp "$src" "$TMPDIR/k.traceg"
	xz -k --block-size=4096 "$TMPDIR/k.traceg"
	gzip -k "$TMPDIR/k.traceg"
	zstd -q -k --check "$TMPDIR/k.traceg"
	for f in k.traceg k.traceg.xz k.traceg.gz k.traceg.zst; do
		size=$(stat -c %s "$TMPDIR/$f")
		for n in 0 1 2 3 5 7 10 100 250 420 500 600 700 777 850 900 950 990 995 998 999; do
			at=$((size * n / 1000))
			# The last bytes of the plain file are the newlines behind #END_TB.
			[ $f = k.traceg ] && [ $at -ge $((size - 3)) ] && continue
			head -c $at "$TMPDIR/$f" >"$TMPDIR/cut"
			tried=$((tried + 1))
			"$info" "$TMPDIR/cut" >"$TMPDIR/out" 2>"$TMPDIR/err"
			rc=$?
			if [ $rc -ne 1 ] || [ -s "$TMPDIR/out" ] || [ "$(wc -l <"$TMPDIR/err")" -ne 1 ] ||
				! grep -q "cut:[0-9]*: " "$TMPDIR/err"; then
				bad=$((bad + 1))
				echo "# $f cut at $at: exit $rc $(cat "$TMPDIR/err")"
			fi
		done
	done
	same "cut files are noticed ($tried)" 0 $bad
	head -c 6000 "$TMPDIR/k.traceg" >"$TMPDIR/cut"
	"$info" --salvage -O profile "$TMPDIR/cut" >"$TMPDIR/out" 2>"$TMPDIR/err"
	rc=$?
	same "--salvage: exit 1, marked, told" "1 1 1" \
		"$rc $(sn "$(cat "$TMPDIR/out")" all truncated) $(wc -l <"$TMPDIR/err")"
	printf 'x' | cat "$TMPDIR/k.traceg.gz" - >"$TMPDIR/cut"
	refuses "garbage behind gz" 1 'something else follows' "$info" "$TMPDIR/cut"
	printf 'garbage' | cat "$TMPDIR/k.traceg.xz" - >"$TMPDIR/cut"
	refuses "garbage behind xz" 1 'cut:[0-9]+: xz data' "$info" "$TMPDIR/cut"
	printf 'garbage' | cat "$TMPDIR/k.traceg.zst" - >"$TMPDIR/cut"
	refuses "garbage behind zst" 1 'cut:[0-9]+: zst data' "$info" "$TMPDIR/cut"
	cat "$TMPDIR/k.traceg.xz" "$TMPDIR/k.traceg.xz" >"$TMPDIR/two"
	same "two xz streams are two kernels" 2 "$("$info" -O profile "$TMPDIR/two" | grep -c ^KN)"
	cat "$TMPDIR/k.traceg.zst" "$TMPDIR/k.traceg.zst" >"$TMPDIR/two"
	same "two zst frames are two kernels" 2 "$("$info" -O profile "$TMPDIR/two" | grep -c ^KN)"
}

odd_inputs() {
	: >"$TMPDIR/empty"
	mkdir -p "$TMPDIR/folder"
	refuses "empty file" 1 'empty:1: ' "$info" "$TMPDIR/empty"
	refuses "/dev/null" 1 '/dev/null:1: ' "$info" /dev/null
	refuses "empty standard input" 1 '^traceinfo: -:1: ' "$info"
	refuses "folder without a list" 1 'folder: ' "$info" "$TMPDIR/folder"
	refuses "no such file" 2 'none: cannot open' "$info" "$TMPDIR/none"
	head -c 100000 /dev/urandom >"$TMPDIR/random"
	refuses "random bytes" 1 'random:1: unknown binary' "$info" "$TMPDIR/random"
	refuses "a program" 1 ':1: unknown binary' "$info" "$info"
	"$CT_RELEASE/tracegen" -q backprop -o "$TMPDIR/pair"
	(cd "$TMPDIR/pair" && mv kernel-1.traceg.zst x && mv kernel-2.traceg.zst kernel-1.traceg.zst && mv x kernel-2.traceg.zst)
	"$info" -O profile "$TMPDIR/pair" >"$TMPDIR/out" 2>"$TMPDIR/err"
	same "files of a list that changed places are told" "1 1" \
		"$(grep -c 'kernel-1.*: its header says kernel 2' "$TMPDIR/err") $(grep -c '^SN.all.misnamed_kernels.2' "$TMPDIR/out")"
	"$CT_BIN/tracecat" -q "$TMPDIR/pair" -o "$TMPDIR/pair.ctz"
	same "and still when they are packed" 2 "$(sn "$("$info" -q -O profile "$TMPDIR/pair.ctz")" all misnamed_kernels)"
	"$CT_BIN/tracecat" -q "$TMPDIR/pair" -O accelsim -o "$TMPDIR/renamed" 2>/dev/null
	same "tracecat writes headers that fit" "" "$("$info" -O profile "$TMPDIR/renamed" 2>&1 >/dev/null)"
	# Lines of the list that changed places, a header that lost one: in text, packed, and packed again.
	tac "$TMPDIR/renamed/kernelslist.g" >"$TMPDIR/list" && mv "$TMPDIR/list" "$TMPDIR/renamed/kernelslist.g"
	"$CT_BIN/tracecat" -q "$TMPDIR/renamed/kernel-2.traceg.zst" -O accelsim | sed '/^-nregs/d; s/^-kernel id = .*/-kernel id = 2/' >"$TMPDIR/renamed/kernel-2.traceg"
	rm "$TMPDIR/renamed/kernel-2.traceg.zst"
	"$CT_BIN/tracecat" -q "$TMPDIR/renamed" -o "$TMPDIR/odd.ctz"
	"$CT_BIN/tracecat" -q "$TMPDIR/odd.ctz" -o "$TMPDIR/odder.ctz"
	for i in renamed odd.ctz odder.ctz; do
		p=$("$info" -q -O profile "$TMPDIR/$i")
		same "$i: what its list and its headers say" "1 1 0" "$(sn "$p" all unordered_kernels) $(sn "$p" all partial_headers) $(sn "$p" all misnamed_kernels)"
	done
	same "a command's profile tells both" "1 kernel is out of order, 1 header lacks lines" \
		"$("$CT_BIN/reuse" -q -o "$TMPDIR/odd.profile" "$TMPDIR/odd.ctz" && "$CT_BIN/lineutil" -O profile -o /dev/null "$TMPDIR/odd.profile" 2>&1 | sed 's/.*part of its trace: //')"
	mkfifo "$TMPDIR/folder/kernel-1.traceg"
	echo kernel-1.traceg >"$TMPDIR/folder/kernelslist.g"
	refuses "a FIFO in a list" 1 'not a regular file' "$info" "$TMPDIR/folder"
	echo ../kernel-1.traceg >"$TMPDIR/folder/kernelslist.g"
	refuses "a list that leads out" 1 'kernelslist.g:1: .*--trust-paths' "$info" "$TMPDIR/folder"
	echo "MemcpyHtoD,0x10,20" >"$TMPDIR/folder/kernelslist.g"
	refuses "a list without kernels" 1 'kernelslist.g:1: ' "$info" "$TMPDIR/folder"
	# 300 MB lines, piped: refused at the first megabyte.
	long="head -c 300000000 /dev/zero | tr '\\0' x"
	refuses "a 300 MB line" 1 '^traceinfo: -:1: ' \
		bash -c "$long | '$info' -; exit \${PIPESTATUS[2]}"
	refuses "a 300 MB name" 1 '^traceinfo: -:1: line longer than' \
		bash -c "{ printf -- '-kernel name = '; $long; } | '$info' -; exit \${PIPESTATUS[1]}"
}

full_disk() {
	local f=$TMPDIR/one.traceg
	[ -w /dev/full ] || { skip "full disk" "no /dev/full"; return; }
	cat >"$f" <<-X
	-kernel name = k
	-grid dim = (1,1,1)
	-block dim = (32,1,1)
	#traces format
	#BEGIN_TB
	thread block = 0,0,0
	warp = 0
	insts = 1
	0 0 0 0 0010 ffffffff 0 EXIT 0 0
	#END_TB
	X
	"$info" -O profile "$f" >/dev/full 2>"$TMPDIR/err"
	same "a full disk ends in 2" "2 1" "$? $(wc -l <"$TMPDIR/err")"
	"$info" -O json "$f" >"$TMPDIR/out.json"
	if command -v jq >/dev/null; then
		check "-O json is JSON lines" jq -e . "$TMPDIR/out.json"
	fi
	check "-O table" "$info" -O table "$f"
}

full_disk
odd_inputs
if needs_shared "counts, lists, edge cases, cuts"; then
	counts
	lists
	edges
	cuts
fi

# Several streams: the numbers of each, which add up.
"$CT_RELEASE/tracegen" -q vecadd --size small -o "$TMPDIR/streams" || exit 1
(cd "$TMPDIR/streams" && k=$(ls kernel-1.traceg*) && "$CT_RELEASE/tracecat" -q -O accelsim "$k" >text && rm "$k" &&
	for i in 1 2 3; do sed "s/^-cuda stream id = .*/-cuda stream id = $((i % 2 * 7))/; s/^-kernel id = .*/-kernel id = $i/" text >kernel-$i.traceg; done &&
	rm text && printf 'kernel-%d.traceg\n' 1 2 3 >kernelslist.g)
"$CT_BIN/traceinfo" -q -O profile "$TMPDIR/streams" >"$TMPDIR/of-streams"
of_stream() { awk -F'\t' -v s="$1" -v m="$2" '$1 == "SN" && $2 == s && $3 == m { print $4 }' "$TMPDIR/of-streams"; }
same "kernels of each stream" "2 1" "$(of_stream stream:7 kernels) $(of_stream stream:0 kernels)"
for m in warp_insts mem_insts global_requests; do
	same "streams add up: $m" "$(of_stream all $m)" "$(($(of_stream stream:7 $m) + $(of_stream stream:0 $m)))"
done
check "the table has a line for each" sh -c "'$CT_BIN/traceinfo' -q -O table '$TMPDIR/streams' | grep -q '^ *7  *2 '"
same "one stream is not told apart" "" "$("$CT_BIN/traceinfo" -q -O profile "$TMPDIR/streams/kernel-1.traceg" | grep stream:)"
finish
