# mpki --every: intervals that add up, phases where a program changes, trace events.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
b=$CT_RELEASE
"$b/tracegen" bfs --size small -o bfs >/dev/null 2>&1
ph() { awk -F'\t' -v m="$2" '$1 == "PH" && $6 == m { s += $7 } END { print s + 0 }' "$1"; }
for every in 10000 5000c 4000i; do
	"$b/mpki" --every $every -O profile -o p bfs
	same "--every $every: the intervals have all instructions" "$(awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "warp_insts" { print $4 }' p)" "$(ph p warp_insts)"
	same "--every $every: each begins where the one before ends" "" \
		"$(awk -F'\t' '$1 == "PH" && $6 == "cycles" { if (n++ && $4 != end) print $4, end; end = $5 }' p)"
	same "--every $every: phases are numbered" "" "$(awk -F'\t' '$1 == "PH" { if ($3 != last && $3 != last + 1) print; last = $3 }' p)"
done
same "of cycles all but the last have as many" 5000 "$("$b/mpki" --every 5000c -O profile bfs | awk -F'\t' '$1 == "PH" && $6 == "cycles" { print $7 }' | sed '$d' | sort -u)"
same "the same for any number of threads" "$("$b/mpki" --no-provenance --every 10000 -O profile bfs | cksum)" "$("$b/mpki" --no-provenance -@ 3 --every 10000 -O profile bfs | cksum)"
"$b/reuse" --no-sms-views -o prof bfs
same "intervals name the launches that they are of, in order" "1 $("$b/traceinfo" -O profile bfs | grep -c '^KN')" "$("$b/mpki" --every 10000 -O profile bfs | awk -F'\t' '
	$1 == "PH" && $6 == "first_launch" { if (first == "") first = $7; if ($7 < last) print "back to " $7; from = $7 }
	$1 == "PH" && $6 == "last_launch" { if ($7 < from) print "ends before " from; last = $7 }
	END { print first, last }')"
same "a profile is replayed for it" "$("$b/mpki" --every 10000 -O profile bfs | grep -P '^PH' | cksum)" "$("$b/mpki" --every 10000 -O profile prof | grep -P '^PH' | cksum)"
# one program reads everything once, the other a few rows again and again
"$b/tracegen" vecadd -o one >/dev/null 2>&1
"$b/tracegen" covariance --size small -o two >/dev/null 2>&1
"$b/tracecat" -o both.ctz one two 2>err || fail "two traces are joined" "$(cat err)"
"$b/mpki" --every 2000 -O profile -o both.prof both.ctz
same "the miss rate of a program that changes falls from one phase to the next" 1 "$(awk -F'\t' '$1 == "PH" && $6 == "l1_miss_rate" && $7 != "NA" { s[$3] += $7; n[$3]++; if ($3 > top) top = $3 }
	END { print (top >= 2 && top <= 6 && s[1] / n[1] > 0.9 && s[top] / n[top] < 0.3) }' both.prof)"
"$b/mpki" --every 10000 --trace-events t.json -O profile -o /dev/null bfs
same "trace events are JSON" "events kernels phases" "$(python3 - <<'P' 2>&1
import json
d = json.load(open("t.json"))["traceEvents"]
c = [x for x in d if x["ph"] == "C"]
k = [x for x in d if x.get("cat") == "kernel"]
p = [x for x in d if x.get("cat") == "phase"]
ok = all(a["ts"] + a["dur"] == b["ts"] for s in (k, p) for a, b in zip(s, s[1:]))
print("events" if c and ok else "", "kernels" if len(k) == 18 else len(k), "phases" if p else "")
P
)"
refuses "an interval of nothing" 2 "number of warp instructions" "$b/mpki" --every 0 bfs
refuses "of something else" 2 "number of warp instructions" "$b/mpki" --every 10x bfs
refuses "too many intervals" 2 "take a larger number" "$b/mpki" --every 1c bfs
refuses "events without intervals" 2 "give --every" "$b/mpki" --trace-events t bfs
refuses "not with --warmup" 2 "leave out --warmup" "$b/mpki" --every 100 --warmup 10 bfs
refuses "not with --sample-kernels" 2 "not with --every" "$b/mpki" --every 100 --sample-kernels bfs
finish
