# report: what it reads, thresholds and exit codes, Markdown, JUnit, CSV, comparison.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
report() { "$CT_BIN/report" --no-verify "$@"; }

# A profile by hand: made NAME SPEEDUP MPKI [WAVES]
made() {
	printf '#cachetriage-profile\t1\nTR\ttraces/%s/kernelslist.g\taccelsim-list\t9\tcrc64:1\n' "$1"
	printf 'SN\tall\tllc_mpki\t%s\tmisses/kinst\treplay\nSN\tall\tsm_fill\t%s\tratio\treplay\n' "$3" "${4:-8}"
	printf 'SN\tall\tcold_miss_fraction\t0.1\tratio\treplay\n'
	printf 'ES\tall\tmorpheus\tMorpheus-ALL\tspeedup_configured\t%s\tratio\tanalytic\t%s\t%s\n' "$2" "$2" "$2"
	printf 'ES\tall\tmorpheus\tMorpheus-ALL\tspeedup\t%s\tratio\tanalytic\t%s\t%s\n' "$2" "$2" "$2"
	printf 'ES\tall\tmorpheus\tIBL\tspeedup_configured\t1\tratio\tanalytic\t1\t1\n'
}
mkdir old new
made bfs 1.4 10 >old/a.profile
made nw 1.0 5 >old/b.profile
made gone 1.0 5 >old/c.profile
made bfs 1.3 12 >new/a.profile
made nw 1.0 5 >new/b.profile
made 'added|<b>&amp;' 0.7 5 >new/d.profile
echo "no profile" >new/README

report new >table
same "the table has a row per workload" "added|<b>&amp; bfs nw" "$(awk 'NR > 1 && !NF { exit } NR > 1 { print $1 }' table | paste -sd' ')"
check "a gain benefits" grep -qE '^bfs +benefits 1\.30 +unknown' table
check "a loss hurts" grep -qE '^added.* hurts 0\.70' table
check "one is neutral" grep -qE '^nw +neutral 1\.00' table
same "files in any order give the same" "$(report new)" "$(report new/d.profile new/b.profile new/a.profile)"
same "a document of verdicts joins its workloads" "neutral" \
	"$( (printf '#cachetriage-profile\t1\nTV\tbfs\tmorpheus\tneutral\t1\t0.99\t1.01\twhy\nTV\tother\tmalekeh\thurts\t0.9\t0.8\t0.95\twhy\n') >tv
	report tv new/a.profile >t2; awk '$1 == "bfs" { print $2 }' t2)"
check "and others it names" grep -qE '^other .* hurts 0\.90' t2
same "whatever comes first" "$(report tv new/a.profile)" "$(report new/a.profile tv)"
mkdir numbered
made bfs 1.4 10 >numbered/1
made bfs 1.3 10 >numbered/2
made 'bfs#2' 0.7 10 >numbered/3
(made bfs 1.4 10; for w in bfs other; do printf 'TV\t%s\tmalekeh\thurts\t0.5\t0.4\t0.6\twhy\n' $w; done) >several
sed 's/TV.bfs/TV\tthird/' several >others
same "verdicts on others are none on it" "hurts unknown" "$(report several | awk 'NR == 2 { print $NF == "0.50" ? $(NF - 1) : $NF }') $(report others | awk 'NR == 2 { print $NF }')"
same "no two workloads have one name" "bfs 1.40 bfs#2 0.70 bfs#3 1.30" "$(report numbered | awk 'NR > 1 && !NF { exit } NR > 1 { print $1, $3 }' | paste -sd' ')"

report --markdown out.md --junit out.xml --csv out.csv new
same "forms that are asked for are written, nothing else" "" "$(report --markdown x.md new)"
same "the same twice" "$(cat out.md)" "$(report --markdown - new)"
same "Markdown: a row of the table per workload" 3 "$(grep -c '^| .* | .* | .* | .* | .* |$' out.md | awk '{ print $1 - 1 }')"
check "Markdown: names are text" grep -q '^| added&#124;&#60;b&#62;&amp;amp; |' out.md
same "CSV: a verdict per workload and mechanism" 12 "$(grep -c ',verdict,all,' out.csv)"
check "CSV: values in full" grep -q '^bfs,summary,all,,,llc_mpki,12,misses/kinst,replay,,,,' out.csv
junit() { # NAME FILE
	if command -v xmllint >/dev/null 2>&1; then
		check "$1" xmllint --noout --schema "$CT_ROOT/tests/golden/junit.xsd" "$2"
	else
		skip "$1" "xmllint is not installed"
	fi
}
junit "JUnit without thresholds obeys the schema" out.xml
check "JUnit without thresholds has no tests" grep -q '<testsuites tests="0" failures="0"' out.xml

# ---- thresholds ----
check "a threshold that holds" report --require 'morpheus.Morpheus-ALL.speedup >= 1.05 for bfs*' new
fails() { # NAME PATTERN OPTION...: exit 1, and the line on standard error matches
	local name=$1 pattern=$2 out rc
	shift 2
	out=$(report --markdown /dev/null "$@" 2>&1)
	rc=$?
	if [ $rc -eq 1 ] && printf '%s\n' "$out" | grep -qE "$pattern"; then pass "$name"; else fail "$name" "exit $rc" "$out"; fi
}
fails "a threshold that does not hold" 'bfs: 1\.3 >= 1\.35 does not hold' --require 'morpheus.speedup >= 1.35 for bfs' new
refuses "a name that no metric has" 2 'llcmpki is no metric: did you mean llc_mpki' report --require 'llcmpki > 3' new
fails "a value that is missing" 'ipc is missing' --require 'ipc > 1' new
fails "no workload of that name" 'no workload' --require 'llc_mpki > 1 for zzz*' new
fails "one of several" 'FAILED|and 1 more' --require 'llc_mpki > 6' new
fails "a name that no workload has" 'no workload is called nww' --require 'morpheus.speedup >= 0 for bfs, nww' new
check "a verdict as threshold" report --require 'morpheus.verdict == benefits for bfs' new
printf '# thresholds\nllc_mpki <= 12 for bfs   # of bfs\n\nmorpheus.low > 1.05 for bfs\nllc_mpki < 1\n' >req
fails "thresholds from a file" 'llc_mpki < 1: ' --requirements req new
printf 'llc_mpki < 1000' >open.req
report --requirements open.req new >/dev/null 2>err
same "thresholds whose last line has no end are told" "0 1" "$? $(grep -c 'open.req: the last line has no end' err)"
printf ' # of all\n \n# that is all' >>open.req
report --requirements open.req new >/dev/null 2>err
same "behind a comment that is nothing" 0 "$(grep -c 'no end' err)"
report --requirements req --junit req.xml --quiet new
junit "JUnit with failures obeys the schema" req.xml
check "JUnit has a case per threshold" grep -q '<testsuite name="cachetriage" tests="3" failures="1" errors="0" skipped="0"' req.xml
check "JUnit names the failure" grep -q '<failure type="threshold" message="added|&lt;b&gt;&amp;amp;: 5 &lt; 1 does not hold (and 2 more)">' req.xml
refuses "a threshold that cannot be read" 2 'column 11' "$CT_BIN/report" --require 'llc_mpki >> 3' new
printf 'ipc > 1\nllc_mpki ! 3\n' >bad
refuses "and in a file, with its line" 2 'bad:2: .*column' "$CT_BIN/report" --requirements bad new
refuses "no such file of thresholds" 2 'cannot open' "$CT_BIN/report" --requirements none new

printf 'ipc > 1\nipc > 2\0 * 3\n' >nul
refuses "a NUL byte in a file of thresholds" 2 'nul:2: a NUL byte' "$CT_BIN/report" --requirements nul new
refuses "an endless one of them" 2 'zero:1: a NUL byte' timeout 10 "$CT_BIN/report" --requirements /dev/zero new

# ---- comparison ----
check "base is the old value" report --compare old --require 'llc_mpki <= 1.25*base' new
fails "a regression" 'bfs: 12 <= 10\.5 does not hold' --compare old --require 'llc_mpki <= 1.05*base' new
refuses "base without an old run" 2 'compare' "$CT_BIN/report" --no-verify --require 'llc_mpki <= base' new
report --compare old --require 'llc_mpki <= base for added*' --junit skip.xml --markdown skip.md new
same "a workload without a base is skipped, not failed" 0 $?
junit "JUnit with a skipped case obeys the schema" skip.xml
check "and JUnit says so" grep -q '<skipped message="added' skip.xml
check "and Markdown does not call that passed" grep -q '^### Thresholds: skipped' skip.md
mkdir renamed && made other 1.3 12 >renamed/a.profile && made another 1.3 12 >renamed/b.profile
fails "a run of other workloads" 'no workload of this run is in the old one' --compare old --require 'llc_mpki <= base' renamed
report --compare old new >compared
check "the comparison names changes" grep -qE '^bfs +llc_mpki +10\.0 +12\.0 +\+20\.0 %' compared
check "the comparison counts what is the same" grep -q '1 of 3 workloads are the same' compared
check "the comparison names what is new" grep -q '^only in the new run: added' compared
check "the comparison names what is gone" grep -q '^only in the old run: gone' compared
same "apart by whether they are worse" "Regressions (3)" "$(grep -E '^(Regressions|Improvements|Other changes) ' compared | paste -sd,)"
same "the largest effect first" "llc_mpki morpheus.Morpheus-ALL.speedup morpheus.Morpheus-ALL.speedup_configured" \
	"$(awk '$1 == "bfs" && NF > 3 && !/benefits/ && !/unknown/ { print $2 }' compared | paste -sd' ')"
{ made bfs 1.5 9; printf 'SN\tall\tipc\t0\tinsts/cycle\treplay\nSN\tall\tcycles\t300\tcycles\treplay\nSN\tall\twarps\t30\twarps\treplay\n'
	printf 'ES\tall\tmorpheus\tMorpheus-ALL\tstorage_bytes\t7\tbytes\tanalytic\tNA\tNA\nSN\tall\ttext_bytes\t99\tbytes\treplay\n'; } >ways-old
{ made bfs 1.4 10; printf 'SN\tall\tipc\t8\tinsts/cycle\treplay\nSN\tall\tcycles\t200\tcycles\treplay\nSN\tall\twarps\t31\twarps\treplay\n'
	printf 'ES\tall\tmorpheus\tMorpheus-ALL\tstorage_bytes\t8\tbytes\tanalytic\tNA\tNA\nSN\tall\ttext_bytes\t11\tbytes\treplay\n'; } >ways-new
report --compare ways-old ways-new >compared
same "each metric has its direction; what the workload has no part in is left out" \
	"Regressions (3),llc_mpki,morpheus.Morpheus-ALL.speedup,morpheus.Morpheus-ALL.speedup_configured,Improvements (2),ipc,cycles,Other changes (1),warps" \
	"$(awk '/^(Regressions|Improvements|Other)/ { print } on && $1 == "bfs" { print $2 } /values? changed/ { on = 1 }' compared | paste -sd,)"
check "Markdown tells them apart too" sh -c "'$CT_BIN/report' --no-verify --compare ways-old --markdown - ways-new | grep -q '^#### Improvements (2)'"
made unsure 1.01 5 1 >unsure
fails "a threshold on an unknown verdict" 'unsure: the verdict is unknown, which tells nothing: --allow-unknown' --require 'morpheus.verdict != hurts' unsure
check "unless that is allowed" report --allow-unknown --require 'morpheus.verdict != hurts and morpheus.low > 2' unsure
mkdir fewer && sed '/llc_mpki/d; /speedup.1/d' new/b.profile >fewer/b.profile
report --compare new/b.profile fewer >compared
same "what the new run lacks is a change" "2 values changed, 0 of 1 workloads are the same" "$(grep changed compared)"
check "and is named" grep -qE '^nw +llc_mpki +5(\.00)? +- +-' compared
(made bfs 1.3 12; printf 'GP\tsm.count\t68\t\n') >gpu-68
sed 's/sm.count.68/sm.count\t108/' gpu-68 >gpu-108
same "another GPU in the old run is told" "report: warning: 1 workload was on another GPU in the old run: of bfs, sm.count is 108 and was 68" \
	"$(report --compare gpu-68 gpu-108 2>&1 >/dev/null)"
same "the same one is not" "" "$(report --compare gpu-68 gpu-68 2>&1 >/dev/null)"
check "equal runs have no changes" sh -c "'$CT_BIN/report' --no-verify --compare new new | grep -q '^0 values changed, 3 of 3'"
check "Markdown has the changes" sh -c "'$CT_BIN/report' --no-verify --compare old --markdown - new | grep -q '^| bfs | llc&#95;mpki | 10 | 12 | +20.0 % |'"

# ---- inputs ----
refuses "a trace is no profile" 2 'not a profile' "$CT_BIN/report" "$CT_ROOT/Makefile"
refuses "a folder without profiles" 2 'no profiles' "$CT_BIN/report" "$CT_ROOT/data/gpus"
refuses "a profile without EN" 2 'EN' "$CT_BIN/report" new/a.profile
mkdir -p harmed && cp new/* harmed/ && printf 'x%s' "$(tail -c +2 new/a.profile)" >harmed/a.profile
refuses "a profile of a folder whose first byte is damaged" 2 'a.profile' "$CT_BIN/report" --no-verify harmed
mkdir -p packed && for i in new/*; do gzip -c "$i" >packed/"${i##*/}.gz"; done
same "packed profiles of a folder count" "$("$CT_BIN/report" --no-verify --csv - new)" \
	"$("$CT_BIN/report" --no-verify --csv - packed)"

printf 'x' | dd of=packed/b.profile.gz conv=notrunc status=none
refuses "and a packed one" 2 'b.profile.gz' "$CT_BIN/report" --no-verify packed

# ---- names of any bytes ----
evil='x\x01\x1B[31m<b>&"]]>\xFF\xC3|`*\xED\xA0\x80'
made "$evil" 1.3 7 >evil.profile
"$CT_BIN/report" -q --no-verify --title "$(printf 'T\001\377<x>')" --require 'ipc > 1e9' --html evil.html --markdown evil.md \
	--junit evil.xml --csv evil.csv evil.profile
for x in evil.html evil.md evil.xml evil.csv; do
	same "$x is UTF-8 without control characters, and names it" "0 0 yes" "$(iconv -f UTF-8 -t UTF-8 $x >/dev/null 2>&1; echo $?) $(
		tr -d '\t\r\n' <$x | LC_ALL=C grep -c '[[:cntrl:]]') $(grep -q 'x[? ][? ]' $x && echo yes)"
done
junit "JUnit with any name obeys the schema" evil.xml
made 'two\nlines' 1.3 7 >lines.profile
same "no line begins within a name, and a threshold is told in one" "0 1" "$("$CT_BIN/report" -q --no-verify lines.profile 2>/dev/null | grep -c '^lines') $(
	"$CT_BIN/report" --no-verify --require 'ipc > 1e9' --markdown /dev/null lines.profile 2>&1 | wc -l)"

# ---- numbers that no axis can be divided by ----
swept() { # X1 X2 Y1 Y2
	made bfs 1.3 7
	printf 'SW\tall\tmorpheus\tBL\tsms\t%s\tipc\t%s\tinsts/cycle\tanalytic\n' "$1" "$3" "$2" "$4"
}
swept 9007199254740992 9007199254740996 1 2 >steps.profile
swept 1 2 1.711e308 1 >tall.profile
swept 0 1.797e308 1 2 >wide.profile
for x in steps tall wide; do
	check "$x: the chart has an end" timeout 20 "$CT_BIN/report" --no-verify --html $x.html $x.profile
done

yes 'llc_mpki < 1000' | head -40000 >req
echo 'llc_mpki < 1' >>req
(ulimit -v 500000; "$CT_RELEASE/report" -q --no-verify --requirements req --markdown req.md new/a.profile)
same "thresholds by the ten thousand need little memory" 1 $?
check "and Markdown says which it leaves out" grep -qE '^[0-9]+ more thresholds are left out here; 1 of them failed' req.md

# ---- several files: all or none ----
mkdir -p "a folder"
refuses "one that cannot be written" 2 'a folder' "$CT_BIN/report" --no-verify --html none.html --csv "a folder" new
check "leaves none of the others" test ! -e none.html
refuses "two in one place" 2 'two outputs go to one.html' "$CT_BIN/report" --html one.html --csv one.html new
refuses "and two on standard output" 2 'two outputs go to standard output' "$CT_BIN/report" --html - --csv - new
refuses "a file without a name" 2 'empty name' "$CT_BIN/report" --no-verify --csv '' new
report --csv - -o named.csv new
same "-o names what - stands for" "$(cat out.csv)" "$(cat named.csv)"
for i in $(seq 500); do made "workload-$i" 1.3 "$i"; done | awk -v d="$TMPDIR/many" \
	'BEGIN { system("mkdir -p " d) } /^#cachetriage-profile/ { close(f); f = d "/" ++n ".profile" } { print > f }'
report --markdown many.md many
check "Markdown of 500 workloads is below 1 MiB ($(stat -c %s many.md) bytes)" test "$(stat -c %s many.md)" -lt 1048576
same "and has them all" 500 "$(grep -c '^| workload-' many.md)"
finish
