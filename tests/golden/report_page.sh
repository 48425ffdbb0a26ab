# The HTML page of report in a real browser: no error on its console, sorting, filtering,
# names for screen readers, measured contrast in light and dark, on a screen and a phone; by
# keyboard, in the accessibility tree, on paper.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1

made() { # NAME SPEEDUP LOW HIGH: a profile by hand
	printf '#cachetriage-profile\t1\nTR\ttraces/%s/kernelslist.g\taccelsim-list\t9\tcrc64:1\n' "$1"
	printf 'GP\tname\trtx3080\t\nGP\tl1.size\t131072\tbytes\nGP\tl1.line\t128\tbytes\nGP\tllc.size\t5242880\tbytes\nGP\tllc.line\t128\tbytes\n'
	printf 'SN\tall\tsm_fill\t8\tratio\treplay\nSN\tall\tcold_miss_fraction\t0.1\tratio\treplay\nSN\tall\tipc\t%s00\tinsts/cycle\treplay\n' "$2"
	printf 'SN\tall\tl1_sector_accesses\t1000\tsectors\treplay\nSN\tall\tl1_sector_misses\t400\tsectors\treplay\n'
	printf 'RD\tall\tl1\t0\t1\t50\t0\nRD\tall\tl1\t64\t65\t500\t0\nRD\tall\tl1\t4096\t4352\t300\t0\nRD\tall\tl1\tinf\tinf\t90\t0\n'
	printf 'RD\tall\tllc\t4096\t4352\t300\t0\nRD\tall\tllc\tinf\tinf\t90\t0\n'
	printf 'RD\tall\tl1_sector\t64\t65\t500\t0\nRD\tall\tl1_sector\tinf\tinf\t90\t0\n'
	printf 'RD\tall\tllc_sector\t4096\t4352\t300\t0\nRD\tall\tllc_sector\tinf\tinf\t90\t0\n'
	for k in 2 4 8 16; do printf 'SW\tall\tmorpheus\tBL\tsms\t%s\tipc\t%s\tinsts/cycle\tanalytic\n' $k $((k * 10)); done
	for k in 4,20 4,40 8,20 8,40; do
		printf 'SW\tall\tmorpheus\tMorpheus-ALL\tl1.ways,l1.latency\t%s\tspeedup_configured\t%s\tratio\tanalytic\tNA\tNA\n' $k "1.${k##*,}"
		printf 'SW\tall\tmorpheus\tMorpheus-ALL\tl1.ways,l1.latency\t%s\tstorage_bytes\t%s\tbytes\tanalytic\tNA\tNA\n' $k "${k%%,*}000"
	done
	for m in morpheus:BL morpheus:Morpheus-ALL shared-l1:DynEB malekeh:Malekeh; do
		for k in speedup speedup_configured; do
			printf 'ES\tall\t%s\t%s\t%s\t%s\tratio\treplay\t%s\t%s\n' "${m%%:*}" "${m#*:}" "$k" "$2" "$3" "$4"
		done
	done
}
mkdir run old
made bfs 1.4 1.3 1.5 >run/a; made nw 1 1 1 >run/b; made gemm 0.7 0.6 0.8 >run/c
made 'wide <&"' 1.1 0.9 1.3 >run/d; made bfs 1.0 1 1 >old/a
printf '#cachetriage-profile\t1\nTV\tonly a verdict\tmorpheus\tneutral\tNA\tNA\tNA\twhy <b>\n' >run/e
"$CT_BIN/report" --no-verify --html page.html --compare old --require 'ipc > 80' \
	--title 'A title & more <x>' run --quiet
same "the page is written though a threshold failed" 1 $?
same "it names no other place" "" "$(grep -oE '(src|href)="[^#"][^"]*"|url\(|https?://|@import' page.html)"
same "names from traces are text" "" "$(grep -o 'wide <&' page.html)"
check "it says what a profile lacks" grep -q '<p class="lacking">Not in this profile: why accesses miss' page.html
check "and where there are verdicts only" grep -q '<p class="lacking">Verdicts only' page.html
for n in 2:a 5:b; do sed "s/^GP.l1.size/GP\tsm.count\t${n%%:*}\t\nGP\tsm.asked\t68\t\n&/" "run/${n#*:}" >"scaled-${n#*:}"; done
check "it says how many workloads were scaled, and how far" grep -q '>3 workloads on rtx3080, 2 of them scaled to 2 to 5 of 68 SMs\.' \
	<("$CT_BIN/report" -q --no-verify --html - scaled-a scaled-b run/c)
check "it says what changed" grep -q '<h2 id="changes">' page.html
check "it says which threshold failed" grep -q '<td class="failed">failed</td>' page.html
same "the same twice" "$(cksum <page.html)" "$("$CT_BIN/report" --no-verify --html - --compare old --require 'ipc > 80' \
	--title 'A title & more <x>' run --quiet | cksum)"
"$CT_BIN/report" --no-verify --html one.html run/a
same "only a workload that is alone is unfolded" "1 0" \
	"$(grep -c '<details class="w" id="w0" open>' one.html) $(grep -c '<details class="w"[^>]* open>' page.html)"
for i in $(seq 200); do made "workload-$i" "1.$((i % 90 + 10))" 1 2; done |
	awk '/^#cachetriage-profile/ { close(f); f = "many/" ++n } BEGIN { system("mkdir many") } { print > f }'
"$CT_BIN/report" --no-verify --html many.html many
check "200 workloads are there" grep -q 'id="w199"' many.html

browser=
for b in chromium chromium-browser google-chrome; do command -v $b >/dev/null 2>&1 && browser=$b && break; done
if [ -z "$browser" ]; then
	skip "the page in a browser" "no chromium is installed"
	finish
fi
sandbox=
[ "$(id -u)" = 0 ] && sandbox=--no-sandbox # it refuses root otherwise
look() { # NAME PAGE OPTION...: runs page_check.js in the page
	local name=$1 page=$2 n=0
	shift 2
	{ sed '/^<\/body>/,$d' "$page"; echo '<script>'; cat "$CT_ROOT/tests/golden/page_check.js"; echo '</script></body></html>'; } >checked.html
	timeout 60 "$browser" --headless=new $sandbox --disable-gpu --no-first-run --disable-background-networking \
		--user-data-dir="$TMPDIR/browser" --enable-logging=stderr --virtual-time-budget=10000 "$@" --dump-dom "file://$TMPDIR/checked.html" >dom 2>console
	sed -n '/id="check-result"/,/^end$/p' dom | grep -E '^(ok|bad) ' >lines
	while read -r verdict what; do
		n=$((n + 1))
		if [ "$verdict" = ok ]; then pass "$name: $what"; else fail "$name: $what"; fi
	done <lines
	[ $n -ge 20 ] || fail "$name: the check ran ($n lines)" "$(tail -3 console)"
	same "$name: no message on the console" "" "$(grep -E 'CONSOLE' console | head -3)"
}
look "light" page.html --window-size=1280,900 --blink-settings=preferredColorScheme=1
look "dark" page.html --window-size=1280,900 --blink-settings=preferredColorScheme=0
look "phone" page.html --window-size=500,900
look "one workload" one.html --window-size=1280,900
look "200 workloads" many.html --window-size=1280,900

if ! command -v node >/dev/null 2>&1; then
	skip "keys, screen reader, paper" "node is not installed"
	finish
fi
timeout 60 node "$CT_ROOT/tests/golden/page_keys.js" "$browser" "$TMPDIR/page.html" "$TMPDIR/browser-2" $sandbox >lines 2>&1
while read -r verdict what; do
	case $verdict in
	ok) pass "$what" ;;
	end) ;;
	*) fail "$what" ;;
	esac
done <lines
same "keys, screen reader and paper were looked at" 33 "$(grep -c '^ok' lines)"
finish
