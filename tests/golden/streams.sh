# --streams: launches of different streams that follow each other run together, others as before.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
cat=$CT_RELEASE/tracecat mpki=$CT_RELEASE/mpki
# a launch of 34 thread blocks, half of the SMs of rtx3080: NUMBER STREAM FIRST-BLOCK REGISTERS NAME
launch() {
	awk -v n="$1" -v stream="$2" -v first="$3" -v regs="$4" -v name="$5" 'BEGIN {
		printf "-kernel name = %s\n-kernel id = %d\n-grid dim = (34,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = %d\n", name, n, regs
		printf "-binary version = 80\n-cuda stream id = %d\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = x immediate\n\n", stream
		for (b = 0; b < 34; b++) {
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n", b
			for (w = 0; w < 2; w++) {
				printf "\nwarp = %d\ninsts = 61\n", w
				for (i = 0; i < 30; i++) {
					printf "%04x ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f00%06x00 4 0\n", 32 * i, 2048 * (first + b) + 1024 * w + 4 * i
					printf "%04x ffffffff 1 R3 %s 2 R2 R3 0 0\n", 32 * i + 16, n == 2 ? "FFMA" : "FADD"
				}
				print "0400 ffffffff 0 EXIT 0 0 0"
			}
			print "\n#END_TB\n"
		}
	}' >"$6"
}
mkdir one two same copied shapes
launch 1 7 0 32 first one/kernel-1.traceg
cp one/kernel-1.traceg two
launch 2 8 34 32 second two/kernel-2.traceg
sed 's/stream id = 8/stream id = 7/' two/kernel-2.traceg >same/kernel-2.traceg
cp one/kernel-1.traceg same
cp two/kernel-?.traceg copied
cp one/kernel-1.traceg shapes
launch 2 8 34 255 second shapes/kernel-2.traceg
echo kernel-1.traceg >one/kernelslist.g
for d in two same shapes; do printf 'kernel-1.traceg\nkernel-2.traceg\n' >$d/kernelslist.g; done
printf 'kernel-1.traceg\nMemcpyHtoD,0x00007f0000000000,4096\nkernel-2.traceg\n' >copied/kernelslist.g

cycles() { "$mpki" -q -O profile "$@" | awk -F'\t' '$1 == "SN" && $2 == "all" { v[$3] = $4 } END { print v["cycles"] - v["launch_cycles"] }'; }
alone=$(cycles one) serial=$(cycles two) together=$(cycles --streams two)
check "together they take the time of one ($alone, together $together)" awk "BEGIN { exit !($together < 1.05 * $alone && $together >= $alone) }"
check "one after the other that of two ($serial)" awk "BEGIN { exit !($serial > 1.9 * $alone && $serial < 2.1 * $alone) }"
same "quick timing does so, too" 1 "$(awk "BEGIN { print ($(cycles --timing quick --streams two) < 1.1 * $(cycles --timing quick one)) }")"

# the same launch, written by hand
{ sed 's/^-kernel name = .*/-kernel name = first + second/; s/^-grid dim = .*/-grid dim = (68,1,1)/' one/kernel-1.traceg
	sed -n '/^#BEGIN_TB/,$p' two/kernel-2.traceg | awk '/^thread block/ { split($4, x, ","); $0 = "thread block = " x[1] + 34 ",0,0" } 1'; } >joint.traceg
"$cat" -q -O accelsim --streams two >got.traceg
"$cat" -q -O accelsim joint.traceg >want.traceg
check "it is the launch of both one behind the other" cmp got.traceg want.traceg
records() { "$CT_RELEASE/reuse" -q --no-provenance "$@" | grep -Ev '^(TR|EN|#)|joined_launches'; }
same "every number of it, too" "$(records joint.traceg | md5sum)" "$(records --streams two | md5sum)"
same "for any number of threads" "$(records -@ 1 --streams two | md5sum)" "$(records -@ 2 --streams two | md5sum)"
"$cat" -q two -o two.ctz
same "and of a packed trace" "$(records --streams two | md5sum)" "$(records --streams two.ctz | md5sum)"
same "the launches in it are counted" 2 "$("$mpki" -q -O profile --streams two | awk -F'\t' '$1 == "SN" && $3 == "joined_launches" { print $4 }')"

for d in one same copied; do
	same "$d: nothing joins" "$(records $d | md5sum)" "$(records --streams $d | md5sum)"
done
same "without it they wait for each other, which is told" 1 "$("$mpki" two 2>&1 >/dev/null | grep -c 'several streams are taken one after the other')"
same "with it nothing is" "" "$("$mpki" --streams two 2>&1 >/dev/null)"
check "launches that need more are told" grep -q '2 launches from 1 on run together and differ in what a thread block needs' <("$mpki" --streams shapes 2>&1 >/dev/null)
same "-k chooses joint launches" "first + second" "$("$mpki" -q -O profile --streams -k second two | awk -F'\t' '$1 == "KN" { print $3 }')"
refuses "none" 2 '-k matches none of its 2 kernels' "$mpki" --streams -k third two
refuses "a pipe" 2 '--streams looks at all launches first' sh -c "command cat one/kernel-1.traceg | '$mpki' --streams -"
refuses "text alone" 2 'give a kernels list or a packed trace' "$mpki" --streams one/kernel-1.traceg

# a profile says it, so that its trace is opened again in the same way
"$CT_RELEASE/reuse" -q --streams two >two.profile
est() { "$CT_RELEASE/sharedl1-est" -q --no-provenance --method replay --scale 1 -O profile "$@" | grep '^ES'; }
same "a replay of a profile is the same" "$(est --streams two | md5sum)" "$(est two.profile | md5sum)"
finish
