# triage: verdicts over several inputs, failures, threads, resume, shards, formats.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
triage=$CT_RELEASE/triage # replays of verdicts take minutes with sanitizers; pipe.sh runs it with them

# A profile by hand, whose estimate decides: made NAME SPEEDUP LOW HIGH
made() {
	printf '#cachetriage-profile\t1\nTR\ttraces/%s/kernelslist.g\taccelsim-list\t9\tcrc64:1\n' "$1"
	"$CT_RELEASE/reuse" --print-gpu -g rtx3080 >/dev/null
	printf 'GP\tname\trtx3080\t\nGP\tsm.count\t68\t\nGP\tllc.line\t128\tbytes\n'
	printf 'SN\tall\tsm_fill\t8\tratio\treplay\nSN\tall\tcold_miss_fraction\t0.1\tratio\treplay\n'
	for m in morpheus:Morpheus-ALL shared-l1:DynEB tag-split:TSC+ malekeh:Malekeh; do
		printf 'ES\tall\t%s\t%s\tspeedup_configured\t%s\tratio\tfull\t%s\t%s\n' "${m%%:*}" "${m#*:}" "$2" "$3" "$4"
	done
	# The simpler systems gain nothing.
	for m in morpheus:IBL shared-l1:Private+ tag-split:32B tag-split:64B tag-split:128B tag-split:256B malekeh:OCU; do
		printf 'ES\tall\t%s\t%s\tspeedup_configured\t1\tratio\tfull\t1\t1\n' "${m%%:*}" "${m#*:}"
	done
}
made gains 1.4 1.3 1.5 >gains.profile
made loses 0.7 0.7 0.7 >loses.profile
made same 1 1 1 >same.profile
made unsure 1.1 0.9 1.3 >unsure.profile
row() { awk -F'\t' -v w="$1" -v m="$2" '$1 == "TV" && $2 == w && $3 == m { print $4 }' "$3"; }

"$triage" --no-verify -O profile gains.profile loses.profile same.profile unsure.profile >out
for m in morpheus shared-l1 tag-split malekeh; do
	same "$m: verdicts" "benefits hurts neutral unknown" \
		"$(for w in gains loses same unsure; do row $w $m out; done | paste -sd' ')"
done
check "a range that is too wide says what to do" grep -q 'unsure.morpheus.*range [0-9.]* crosses ' out
same "filters: verdict" "gains" "$("$triage" --no-verify --only benefits -O csv ./*.profile | awk -F, 'NR > 1 { print $1 }' | sort -u)"
same "filters: mechanism and speed-up" "gains unsure" \
	"$("$triage" --no-verify --mechanism malekeh --min-speedup 1.05 -O csv ./*.profile | awk -F, 'NR > 1 { print $1 }' | paste -sd' ')"
same "sorted by speed-up" "gains unsure same loses" \
	"$("$triage" --no-verify --mechanism tag-split --sort speedup -O csv ./*.profile | awk -F, 'NR > 1 { print $1 }' | paste -sd' ')"
same "sorted by verdict" "benefits neutral hurts unknown" \
	"$("$triage" --no-verify --sort verdict -O csv ./*.profile | awk -F, 'NR > 1 { print $3 }' | uniq | paste -sd' ')"
check "the table names the reason" sh -c "'$triage' --no-verify -O table gains.profile | grep -q '^gains  *morpheus  *benefits  *1.40  1.2[0-9]..1.5[0-9]  '"
check "a threshold that holds" "$triage" -q --no-verify --require 'morpheus.verdict == benefits and malekeh.low > 1.1' gains.profile
err=$("$triage" --no-verify --require 'tag-split.verdict != hurts' gains.profile loses.profile 2>&1 >/dev/null)
same "one that does not" "1 triage: tag-split.verdict != hurts: loses: the verdict is hurts" "$? $err"
err=$("$triage" -q --no-verify --require 'malekeh.low > 1.1 for gains, nobody' gains.profile 2>&1 >/dev/null)
same "one for a name that nobody has" "1 triage: malekeh.low > 1.1 for gains, nobody: no workload is called nobody" "$? $err"
err=$("$triage" -q --no-verify --require 'morpheus.verdict != hurts' unsure.profile 2>&1 >/dev/null)
same "a threshold on what is unknown fails" "1 triage: morpheus.verdict != hurts: unsure: the verdict is unknown, which tells nothing: --allow-unknown lets it pass" "$? $err"
check "unless that is allowed" "$triage" -q --no-verify --allow-unknown --require 'morpheus.verdict != hurts' unsure.profile
check "or named" "$triage" -q --no-verify --require 'morpheus.verdict == unknown' unsure.profile
check "one for another part's" "$triage" -q --no-verify --shard 1/2 --require 'malekeh.low > 1.1 for loses' gains.profile loses.profile
refuses "one that cannot be read, before any work" 2 'column' "$triage" --require 'morpheus >' nowhere
refuses "one that needs an older run" 2 'compare runs with report' "$triage" --require 'morpheus.low > base' nowhere
grep -v '^ES.all.tag-split' gains.profile >lacks.profile
same "what a profile lacks is unknown, and why" \
	"profile lacks tag-split; run reuse --mechanisms all; not replayed: traces/gains/kernelslist.g: the profile's trace is not there: say --trace-root DIR" \
	"$("$triage" --no-verify --no-provenance -O profile lacks.profile | awk -F'\t' '$3 == "tag-split" { print $8 }')"

# Workloads of one name are counted through all parts, and one may be called as another is numbered.
made one 1.1 1.1 1.1 >one-1.prof
made one 1.2 1.2 1.2 >one-2.prof
made one 1.3 1.3 1.3 >one-3.prof
made 'one#2' 0.7 0.7 0.7 >one-4.prof
for list in "one-1.prof one-2.prof one-3.prof one-1.prof" "one-1.prof one-2.prof one-4.prof one-3.prof"; do
	"$triage" -q --no-verify --mechanism malekeh -O profile $list -o ones
	same "every one of them has its line" 4 "$(grep -c ^TV ones)"
	for i in 1 2; do "$triage" -q --no-verify --mechanism malekeh --shard $i/2 -O profile $list -o ones-$i; done
	"$triage" --join ones-1 ones-2 -o ones-joined
	same "joined too" "$(grep ^TV ones | cut -f4- | sort)" "$(grep ^TV ones-joined | cut -f4- | sort)"
	case $list in *one-4*) ;; *) same "byte for byte" "$(cat ones)" "$(cat ones-joined)" ;; esac
done
printf '#cachetriage-profile\t1\nTV\ta\tmalekeh\thurts\t0.9\t0.8\t0.95\twhy\nTV\ta\tmalekeh\tbenefits\t1.9\t1.8\t1.95\twhy\n' >both.tv
refuses "two verdicts on one" 2 'two verdicts on a' "$triage" --no-verify --join both.tv
# Workers are as many as can be had.
list=$(for i in $(seq 40); do echo gains.profile; done)
"$triage" -q --no-verify -@ 2 -O csv $list >few.csv
(ulimit -n 24 && "$triage" -q --no-verify -@ 64 -O csv $list >many.csv)
same "files that cannot be opened lose no line" "0 161 $(cksum <few.csv)" "$? $(wc -l <many.csv) $(cksum <many.csv)"
(ulimit -v 400000 && "$CT_RELEASE/triage" -q --no-verify -O csv gains.profile loses.profile >little.csv)
same "nor do addresses" "0 9" "$? $(wc -l <little.csv)"

# Verdicts that a profile brings along, of others or of an earlier run, are none of this one.
mkdir -p elsewhere
(cat gains.profile; printf 'TV\tgains\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n') >elsewhere/gains.profile
(cat elsewhere/gains.profile; printf 'TV\tothers\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n') >elsewhere/many.profile
same "verdicts of others are left alone" "benefits benefits" \
	"$("$triage" -q --no-verify --mechanism malekeh -O csv gains.profile elsewhere/many.profile | awk -F, 'NR > 1 { print $3 }' | paste -sd' ')"
err=$("$triage" -q --no-verify --mechanism morpheus --require 'malekeh.verdict == hurts' elsewhere/gains.profile 2>&1 >/dev/null)
same "and earlier ones test nothing" "1 1" "$? $(printf '%s\n' "$err" | grep -c 'malekeh.verdict is missing')"
name=$(printf 'no\nwhere')
err=$("$triage" -q --no-verify "$name" gains.profile 2>&1 >/dev/null)
same "a name of two lines fails in one" "2 1" "$? $(printf '%s\n' "$err" | wc -l)"

made 'a\nb\tc|"d", e' 1.4 1.3 1.5 >odd.profile
same "any name comes out as it is" 'a\nb\tc|"d", e' \
	"$("$triage" --no-verify --mechanism malekeh -O profile odd.profile | awk -F'\t' '$1 == "TV" { print $2 }')"
same "quoted in CSV" "$(printf '"a\nb\tc|""d"", e",malekeh')" \
	"$("$triage" --no-verify --mechanism malekeh -O csv odd.profile | sed -n '2,3p' | cut -d, -f1-3 | sed '2s/,benefits.*//')"

# ---- traces ----
for w in vecadd nn; do "$CT_RELEASE/tracegen" $w --size small -o "$w" >/dev/null || fail "tracegen $w"; done
"$CT_RELEASE/tracegen" workingset --footprint 896KiB --passes 4 --ctas 108 --sharing 1 -o ws >/dev/null || fail "tracegen workingset"
"$CT_RELEASE/reuse" -q --scale 1/8 ws >ws.profile
"$CT_RELEASE/tracegen" workingset --footprint 128KiB --ctas 32 -o few >/dev/null || fail "tracegen workingset"

"$triage" -q --scale 1/8 --mechanism morpheus,shared-l1 ws vecadd >traces.tv
check "a trace of several waves is judged" test "$(row ws morpheus traces.tv)" != unknown
same "one of first touches has nothing to gain" neutral "$(row vecadd morpheus traces.tv)"
check "and says that nothing is used again" grep -q 'vecadd.morpheus.neutral.*no reuse: 100 % of LLC misses are first touches' traces.tv
same "a profile gives what its trace gives" "$(grep '^TV.ws' traces.tv)" \
	"$("$triage" -q --mechanism morpheus,shared-l1 ws.profile | grep '^TV')"
"$triage" -q ws.profile >alone
same "of one input the profile is passed on" "$(grep -cE '^(RD|KN)' ws.profile)" "$(grep -cE '^(RD|KN)' alone)"
same "with the curve that report draws" 8 "$(grep -c '^SW.all.morpheus.BL.sms.[2-9].ipc' alone)"
"$triage" -q alone >alone-2
same "made once" "$(grep '^[ST][WV]' alone)" "$(grep '^[ST][WV]' alone-2)"
"$triage" -q --no-provenance --scale 1/8 -@ 1 vecadd gone nn 2>/dev/null >t1
"$triage" -q --no-provenance --scale 1/8 -@ 3 vecadd gone nn 2>/dev/null >t3
same "processes change nothing" "$(cat t1)" "$(cat t3)"
same "every workload and mechanism has a line" 8 "$(grep -c '^TV' t1)"
same "and an estimate from the one pass" "" "$(awk -F'\t' '$1 == "TV" && $5 == "NA" { print $2, $3 }' t1)"

out=$("$triage" -q --scale 1/8 --mechanism morpheus vecadd nowhere nn 2>err)
rc=$?
same "a trace that fails does not stop the others" "2 nn vecadd" \
	"$rc $(printf '%s\n' "$out" | awk -F'\t' '$1 == "TV" { print $2 }' | paste -sd' ')"
check "and is reported" grep -q '^triage: nowhere: ' err
same "in one line" 1 "$(wc -l <err)"
for o in profile csv; do
	refuses "what a lone input lacks is told, with -O $o" 2 '^triage: few: 8 sectors in a line' \
		bash -c '"$@" >/dev/null' - "$triage" -q --scale 1/32 -p l1.line=256 -O $o few
done
"$CT_RELEASE/reuse" -q --no-sms-views --scale 1/8 vecadd -o cold.profile
"$CT_RELEASE/reuse" --merge cold.profile cold.profile -o colder.profile
check "merged first touches are first touches" \
	grep -q 'morpheus,neutral.*100 % of LLC misses are first touches' <("$triage" -q -O csv colder.profile)
"$CT_RELEASE/tracegen" gemm-tensor --size small -o tensor >/dev/null || fail "tracegen gemm-tensor"
says="modified lines keep an L1 waiting for [0-9]* % of the time: -p l1.dirty_percent=0 shows what they cost"
tensor() { "$triage" -q -O csv --scale 1/16 --method analytic --mechanism tag-split "$@" tensor; }
check "loads that wait behind modified lines are told of, and what shows it" grep -q "tag-split.*$says" <(tensor)
check "not where modified lines may leave" test -z "$(tensor -p l1.dirty_percent=0 | grep 'modified lines')"
check "nor where stores spread over sets" test -z "$("$triage" -q -O csv --scale 1/8 ws vecadd | grep 'modified lines')"
refuses "merging makes no pass" 2 '^reuse: -g is for the pass' "$CT_RELEASE/reuse" --merge -g a100 cold.profile cold.profile

# ---- resume ----
"$CT_RELEASE/tracegen" workingset --footprint 64KiB --passes 2 --ctas 36 -o small >/dev/null || fail "tracegen workingset"
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept vecadd small >r1
same "a profile per input is kept" 2 "$(ls kept | wc -l)"
refuses "a folder is not for the verdicts" 2 '^triage: kept: is a folder, and -o names .*: --resume keeps' "$triage" -o kept small
before=$(ls -i kept)
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept vecadd small >r2
same "a second run gives the same" "$(cat r1)" "$(cat r2)"
same "and makes nothing again" "$before" "$(ls -i kept)"
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept vecadd small -p morpheus.bloom_bytes=64 >/dev/null
if [ "$before" != "$(ls -i kept)" ]; then pass "another setting is another run"; else fail "another setting is another run"; fi
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept vecadd small >/dev/null
before=$(ls -i kept | grep small)
"$CT_RELEASE/tracegen" vecadd --size small -o vecadd -s 3 >/dev/null 2>&1 || cp -r nn/. vecadd/
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept vecadd small >/dev/null
same "another trace leaves the others' profiles" "$before" "$(ls -i kept | grep small)"
check "report reads the folder" "$CT_BIN/report" kept
# A list under any name, its kernels in a folder below: a change there is a change.
mkdir -p far/below && cp small/*.traceg* far/below/ && sed 's,^kernel-,below/kernel-,' small/kernelslist.g >far/any.list
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept far/any.list >far1
cp vecadd/kernel-1.traceg* far/below/
"$triage" -q --scale 1/8 --mechanism morpheus --resume kept far/any.list >far2
if [ "$(grep ^TV far1)" != "$(grep ^TV far2)" ]; then pass "a kernel in a folder below is looked at"
else fail "a kernel in a folder below is looked at" "$(cat far2)"; fi
cp small/kernel-1.traceg.zst small/kernel-77.traceg.zst
check "and so is one that the list does not name" grep -q 'morpheus.*1 kernel is not in the list' \
	<("$triage" -q --scale 1/8 --mechanism morpheus --resume kept small)
rm small/kernel-77.traceg.zst
refuses "a file is no folder to keep profiles in" 2 'far1: cannot make the folder' "$triage" --resume far1 vecadd
refuses "standard input cannot be kept" 2 'standard input gives but once' bash -c '"$@" >/dev/null' - "$triage" --resume kept -
mkfifo pipe
"$triage" --resume kept pipe >/dev/null 2>err
same "a FIFO cannot be told to be the same" "2 1" "$? $(grep -c 'pipe: neither a file nor a folder' err)"

# Kept profiles hold every system; for rows alone the pass measures those that decide.
"$triage" -q --scale auto -O csv --resume every nn ws >every.csv
same "what is kept has every system" "14 11" \
	"$(cat every/ws-*.profile | awk -F'\t' '$1 == "ES" && $5 == "speedup" && $3 ~ /tag|mal/ { n[$3]++ } END { print n["tag-split"], n["malekeh"] }')"
same "rows alone are the same" "$(cat every.csv)" "$("$triage" -q --scale auto -O csv nn ws)"
# An estimator that is asked again overrules the verdict on what it had said.
"$CT_RELEASE/morpheus-est" -q -p morpheus.ext_service_ns=500 every/ws-*.profile -o again.profile
same "verdicts on the others stay" "malekeh shared-l1 tag-split" "$(grep ^TV again.profile | cut -f3 | sort | paste -sd' ')"
"$CT_RELEASE/report" --csv again.csv again.profile
same "report decides anew" "$("$triage" -q -O csv again.profile | grep ,morpheus, | cut -d, -f3,4)" \
	"$(awk -F, '$2 == "verdict" && $4 == "morpheus" { print $12 "," $7 }' again.csv)"

# What was measured on the profile's GPU is no verdict on another.
"$triage" -q -p l1.size=32KiB --method analytic every/ws-*.profile -o other
same "another GPU than the profile's is unknown where only a trace can tell" \
	"malekeh unknown NA tag-split unknown NA" \
	"$(awk -F'\t' '$1 == "TV" && $3 ~ /tag|mal/ { print $3, $4, $5 }' other | sort | paste -sd' ')"
same "no speed-up of it stays" "" "$(grep -E '^ES.all.(tag-split|malekeh).*speedup' other | head -1)"
same "unless the trace is there to be replayed" "" \
	"$("$triage" -q -p l1.size=32KiB every/ws-*.profile | awk -F'\t' '$1 == "TV" && $3 ~ /tag|mal/ && $12 !~ /bound|quick|full/')"
sn() { awk -F'\t' -v m="$2" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }' "$1"; }
same "and the profile is of it" 32768 "$(awk -F'\t' '$2 == "l1.size" { print $3 }' other)"
same "the replay's rate was another" 1 "$(awk "BEGIN { print $(sn other l1_miss_rate) != $(sn every/ws-*.profile l1_miss_rate) }")"

# ---- shards ----
mkdir again && cp -r vecadd again/
"$triage" -q --scale 1/8 --mechanism morpheus vecadd again/vecadd nn vecadd/kernelslist.g -o whole
for i in 1 2 3; do "$triage" -q --scale 1/8 --mechanism morpheus --shard $i/3 vecadd again/vecadd nn vecadd/kernelslist.g -o part-$i; done
same "joined parts are the whole, byte for byte" "$(cat whole)" "$("$triage" --join part-1 part-2 part-3)"
refuses "a part that is missing" 2 'part 2 of 3 is missing' "$triage" --join part-1 part-3
refuses "a part that comes twice" 2 'part-1: part 1 of 3 comes twice' "$triage" --join part-1 part-2 part-1 part-3
"$triage" -q --scale 1/8 --mechanism morpheus --shard 2/2 nn nowhere -o half-2 2>/dev/null
"$triage" -q --scale 1/8 --mechanism morpheus --shard 1/2 nn nowhere -o half-1
refuses "parts of different runs" 2 'part of 2 among parts of 3' "$triage" --join part-1 half-2
"$triage" -q --no-verify --shard 1/2 gains.profile loses.profile -o of-1
"$triage" -q --no-verify -p morpheus.bloom_bytes=64 --shard 2/2 gains.profile loses.profile -o of-2
"$triage" --join of-1 of-2 2>err >/dev/null
same "parts made in different ways are told" 1 "$(grep -c 'different command lines' err)"
"$triage" --join half-1 half-2 >halves 2>err
same "an input that failed in its part is told, exit 2" "2 1 1" "$? $(grep -c ^TV halves) $(grep -c '1 inputs of the parts failed' err)"
same "equal names are told apart" "vecadd vecadd#2 vecadd#3" "$(awk -F'\t' '$1 == "TV" && $2 ~ /^vec/ { print $2 }' whole | uniq | paste -sd' ')"
"$triage" --slurm --tasks 2 --scale 1/8 --mechanism morpheus -o job.sbatch vecadd small nn "it's"
check "the Slurm script is a shell script" sh -n job.sbatch
check "with an array" grep -qx '#SBATCH --array=1-2' job.sbatch
rm -rf it; cp -r vecadd "it's"
for i in 1 2; do (PATH="$CT_BIN:$PATH" SLURM_ARRAY_TASK_ID=$i sh job.sbatch) >/dev/null 2>&1 || fail "task $i of the Slurm script"; done
"$triage" -q --scale 1/8 --mechanism morpheus -O profile --no-provenance vecadd small nn "it's" -o whole
same "its tasks, run by hand, join to the local run" "$(grep '^TV' whole)" \
	"$("$triage" --join triage-shard-1.tv triage-shard-2.tv | grep '^TV')"

given="-g a100 -p l1.latency=40 -k 1-2 --pattern (?<addr>x) --method analytic --trace-root root --warmup 5 --sample 0.5 --seed 7 --max-memory 2147483648 --max-expand 1024 --salvage --trust-paths --no-verify --mechanism malekeh --only hurts --min-speedup 1.5 --require malekeh.low>1 --allow-unknown --no-provenance --quiet"
same "every option comes into the script" "$given -- a -b" \
	"$("$triage" --slurm $given -- a -b | tail -1 | sed "s/'//g; s/^[[:space:]]*//")"
refuses "a threshold that cannot be read makes no script" 2 'column' "$triage" --slurm --require 'morpheus >' a
refuses "a shard that there is not" 2 'as in 2/8' "$triage" --shard 3/2 vecadd
refuses "an unknown verdict" 2 'benefits, neutral' "$triage" --only good vecadd
refuses "an unknown mechanism" 2 'morpheus, shared-l1' "$triage" --mechanism l3 vecadd
refuses "joining a profile without verdicts" 2 'cold.profile: no verdicts in it' "$triage" --join part-1 part-2 part-3 cold.profile
refuses "joining and sharding" 2 'leave out one' "$triage" --join --shard 1/2 part-1
refuses "an array job that joins" 2 'leave out --join' "$triage" --slurm --join part-1
refuses "joining a trace" 2 'trace' "$triage" --join vecadd
refuses "no way to keep what paths lead to" 2 'trust-paths' "$triage" --resume kept --trust-paths vecadd
finish
