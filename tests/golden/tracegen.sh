# tracegen: every workload verifies itself, output is deterministic, complete or absent.
. "$CT_ROOT/tests/golden/lib.sh"
T=$CT_BIN/tracegen
R=$CT_RELEASE/tracegen
cd "$TMPDIR" || exit 1

# What a folder holds, by content.
digest() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum); }

# Every warp has as many lines as it says, every kernel all CTAs of its grid.
well_formed() {
	local f
	for f in "$1"/kernel-*.traceg.zst; do
		zstd -dcq --long=27 "$f" | awk '
			/^-grid dim/ { gsub(/[^0-9,]/, ""); split($0, d, ","); grid = d[1] * d[2] * d[3] }
			/^#BEGIN_TB/ { ctas++ }
			/^insts = / { if (want != got) exit bad = 1; want = $3; got = 0 }
			/^[0-9a-f]+ [0-9a-f]+ [0-9]+ / { got++ }
			END { exit bad || want != got || ctas != grid || ctas == 0 }' || return 1
	done
}

names=$("$T" --list | awk '{print $1}')
same "names in --list are unique" "" "$(echo "$names" | sort | uniq -d)"
check "all workloads verify their results" eval '"$R" all -v -o all 2>counts'
same "--list tells the instructions of each" "$("$T" --list | awk '{print $1, $2}')" \
	"$(awk '/warp instructions/ { sub(":", "", $2); printf "%s %dk\n", $2, ($3 + 500) / 1000 }' counts)"
for n in $names; do
	check "$n: files match the list and are well formed" eval \
		'[ "$(grep -c "^kernel" all/$n/kernelslist.g)" -eq "$(ls all/$n/kernel-* | wc -l)" ] &&
		 for f in $(grep "^kernel" all/$n/kernelslist.g); do [ -s all/$n/$f ] || exit 1; done &&
		 well_formed all/$n'
done
if [ -x "$CT_RELEASE/traceinfo" ]; then
	for n in $names; do check "traceinfo accepts $n" "$CT_RELEASE/traceinfo" "all/$n/kernelslist.g"; done
else
	skip "traceinfo accepts every workload" "traceinfo is not built"
fi

"$R" all -o again >/dev/null 2>&1
same "same seed, same bytes" "$(digest all)" "$(digest again)"
"$T" vecadd -o v1 && "$R" vecadd -o v2
same "same bytes from another build" "$(digest v1)" "$(digest v2)"
# Compilers differ in the order in which they evaluate arguments.
clang=$CT_ROOT/build/clang/bin/tracegen
if [ "$clang" -nt "$T" ]; then
	"$clang" all -o clang
	same "same bytes from another compiler" "$(digest all)" "$(digest clang)"
else
	skip "same bytes from another compiler" "no fresh clang build"
fi
check "two seeds give two traces" eval \
	'"$R" bfs --seed 2 -o seed2 && [ "$(digest seed2)" != "$(digest all/bfs)" ]'
"$T" vecadd --compress none -o plain
same "--compress none holds the same text" "$(zstd -dcq v1/kernel-1.traceg.zst | sha256sum)" \
	"$(sha256sum <plain/kernel-1.traceg)"

"$T" workingset --footprint 256KiB --sharing 4 --stride 32 --intensity 3 --passes 3 --ctas 16 -o ws
same "workingset: passes are launches" 3 "$(grep -c '^kernel' ws/kernelslist.g)"
zstd -dcq ws/kernel-2.traceg.zst >ws.txt
same "workingset: every slice is read by all its sharers" $((4 * 256 * 1024 / 32 / 32)) \
	"$(grep -c ' LDG.E ' ws.txt)"
# As the kernel that was built and run for it until then wrote it: partial warps, corrections of the division, values.
workingset_digest() {
	rm -rf wsd && "$R" workingset -q "$@" --values --compress none -o wsd &&
		cat wsd/kernelslist.g wsd/kernel-* | LC_ALL=C grep -av '^-nvbit version' | sha256sum | cut -c1-16
}
same "workingset: the trace of slices that are no multiple of a CTA" 647c519c2de52547 \
	"$(workingset_digest --footprint 12345 --ctas 6 --sharing 3 --seed 9)"
same "workingset: and of other parameters" e52c9104cde2de1b \
	"$(workingset_digest --footprint 100000 --ctas 21 --sharing 7 --stride 12 --intensity 17)"
same "workingset: FFMAs per load" $((3 * 4 * 256 * 1024 / 32 / 32)) "$(grep -c ' FFMA ' ws.txt)"

"$T" vecadd --values -o values
same "--values changes no trace" "$(sha256sum <v1/kernel-1.traceg.zst)" "$(sha256sum <values/kernel-1.traceg.zst)"
# a + b = c: three vectors, each touched from end to end, and right in the dump.
same "--values: lines touched" "$(zstd -dcq v1/kernel-1.traceg.zst | grep -cE ' (LDG|STG)')" \
	$(($(zstd -dcq values/kernel-1.blocks.zst | wc -c) / 136))
check "--values: what the kernel computed" eval 'zstd -dcq values/kernel-1.blocks.zst | od -An -v -j8 -w136 -tf4 -N3000000 |
	awk "{ v[NR] = \$1 } END { n = NR / 3; for (i = 1; i <= n; i++) {
		d = v[i] + v[n + i] - v[2 * n + i]; if (d > 0.001 || d < -0.001) exit 1 } exit n < 1 }"'

# Complete or absent.
mkdir empty && check "an empty folder is taken" "$T" vecadd -o empty
refuses "an earlier output is not replaced by itself" 2 'v1: .*--force' "$T" vecadd -o v1
check "--force replaces it" "$T" gemm --force -o v1
check "with nothing of the earlier one" eval 'grep -q gemm v1/tracegen.txt'
mkdir foreign && echo x >foreign/notes
refuses "a foreign folder is refused" 2 'foreign: .*another -o' "$T" vecadd --force -o foreign
touch v2/notes
refuses "--force never removes a foreign file" 2 'v2: .*another -o' "$T" vecadd --force -o v2
refuses "a file is not replaced" 2 'plain/kernel-1.traceg: .*not a folder' \
	"$T" vecadd --force -o plain/kernel-1.traceg
refuses "an unwritable place" 2 'nowhere/x: cannot create' "$T" vecadd -o nowhere/x
refuses "no folder named" 2 '-o DIR' "$T" vecadd
refuses "an unknown workload names the nearest" 2 'did you mean vecadd' "$T" vecad -o x
refuses "a bad size" 2 'use small, medium, large or paper' "$T" vecadd --size tiny -o x
refuses "a bad footprint, by its option" 2 "^tracegen: --footprint 0: give a positive size" "$T" workingset --footprint 0 -o x
refuses "a bad number of launches" 2 "^tracegen: --launches x: give" "$T" capture --launches x -o x -- true
refuses "workingset options belong to workingset" 2 'workingset' "$T" vecadd --passes 2 -o x
check "a mesh of 1000 elements" "$T" cfd --elements 1000 -o mesh.ctz
same "is six blocks of 192 threads in every launch" "(6,1,1) (192,1,1)" "$("$CT_BIN/traceinfo" mesh.ctz | awk '$1 == "KN" { print $4, $5 }' | sort -u)"
check "a graph of 1000 nodes" "$T" bfs --elements 1000 -o graph.ctz
same "is two blocks of 512 threads in every launch" "(2,1,1) (512,1,1)" "$("$CT_BIN/traceinfo" graph.ctz | awk '$1 == "KN" { print $4, $5 }' | sort -u)"
refuses "elements are of cfd and bfs" 2 'gemm takes no --elements' "$T" gemm --elements 500 -o x
refuses "a mesh has at least a block of elements" 2 '^tracegen: --elements 191: give a whole number from 192' "$T" cfd --elements 191 -o x
refuses "sharing must divide the CTAs" 2 'multiple' "$T" workingset --ctas 10 --sharing 3 -o x
refuses "a slice holds something" 2 'element' "$T" workingset --footprint 64 --ctas 64 -o x

mkdir full
refuses "a full disk" 2 'full/x: cannot write' bash -c \
	"trap '' XFSZ; ulimit -f 8; exec '$T' workingset --size medium -o full/x"
same "and nothing is left behind" "" "$(ls -A full)"
"$R" workingset --size large -o full/x 2>stop.txt &
pid=$!
for _ in $(seq 100); do [ -n "$(ls -A full)" ] && break; sleep 0.05; done
kill -TERM "$pid"
wait "$pid"
same "a signal ends it with status 2" 2 "$?"
same "and leaves nothing behind" "" "$(ls -A full)"
finish
