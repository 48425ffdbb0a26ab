# sweep: points of several keys, from profiles and from traces, what fails, what is resumed, every format.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
PATH=$CT_RELEASE:$PATH

tracegen workingset --footprint 896KiB --passes 2 --ctas 54 -o ws >/dev/null
tracegen vecadd --size small -o vecadd >/dev/null
reuse -q --scale 1/8 -o ws.profile ws
reuse -q --scale 1/8 -o vecadd.profile vecadd
es() { awk -F'\t' -v m="$2" -v s="$3" -v n="$4" '$1 == "ES" && $3 == m && $4 == s && $5 == n { print $6, $8; exit }' "$1"; }

# CSV: the header of the contract, a row for each system, point and number.
"$CT_BIN/sweep" -q -O csv llc.size=384KiB,768KiB sms=2..8:x2 --system morpheus -- ws.profile vecadd.profile >grid.csv
same "the header names the keys" "workload,mechanism,system,llc.size,sms,metric,value,unit,method,low,high" \
	"$(head -1 grid.csv | tr -d '\r')"
same "each workload has all points of all systems" "156" \
	"$(awk -F, '$6 == "speedup" { n++ } END { print n }' grid.csv)"
same "the first key changes slowest" "393216,2 393216,4 393216,8 786432,2 786432,4 786432,8" \
	"$(awk -F, '$1 == "ws" && $3 == "BL" && $6 == "speedup" { print $4 "," $5 }' grid.csv | paste -sd' ')"
same "the setting is what computes" "2 4 8" \
	"$(awk -F, '$1 == "ws" && $3 == "Morpheus-ALL" && $4 == 393216 && $6 == "compute_sms" { print $7 }' grid.csv | paste -sd' ')"
check "ranges hold their value" awk -F, '$6 ~ /^speedup/ && !($10 <= $7 && $7 <= $11) { exit 1 }' grid.csv
for n in 2 3; do
	same "the same with $n processes" "$(md5sum <grid.csv)" \
		"$("$CT_BIN/sweep" -q -@ $n -O csv llc.size=384KiB,768KiB sms=2..8:x2 --system morpheus -- ws.profile vecadd.profile | md5sum)"
done

# A point is what the estimator says there.
morpheus-est -q --scale 1 --method analytic -O profile -p llc.size=768KiB ws.profile >at.profile
sweep -q -O csv llc.size=384KiB,768KiB --system Morpheus-ALL,baseline -- ws.profile >line.csv
for m in cycles llc_mpki energy_j compute_sms; do
	same "a point is what the estimator says: $m" "$(es at.profile morpheus Morpheus-ALL $m)" \
		"$(awk -F, -v m=$m '$3 == "Morpheus-ALL" && $4 == 786432 && $5 == m { print $6, $8 }' line.csv)"
done
same "the baseline is the GPU as configured there" \
	"$(mpki -q --method analytic -p llc.size=768KiB -O profile ws.profile | awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "cycles" { print $4 }')" \
	"$(awk -F, '$2 == "baseline" && $4 == 786432 && $5 == "cycles" { print $6 }' line.csv)"
same "a parameter is followed" "$(morpheus-est -q --scale 1 --method analytic -p morpheus.ext_service_ns=166 -O profile ws.profile >p && es p morpheus Morpheus-ALL cycles)" \
	"$(sweep -q -O csv morpheus.ext_service_ns=166,185 -- ws.profile | awk -F, '$3 == "Morpheus-ALL" && $4 == 166 && $5 == "cycles" { print $6, $8 }')"

# What the profile cannot follow is measured on the trace; where that is not allowed, or is gone, the point fails.
"$CT_BIN/sweep" -q -O csv sm.count=6,9 --system Morpheus-ALL,baseline --metric cycles -- ws.profile >sms.csv
same "another SM count is replayed" "$(mpki -q -p sm.count=6 --scale 1 --method replay -O profile ws.profile | awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "cycles" { print $4, $6 }')" \
	"$(awk -F, '$2 == "baseline" && $4 == 6 { print $6, $8 }' sms.csv)"
same "from the trace as from its profile" "$(md5sum <sms.csv)" \
	"$(sweep -q -O csv --scale 1/8 sm.count=6,9 --system Morpheus-ALL,baseline --metric cycles -- ws | md5sum)"
# A system that decides by bits of a pass has them in every command, and another GPU makes another pass.
malekeh-est -q --scale 1/8 --method replay -O profile ws >mk.profile
same "a replayed point is what the estimator replays" "$(es mk.profile malekeh Malekeh cycles | cut -d' ' -f1)" \
	"$(sweep -q -O csv --scale 1/8 --method replay llc.size=768KiB --system malekeh --metric cycles -- ws | awk -F, '$3 == "Malekeh" { print $6 }')"
check "a mechanism by its name: the systems that are told of, status 0" \
	sh -c "'$CT_BIN/sweep' -q -O csv --scale 1/8 llc.size=384KiB,768KiB --system malekeh --metric speedup_configured -- ws >mk.csv"
same "at both sizes" "2 0" "$(grep -c ',Malekeh,' mk.csv) $(grep -c ',NA,' mk.csv)"
refuses "one that is named and not told of" 2 'malekeh tells of its system OCU-16: ask malekeh-est' \
	sh -c "'$CT_BIN/sweep' -O csv --scale 1/8 llc.size=384KiB --system OCU-16 -- ws 2>&1 >/dev/null | sed 1q >&2; exit 2"
sweep -q -O csv sm.count=6,9 --method analytic --system baseline --metric cycles -- ws.profile >na.csv 2>err
same "a point that fails is NA, and the others are there: exit 2" "2 NA,NA,NA,NA,NA,NA" \
	"$? $(tr -d '\r' <na.csv | awk -F, '$4 == 6 { print $5 "," $6 "," $7 "," $8 "," $9 "," $10 }')"
check "with its reason" grep -q '^sweep: ws sm.count=6: .*needs the trace' err
same "and the other point" "$(awk -F, '$4 == 9' sms.csv | grep baseline)" "$(awk -F, '$4 == 9' na.csv)"
sweep -q -O csv llc.size=385KiB --system baseline -- ws.profile 2>&1 >/dev/null | grep -q 'nearest sizes are 393216 and 405504' &&
	pass "sizes that divide are named" || fail "sizes that divide are named"
sweep -q dram.bank_groups=3 --system baseline -- ws.profile 2>&1 >/dev/null | grep -q 'nearest are 2 and 4' &&
	pass "counts that divide are named" || fail "counts that divide are named"
sweep -q -O csv llc.size=384KiB --system baseline --metric cycles -- ws.profile none vecadd.profile >some.csv 2>err
same "an input that is not there fails alone" "2 vecadd none ws" "$? $(awk -F, 'NR > 1 { print $1 }' some.csv | sort -u | awk '{ a[NR] = $0 } END { print a[2], a[1], a[3] }')"

# Resumed: what is done is not done again, and what was cut off is.
run() { "$CT_BIN/sweep" -q -O csv sm.count=6,9 l1.latency=20,40 --system baseline,Morpheus-ALL --resume state -- ws.profile; }
run >first.csv
same "a file of points" 4 "$(grep -c ^K state)"
cp state whole
head -c -20 whole >state
same "what was cut off is done again" "$(cat first.csv)" "$(run)"
same "and the file is whole" "$(md5sum <whole)" "$(md5sum <state)"
mv ws gone
same "what is kept needs no trace" "$(cat first.csv)" "$(run)"
mv gone ws
printf 'x\n' >other
refuses "a file of something else stays" 2 'no file of a sweep' "$CT_BIN/sweep" -q sms=2 --resume other -- ws.profile
same "as it was" x "$(cat other)"
sweep -q -O csv sm.count=6,9 --budget 0.000001 --system baseline -- ws.profile >late.csv 2>err
same "a budget that is over: NA, exit 2" "2 2" "$? $(grep -c 'NA,NA,NA,NA,NA,NA' late.csv)"
check "says how to go on" grep -q 'not reached within --budget.*--resume' err

# Records and JSON.
"$CT_BIN/sweep" -q -O profile llc.size=384KiB,768KiB sms=2,4 --system Morpheus-ALL --metric speedup -- ws.profile >swept
same "SW: lists with commas, the range behind" "llc.size,sms 393216,2 speedup ratio analytic 11" \
	"$(awk -F'\t' '$1 == "SW" { print $5, $6, $7, $9, $10, NF - 1; exit }' swept)"
same "behind what the profile has" "$(grep -cv '^EN' ws.profile)" "$(grep -v '^SW\|^#SW\|^EN' swept | grep -vc '	sweep	')"
check "the profile is a profile" reuse -q --merge -o /dev/null swept
check "JSON" sh -c "'$CT_BIN/sweep' -q -O json sms=2,4 -- ws.profile | jq -e . >/dev/null"
same "a pipe gives what a file gives" "$(grep ^SW swept)" \
	"$("$CT_BIN/sweep" -q -O profile llc.size=384KiB,768KiB sms=2,4 --system Morpheus-ALL --metric speedup <ws.profile | grep ^SW)"
same "a table of 80 columns" "" "$(sweep -q -O table llc.size=384KiB,768KiB sms=2,4 -- ws.profile | awk 'length > 80')"

# A table shows the metrics that are named.
sweep -q -O csv llc.size=384KiB,768KiB --metric speedup,cycles --system baseline,Morpheus-ALL -- ws.profile vecadd.profile |
	tr -d '\r' | awk -F, 'NR > 1 { print $1, $4, $3, $5, $6, $7, $8 }' >named.csv
"$CT_BIN/sweep" -q -O table llc.size=384KiB,768KiB --metric speedup,cycles --system baseline,Morpheus-ALL -- ws.profile vecadd.profile >named
same "a table of named metrics has the rows of the CSV" "$(cat named.csv)" "$(awk 'NR > 1 { print $1, $2, $3, $4, $5, $6, $NF }' named)"
same "under their heads" "workload llc.size system metric value unit range method" "$(head -1 named | xargs)"
same "and the range where there is one" "4 8" "$(grep -c '[0-9][.][.][0-9]' named) $(grep -c . named.csv | awk '{ print $1 - 4 }')"
sweep -O csv llc.size=384KiB --metric rf_hit_ratio,cycles --system Morpheus-ALL -- ws.profile >some.csv 2>err
same "of two metrics of which one is nowhere the other is there: exit 2" "2 1" "$? $(grep -c ',cycles,' some.csv)"
check "with a line about the first" grep -q '^sweep: --metric rf_hit_ratio: no system here has it' err
run2() { "$CT_BIN/sweep" -O csv llc.size=384KiB --metric rf_hit_ratio --system Morpheus-ALL --resume state2 -- ws.profile; }
run2 2>err >/dev/null
refuses "also of points that were kept" 2 "$(sed 's/^sweep: //; s/[+]/./g' err)" run2
check "where all points fail, only of that" test "$(sweep -q -O csv llc.size=385KiB --metric rf_hit_ratio --system Morpheus-ALL -- ws.profile 2>&1 | grep -c 'no system')" = 0

# Refusals.
refuses "nothing to vary" 2 'what is to be varied' "$CT_BIN/sweep" -- ws.profile
refuses "an input without --" 2 'KEY=LIST, and --' "$CT_BIN/sweep" llc.size=1MiB ws.profile
refuses "an unknown key" 2 "unknown key 'llc.sice': did you mean 'llc.size'" "$CT_BIN/sweep" llc.sice=1MiB -- ws.profile
refuses "a parameter without its prefix" 2 'did you mean tsc.hit_latency' "$CT_BIN/sweep" hit_latency=1 -- ws.profile
refuses "a value twice" 2 'stands in it twice' "$CT_BIN/sweep" sms=2,4,2 -- ws.profile
refuses "a key twice" 2 'varied twice' "$CT_BIN/sweep" sms=2 sms=4 -- ws.profile
refuses "an empty item" 2 'empty' "$CT_BIN/sweep" sms=2,,4 -- ws.profile
refuses "a word that the key has not" 2 'scheduler' "$CT_BIN/sweep" sm.scheduler=fast -- ws.profile
refuses "an unknown system" 2 'there is no such system' "$CT_BIN/sweep" --system TSC9 sms=2 -- ws.profile
refuses "a system of two mechanisms" 2 'write morpheus:BL' "$CT_BIN/sweep" --system BL llc.size=1MiB -- ws.profile
refuses "a setting of another mechanism" 2 'sms is a setting of morpheus' "$CT_BIN/sweep" --system TSC+ sms=2 -- ws.profile
refuses "an unknown metric" 2 'speed is no metric: did you mean speedup' "$CT_BIN/sweep" --metric speed sms=2 -- ws.profile
refuses "a list with an empty metric" 2 'a part of it is no metric' "$CT_BIN/sweep" --metric cycles,,ipc sms=2 -- ws.profile
for f in table csv profile json; do
	refuses "a metric that no row has, as $f" 2 'rf_hit_ratio: no system here has it: there are cycles, ipc, .*speedup, ' \
		"$CT_BIN/sweep" -O $f --metric rf_hit_ratio --system baseline,Morpheus-ALL llc.size=384KiB,768KiB -- ws.profile
done
refuses "too many points" 2 'more than 65536 points' "$CT_BIN/sweep" l1.latency=1..256 llc.latency=1..256 sms=1..2 -- ws.profile
refuses "a time that is none" 2 'budget 5x' "$CT_BIN/sweep" --budget 5x sms=2 -- ws.profile
same "words are values, too" "gto lrr" "$(sweep -q -O csv sm.scheduler=gto,lrr --system baseline --metric cycles -- ws.profile | awk -F, 'NR > 1 { print $4 }' | paste -sd' ')"
finish
