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
# two launches made one: the phases of that launch have the verdicts that the launches have
"$b/tracegen" workingset --footprint 1792KiB --ctas 96 --passes 1 --compress none -o wide >/dev/null 2>&1
"$b/tracegen" -q ptx "$CT_ROOT/data/workloads/kmeans.ptx" -k kmeans_swap --grid 94 --block 256 --arg buf:4MiB --arg buf:4MiB --arg u32:24011 \
	--arg u32:34 --compress none -o sparse >/dev/null 2>&1
mkdir apart joined
python3 - wide/kernel-1.traceg sparse/kernel-1.traceg <<'P' || fail "two launches are joined"
import re, sys
heads, ctas = [], []
for path in sys.argv[1:]:
    parts = open(path).read().split("#BEGIN_TB")
    heads.append(parts[0])
    ctas.append(parts[1:])
regs = max(int(re.search(r"nregs = (\d+)", h)[1]) for h in heads)
def text(head, grid, rest):
    head = re.sub(r"nregs = \d+", "nregs = %d" % regs, head)
    return re.sub(r"grid dim = \S+", "grid dim = (%d,1,1)" % grid, head) + "".join(rest)
def moved(of, first, pc):
    out = []
    for n, cta in enumerate(of):
        cta = re.sub(r"thread block = \S+", "thread block = %d,0,0" % (first + n), cta)
        cta = re.sub(r"(?m)^([0-9a-f]{4}) (?=[0-9a-f]{8} )", lambda m: "%04x " % (int(m[1], 16) + pc), cta)
        out.append("#BEGIN_TB" + cta)
    return out
for i in range(2):
    head = re.sub(r"kernel id = \d+", "kernel id = %d" % (i + 1), heads[i])
    open("apart/kernel-%d.traceg" % (i + 1), "w").write(text(head, len(ctas[i]), moved(ctas[i], 0, 0)))
open("apart/kernelslist.g", "w").write("kernel-1.traceg\nkernel-2.traceg\n")
both = moved(ctas[0], 0, 0) + moved(ctas[1], len(ctas[0]), 0x8000)
open("joined/kernel-1.traceg", "w").write(text(heads[0], len(both), both))
open("joined/kernelslist.g", "w").write("kernel-1.traceg\n")
P
on="-g fermi-15 --scale 1/5"
for k in 1 2; do
	"$b/triage" -q $on --mechanism bypass -k $k -O profile apart | awk -F'\t' '$1 == "TV" { print $4, $5 }'
done >apart.verdicts
"$b/mpki" -q $on --every 20000 --mechanism bypass -O profile -o joined.prof joined
# a phase of each launch: those of more than a third of all instructions
awk -F'\t' '$1 == "PH" && $6 == "warp_insts" { n[$3] += $7; all += $7 } $1 == "PV" { word[$3] = $5; gain[$3] = $6 }
	END { for (i = 1; i in word; i++) if (n[i] > all / 3) print word[i], gain[i] }' joined.prof >joined.verdicts
same "one launch of the two hurts, the other benefits" "hurts benefits" "$(awk '{ print $1 }' apart.verdicts | paste -sd' ')"
same "phases inside a launch have the verdicts of the launches" "$(awk '{ print $1 }' apart.verdicts)" "$(awk '{ print $1 }' joined.verdicts)"
same "and speed-ups within 3 % of theirs" "" "$(paste apart.verdicts joined.verdicts | awk '{ r = $2 / $4; if (r < .97 || r > 1.03) print }')"
# Cycles of a phase have six digits: of the large one the last stands for ten.
same "the cycles of the phases are those of the run without launches" "" "$(awk -F'\t' '$1 == "SN" && $2 == "all" { v[$3] = $4 } $1 == "PV" { sum += $9 }
	END { d = sum - (v["cycles"] - v["launch_cycles"]); if (d < -10 || d > 10) print sum, v["cycles"], v["launch_cycles"] }' joined.prof)"
# A mechanism's own baseline is what its phases are held against.
"$b/mpki" -q $on --every 20000 --mechanism malekeh -O profile -o own.prof joined
same "Malekeh's phases are over what stands for the GPU" "" "$(awk -F'\t' '$1 == "PV" { n++; d = $9 / $10 / $6 - 1 }
	$1 == "PV" && !($11 ~ /cycles with OCU-own, with Malekeh/ && d < 1e-4 && d > -1e-4) { print $6, $9, $10, $11 } END { if (!n) print "none" }' own.prof)"
"$b/mpki" -q $on --every 20000 --mechanism bypass -O table joined | grep -q '^Verdicts of phases' || fail "the table has the verdicts"
refuses "verdicts without phases" 2 "give --every" "$b/mpki" --mechanism bypass bfs
refuses "verdicts in quick timing" 2 "leave --timing quick out" "$b/mpki" --every 1000 --mechanism bypass --timing quick bfs
refuses "an interval of nothing" 2 "number of warp instructions" "$b/mpki" --every 0 bfs
refuses "of something else" 2 "number of warp instructions" "$b/mpki" --every 10x bfs
refuses "too many intervals" 2 "take a larger number" "$b/mpki" --every 1c bfs
refuses "events without intervals" 2 "give --every" "$b/mpki" --trace-events t bfs
refuses "not with --warmup" 2 "leave out --warmup" "$b/mpki" --every 100 --warmup 10 bfs
refuses "not with --sample-kernels" 2 "not with --every" "$b/mpki" --every 100 --sample-kernels 0.5 bfs
finish
