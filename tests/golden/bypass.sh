# bypass-est: where bypassing helps and where it must not, both methods, sweeps, what other commands do with it.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
est=$(unscaled bypass-est)

value() { # SYSTEM METRIC PROFILE [METHOD]
	awk -F'\t' -v s="$1" -v m="$2" -v how="${4:-.}" \
		'$1 == "ES" && $3 == "bypass" && $4 == s && $5 == m && $8 ~ how { print $6; exit }' "$3"
}
within() { awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }'; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }'; }

# A sparse matrix that streams beside a vector that comes back: the stream passes, the vector stays.
check "tracegen spmv" "$CT_RELEASE/tracegen" spmv --size small -o spmv
check "reuse measures bypass" sh -c \
	"'$CT_BIN/reuse' -q -g fermi-15 --scale 1/4 --no-sms-views --mechanisms bypass spmv > spmv.profile"
check "estimate: spmv" "$est" -o spmv.out spmv.profile
check "some of its loads pass" within "$(awk -v a="$(value Bypass l1_passed_requests spmv.out)" \
	-v b="$(value Bypass l1_requests spmv.out)" 'BEGIN { print a / b }')" 0.02 0.9
check "fewer of its sectors miss" less "$(value Bypass l1_miss_rate spmv.out)" "$(value BL l1_miss_rate spmv.out)"
check "no fewer than first touches" less "$(value Perfect l1_miss_rate spmv.out)" "$(value Bypass l1_miss_rate spmv.out)"
check "and it runs faster" within "$(value Bypass speedup spmv.out)" 1.005 2
check "but not faster than with an L1 that forgets nothing" \
	within "$(value Bypass speedup spmv.out)" 1 "$(value Perfect speedup spmv.out)"
same "the systems" "BL Bypass Perfect Ideal-L1" "$(awk -F'\t' '$1 == "ES" && $5 == "speedup" { print $4 }' spmv.out | paste -sd' ')"
same "BL is the baseline" 1 "$(value BL speedup spmv.out)"
same "BL is the GPU as configured" "$(value Bypass speedup spmv.out)" "$(value Bypass speedup_configured spmv.out)"

# A stencil, whose lines come back: nothing may be lost.
"$CT_RELEASE/tracegen" stencil --size small -o stencil >/dev/null
"$CT_RELEASE/reuse" -q -g fermi-15 --no-sms-views --mechanisms bypass stencil >stencil.profile
"$est" -o stencil.out stencil.profile
check "a stencil keeps its hits" within "$(value Bypass l1_miss_rate stencil.out)" 0 \
	"$(awk -v v="$(value BL l1_miss_rate stencil.out)" 'BEGIN { print 1.02 * v }')"
check "and its speed" within "$(value Bypass speedup stencil.out)" 0.99 1.1

# Contract: pipes, traces, profiles that lack it, parameters.
same "a pipe gives what a file gives" "$(grep -v '^PG\|^EN' spmv.out)" "$("$est" -O profile <spmv.profile | grep -v '^PG\|^EN')"
same "and what the trace gives" "$(grep '^ES' spmv.out)" \
	"$("$CT_RELEASE/bypass-est" --scale 1 -q -g fermi-15 --scale 1/4 -O profile spmv | grep '^ES')"
grep -v '	bypass	' spmv.profile >bare.profile
same "a profile without bypass is completed from its trace" "$(grep '^ES' spmv.out)" \
	"$("$CT_RELEASE/bypass-est" --scale 1 --no-verify -q -O profile bare.profile | grep '^ES')"
same "again from its own output" "$(grep '^ES' spmv.out)" "$("$est" -O profile spmv.out | grep '^ES')"
"$CT_RELEASE/bypass-est" --scale 1 -q -p bypass.threshold=16 -o never.out spmv.profile
same "above what its bits hold no counter lets a load pass" "0 $(value BL l1_miss_rate spmv.out) 1" \
	"$(value Bypass l1_passed_requests never.out) $(value Bypass l1_miss_rate never.out) $(value Bypass speedup never.out)"
"$CT_RELEASE/bypass-est" --scale 1 -q --sweep bypass.threshold=8..16:x2 -o swept spmv.profile
same "a sweep measures each point" "8 $(value Bypass l1_miss_rate spmv.out) 16 $(value BL l1_miss_rate spmv.out)" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "Bypass" && $7 == "l1_miss_rate" { print $6, $8 }' swept | paste -sd' ')"
check "JSON lines are JSON" sh -c "'$est' -O json spmv.profile | jq -e . >/dev/null"
same "storage by formula: 128 counters and 128 lines" "$(((128 * 9 + 128 * 8) / 8))" \
	"$("$est" --overheads -g fermi-15 -p l1.size=16KiB | awk '$1 == "Bypass" { print $2 }')"
refuses "an unknown constant is named" 2 'bypass\.treshold: did you mean bypass\.threshold' "$est" -p bypass.treshold=3 spmv.profile

# Replay: the same engine, with and without the policy.
"$CT_RELEASE/bypass-est" --scale 1 -q -g fermi-15 --scale 1/4 --check -@ 2 -o replayed.out spmv
check "bypassing gains in the replay too" within "$(value Bypass speedup replayed.out replay)" 1.005 2
check "the replay is near the estimate" within "$(value Bypass speedup replayed.out replay)" \
	"$(awk -v v="$(value Bypass speedup replayed.out analytic)" 'BEGIN { print v / 1.15 }')" \
	"$(awk -v v="$(value Bypass speedup replayed.out analytic)" 'BEGIN { print v * 1.15 }')"
"$CT_RELEASE/bypass-est" --scale 1 -q -g fermi-15 --scale 1/4 --method replay -p bypass.threshold=16 -@ 1 -o same.out spmv
same "a policy that never acts takes the cycles of BL" "$(value BL cycles same.out replay)" "$(value Bypass cycles same.out replay)"
same "threads change nothing" "$(grep '^ES' same.out)" \
	"$("$CT_RELEASE/bypass-est" --scale 1 -q -g fermi-15 --scale 1/4 --method replay -p bypass.threshold=16 -@ 3 -O profile spmv | grep '^ES')"

# Beside another mechanism, one that cannot begin leaves that one as it is, to the last cycle.
both() { awk -F'\t' -v m="$1" -v s="$2" -v n="$3" -v how="$4" '$1 == "ES" && $3 == m && $4 == s && $5 == n && $8 == how { print $6; exit }' nothing; }
"$CT_RELEASE/tracegen" workingset --footprint 512KiB --passes 2 --ctas 32 -o ws >/dev/null
"$CT_RELEASE/bypass-est" -q --scale 1/16 -O profile -p bypass.threshold=16 --with malekeh ws >nothing
same "bypassing that cannot begin" "$(both malekeh Malekeh cycles full) 1" \
	"$(both bypass,malekeh Bypass,Malekeh cycles replay) $(both bypass,malekeh Bypass,Malekeh interaction replay)"

# Other commands.
same "triage does not judge it by default" 0 "$("$CT_BIN/triage" -q -O profile spmv.profile | grep -c '^TV.*	bypass	')"
same "but the four that are published" 4 "$("$CT_BIN/triage" -q -O profile spmv.profile | grep -c '^TV')"
same "--mechanism all adds it" 1 "$("$CT_BIN/triage" -q --mechanism all -O profile spmv.profile | grep -c '^TV.*	bypass	')"
verdict() { awk -F'\t' '$1 == "TV" { print $4 }'; }
same "the verdict below the table is triage's" "$("$CT_BIN/triage" -q --scale 1 --mechanism bypass -O profile spmv.profile | verdict)" \
	"$("$est" -O table spmv.profile | sed -n 's/^verdict: \([a-z]*\).*/\1/p')"
check "report shows it" sh -c "'$CT_BIN/report' -q -o page.html spmv.out && grep -q 'L1 bypassing\|bypass' page.html"

# Its folder, one line of the registry, its pages, those that list all mechanisms, its tests and the README: nobody else names it.
same "no other file names it" "" "$(cd "$CT_ROOT" && git grep -lE \
	'models/bypass|bypass-est|cachetriage-bypass|ct_mechanism_bypass|X\(bypass\)|bypass\.(entries|threshold|counter_bits|sample_every)' 2>/dev/null |
	grep -vxE 'models/bypass/.*|models/registry.c|man/bypass-est.1|man/cachetriage-bypass.7|tests/unit/test_mechanism_bypass.c|tests/golden/bypass.sh|tests/golden/numbers.sh|README.md|man/cachetriage.7|man/cachetriage-glossary.7|man/triage.1|man/reuse.1')"
finish
