# .tracez: what tracecat packs reads like what it was made of, for every command and from any place; damage is refused.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
cat=$CT_BIN/tracecat info=$CT_BIN/traceinfo
say() { "$info" -q -O profile --no-provenance "$@" | grep -Ev '^(TR|EN)|text_bytes'; }

"$CT_RELEASE/tracegen" -q vecadd --size small -o few || exit 1
"$cat" -q few -o few.ctz || exit 1
for from in few few.ctz; do
	rm -rf z
	check "$from packs" "$cat" -q -O tracez "$from" -o z
	same "$from: it says the same" "$(say few)" "$(say z)"
done
same "its list names its files" "$(sed 's/traceg.*/tracez/' few/kernelslist.g)" "$(command cat z/kernelslist.g)"
check "no other file is there" sh -c '[ "$(ls z | grep -vcE "^(kernel|arrays.tsv)")" = 0 ]'
same "the text is the same" "$("$cat" -q -O accelsim few | md5sum)" "$("$cat" -q -O accelsim z | md5sum)"
"$cat" -q -O tracez z -o again
check "packed again, the same bytes" diff -r z again
same "reuse makes one profile of both" "$("$CT_RELEASE/reuse" -q --no-provenance few | grep -Ev '^(TR|EN)')" \
	"$("$CT_RELEASE/reuse" -q --no-provenance z | grep -Ev '^(TR|EN)')"
k=z/kernel-1.tracez
same "a file alone, from a pipe, compressed again" "1 1 1" "$(for way in "command cat $k" "xz -c $k" "zstd -qc $k"; do $way | say - | grep -c ^KN; done | paste -sd' ')"
same "its form is told" "tracez/plain" "$("$info" -q -O profile $k | awk -F'\t' '$1 == "TR" { print $3 }')"
same "all of its bytes are counted" "$(stat -c %s $k)" "$("$info" -q -O profile $k | awk -F'\t' '$1 == "TR" { print $4 }')"
same "and its checksum does not depend on how it is read" "$("$info" -q -O profile $k | awk -F'\t' '$1 == "TR" { print $5 }')" \
	"$(command cat $k | "$info" -q -O profile - | awk -F'\t' '$1 == "TR" { print $5 }')"
mv z/kernelslist.g list && printf 'kernel-1.tracez\n' >z/kernelslist.g && cp $k z/kernel-2.tracez
check "a file that the list lacks is missed" grep -q "kernel-2.tracez" <("$info" z 2>&1 >/dev/null)
rm -r z/kernel-2.tracez && mv list z/kernelslist.g

n=$(stat -c %s $k)
for cut in 1 8 9 40 $((n / 2)) $((n - 300)); do
	head -c $((n - cut)) $k >cut.tracez
	refuses "without its last $cut bytes" 1 'cut.tracez' "$info" cut.tracez
done
# bytes of the index and of the regions' heads, one after the other
bad=
for at in $(seq $((n - 60)) 7 $((n - 1))) $(seq 330 50 600); do
	{ head -c "$at" $k; printf '\377'; tail -c +$((at + 2)) $k; } >bad.tracez
	cmp -s $k bad.tracez && continue
	"$info" -q bad.tracez >out 2>/dev/null
	[ $? -le 1 ] || bad="$bad $at"
done
same "a changed byte is told, or changes no more than text" "" "$bad"
refuses "packed text has no place on standard output" 2 'name a new folder' "$cat" -O tracez few
refuses "a folder that exists" 2 'exists: name a new folder' "$cat" -O tracez -o z few

# what tracers lose or add
"$cat" -q -O accelsim few >few.traceg
awk '/LDG/ && !done { sub(/0x7[0-9a-f]+/, "0x0"); done = 1 } 1' few.traceg >zero.traceg
check "accesses to address 0 are told" grep -qE 'warning: zero.traceg: [0-9]+ lanes access global memory at address 0' <("$CT_RELEASE/reuse" zero.traceg 2>&1 >/dev/null)
check "and those of a whole trace are not" sh -c '! "$0" few.traceg 2>&1 >/dev/null | grep "address 0"' "$CT_RELEASE/reuse"
awk '{ print } /^thread block/ { printf "cluster id = 0,0,0\ncluster cta = %d,0,0\ncluster rank = %d\n", n % 2, n % 2; n++ }' few.traceg >cluster.traceg
check "clusters are told" grep -q 'form clusters, and are placed one by one' <("$info" cluster.traceg 2>&1 >/dev/null)
same "and counted" "$(awk '/^cluster rank = 1/ { n++ } END { print n }' cluster.traceg)" \
	"$("$info" -q -O profile cluster.traceg | awk -F'\t' '$1 == "SN" && $3 == "cluster_ctas" { print $4 }')"
# Hopper: bulk copies are traffic of the LLC, as far as their lines tell it
cat >hopper.traceg <<'END'
-kernel name = bulk
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = 90
-cuda stream id = 0
-accelsim tracer version = 6
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate1 immediate2 Val|NoVal

#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 4
0000 00000001 0 UTMALDG.2D 2 UR8 UR16 64 0x400 0 4096 0 3 2 0x7f0000000000 0x7f0000010000 0 0 NoVal
0010 ffffffff 0 HGMMA.64x64x16.F32 0 0 0 0 0 NoVal
0020 00000001 0 UTMASTG.2D 2 UR8 UR16 0 0x400 0 1024 0 4 0x7f0000100000 2 4096 0 0 NoVal
0030 ffffffff 0 EXIT 0 0 0 0 NoVal
#END_TB
END
"$CT_RELEASE/mpki" -O profile hopper.traceg >hopper.profile 2>warned
value() { awk -F'\t' -v m="$1" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }' hopper.profile; }
same "their sectors reach the LLC, none of them the L1" "0 128 160" \
	"$(value l1_sector_accesses) $(value llc_read_sector_accesses) $(value llc_sector_accesses)"
same "as instructions of 32 pieces" 7 "$(value warp_insts)"
check "it is told that nobody waits for them" grep -q 'kernel 1 has bulk copies (TMA): .* cycles are too few' warned
"$cat" -q hopper.traceg -o hopper.ctz
same "packed, the same" "$(grep -Ev '^(PG|TR|EN)' hopper.profile)" "$("$CT_RELEASE/mpki" -q -O profile hopper.ctz | grep -Ev '^(PG|TR|EN)')"
check "and told again" grep -q 'bulk copies' <("$info" hopper.ctz 2>&1 >/dev/null)
for form in accelsim tracez; do
	refuses "text as $form needs what is not kept" 2 'launch 1 has UTMALDG.2D: who waits for a bulk copy' "$cat" -O $form -o text hopper.traceg
done
sed 's/ 64 0x400 0 4096 0 3 2 / 64 0x400 0 4095 0 3 2 /' hopper.traceg >open.traceg
refuses "what a line leaves open is refused by name" 2 'open.traceg:18: UTMALDG.2D: 4095 bytes at 2 addresses' "$CT_BIN/reuse" open.traceg
finish
