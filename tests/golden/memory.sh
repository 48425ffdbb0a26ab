# Memory follows the lines touched and the CTAs on the GPU, not the length of the trace.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

# 64 MiB of address space, code and libraries included, for 1.5 million warp instructions.
tracegen -q workingset --footprint 256KiB --passes 24 -o long
insts=$(traceinfo -O profile long | awk -F'\t' '$1=="SN" && $2=="all" && $3=="warp_insts" { print $4 }')
check "a long trace of few lines" test "$insts" -ge 1000000
check "is replayed in 64 MiB" bash -c 'ulimit -v 65536 && reuse -q --no-sms-views --scale 1/8 long -o p'
same "to its end" "$insts" "$(awk -F'\t' '$1=="SN" && $2=="all" && $3=="warp_insts" { print $4 }' p)"

# Nor does a raw trace, whose thread blocks stand one within the other, also where nothing in it repeats: what has been read
# goes to a file by warps.
raw() { # LINES-OF-A-WARP: addresses of all lanes at random, the warps of 64 thread blocks one line each in turn
	awk -v n="$1" 'BEGIN {
		srand(1)
		print "-kernel name = k\n-grid dim = (64,1,1)\n-block dim = (128,1,1)\n-accelsim tracer version = 5\n#traces format = immediate"
		for (i = 0; i <= n; i++) for (c = 0; c < 64; c++) for (w = 0; w < 4; w++) {
			if (i == n) { printf "%d 0 0 %d 0100 ffffffff 0 EXIT 0 0 0\n", c, w; continue }
			printf "%d 0 0 %d %04x ffffffff 1 R2 LDG.E 1 R4 4 0", c, w, 16 * (i % 8)
			for (l = 0; l < 32; l++) printf " 0x7f%08x", 4294967295 * rand()
			print " 0"
		}
	}'
}
raw 300 >raw.trace
want=$(tracecat -q -O accelsim raw.trace | md5sum)
check "a raw trace of 35 MB that does not compress" test "$(wc -c <raw.trace)" -gt 35000000
check "needs more than 26 MB in memory" bash -c '! (ulimit -v 26000 && tracecat -q -O accelsim raw.trace) >part 2>&1'
same "and is put in order in 26 MB" "$want" "$(ulimit -v 26000; tracecat -q --max-memory 1MiB -O accelsim raw.trace | md5sum)"
rm raw.trace part

# A launch of a log takes little beside its records: 20000 of one access each.
seq 20000 | sed 's/.*/MEMTRACE: CTX 0x1 - grid_launch_id & - CTA 0,0,0 - warp 0 - LDG.E - MREF: 0x0,0x7f0000/' >launches.log
check "20000 launches in a log need no 400 MB" bash -c 'ulimit -v 400000 && traceinfo -q launches.log -O profile >p'
same "and are all there" 20000 "$(grep -c ^KN p)"

# Nor does what has been counted for a kernel's name: as many names as kernels.
seq 2000 | sed 's/.*/-kernel name = k&\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 00000001 0 EXIT 0 0\n#END_TB/' >names
check "2000 names need no 300 MB" bash -c 'ulimit -v 300000 && reuse -q names -o p'
same "and are all there" 2000 "$(grep -c ^KN p)"

# A stack of 128 KiB, of every thread too: -Wframe-larger-than finds what needs more.
tracegen -q vecadd --size small -o t && tracecat -q --ctas 0-2 t -o few.ctz && reuse -q t >t.prof
for c in "reuse" "reuse -@ 2 -S 0.5" "reuse --mechanisms all" "reuse --timing quick" "reuse --sample-kernels 0.3" mpki "mpki --explain" \
	"lineutil" "replicate" "tsc-est --method replay" "sharedl1-est --method replay" "morpheus-est --method replay" \
	"malekeh-est --method replay" "triage -@ 2"; do
	want=$($c -q --scale 1/34 few.ctz -O profile) || fail "$c"
	want=$(md5sum <<<"$want")
	same "$c needs 128 KiB of stack" "$want" "$(ulimit -s 128; md5sum <<<"$($c -q --scale 1/34 few.ctz -O profile)")"
done
for c in "morpheus-est --sweep sms=10..68" sharedl1-est tsc-est replicate "report --html -" "triage"; do
	want=$($c -q t.prof) || fail "$c"
	want=$(md5sum <<<"$want")
	same "$c of a profile needs 128 KiB of stack" "$want" "$(ulimit -s 128; md5sum <<<"$($c -q t.prof)")"
done
# A GPU of any size may be asked for; one that takes gigabytes only where that is allowed.
refuses "4096 SMs" 2 '4096 SMs and their caches take some [0-9.]+ GiB.*--max-memory' reuse -p sm.count=4096 few.ctz
refuses "an LLC of 4000 MiB" 2 'take some [0-9.]+ GiB' mpki -p llc.size=4000MiB few.ctz
check "what a profile tells of such an LLC" bash -c 'mpki -q -p llc.size=4000MiB t.prof | grep -q llc_miss_rate'
check "and so may what a profile tells of its GPU" bash -c \
	'sed "s/^GP\tsm.count\t68/GP\tsm.count\t4096/" t.prof >big.prof; grep -qP "^GP\tsm.count\t4096" big.prof'
refuses "which is not replayed either" 2 'SMs and their caches take some [0-9.]+ GiB.*--max-memory' \
	mpki --explain --no-verify big.prof
# Systems side by side take many times that of one: what --max-memory has no room for runs one after the other.
tracegen -q vecadd --size small -o vec && tracecat -q --ctas 0-40 vec -o vec.ctz
while read -r kib c; do
	want=$($c -q --no-provenance vec.ctz -O profile | md5sum)
	(ulimit -v "$kib"; $c -q vec.ctz -o p 2>err)
	same "$c takes more than $kib KiB" "2 1" "$? $(wc -l <err)"
	same "with --max-memory it is the same in that" "$want" \
		"$(ulimit -v "$kib"; $c -q --no-provenance --max-memory 64MiB vec.ctz -O profile | md5sum)"
done <<-'X'
	400000 mpki --explain
	420000 tsc-est --scale 1 --method replay
	700000 sharedl1-est --scale 1 --method replay
	340000 malekeh-est --scale 1 --method replay
	400000 malekeh-est -@ 3 --scale 1 --method replay
X
finish
