#!/usr/bin/env bash
# Verdicts beside replays: how they are joined and counted, and two thousandths of the campaign (make verdicts runs all of it).
. "$(dirname "$0")/lib.sh"
V=$CT_ROOT/tests/verdicts
cd "$TMPDIR" || exit 1

# Cycles 1000 as configured. a gains 25 %, as much as its alternative; b 25 %, its alternative nothing; c, which has settings,
# loses at both of them and may be left off; d loses; e was not replayed.
printf '%s\t%s\t%s\t%s\t%s\t%s\n' - configured - 0 full 1000 \
	a judged A 0 full 800 a alternative P 0 full 900 a alternative Q 0 full 801 \
	b judged B 0 full 800 b alternative P 0 full 1000 b judged B 0 quick 10 \
	c judged C 3 full 1100 c judged C 5 full 1200 c alternative P 3 full 1300 \
	d judged D 0 full 1100 >truth
tv() { printf 'TV\tw\t%s\t%s\t%s\t%s\t%s\twhy\tconfigured\tP\t1\t%s\t4\t68\n' "$@"; }
{ tv a benefits 1.2 1.1 1.3 estimate; tv b benefits 1.3 1.26 1.4 quick; tv c neutral 1 0.99 1.01 bound; tv d unknown 1 0.8 1.2 NA
	printf 'TV\tw\te\thurts\t0.9\t0.8\t0.95\twhy\n'; } >ours
awk -v workload=w -v gpu=g -v mechanisms=a,b,c,d,e,f -f "$V/pair.awk" part=truth truth part=ours ours >tsv
same "verdicts are joined with replays" "a benefits estimate 1.25 1.248 neutral no
b benefits quick 1.25 1 benefits yes
c neutral bound 1 1 neutral yes
d unknown - 0.9091 - hurts -
e hurts - - - - -
f - - - - - -" "$(cut -f3,4,8-12 tsv | tr '\t' ' ')"
awk -f "$V/summary.awk" tsv >text
same "and counted" "all 6 33.3 % 66.7 % 0 75.0 % 2" "$(grep '^all ' text | head -n 1 | tr -s ' ')"
printf 'w\tg\tm\t%s\t%s\n' 1.1 1 1.1 1.1 0.9 1.1 - 1 >errors
sed 's/\tquick\t/\tfull\t/' tsv >replayed
same "and without what a full replay of the judged system decided" "but full 5 40.0 % 50.0 % 0 100.0 % 2" \
	"$(awk -f "$V/summary.awk" replayed | grep '^but full' | tr -s ' ')"
same "errors of estimates" "m 3 10.0 % 10.0 % 33.3 % 33.3 %" "$(awk -f "$V/errors.awk" errors | grep '^m ' | tr -s ' ')"

# One workload on two GPUs, one of which has a mesh, that quick timing does not know.
campaign() { OUT=$TMPDIR/out ONLY=vecadd-small GPUS="rtx3080 sharedl1-28" SHARED=none bash "$V/run.sh" "${CT_RELEASE%/bin}" verdicts; }
check "two thousandths of the campaign" eval 'campaign >first 2>log'
same "has a line for each mechanism that triage judges" "$("$CT_RELEASE/triage" -q -O profile out/verdicts/traces/vecadd-small.ctz | grep -c '^TV')" \
	"$(grep -c '	rtx3080	' out/verdicts.tsv)"
same "each is decided" "" "$(awk -F'\t' '$4 == "unknown"' out/verdicts.tsv)"
# A bound on reuse does not know the order of requests, which is worth up to 5 % to so short a run on sharedl1-28; the kept table
# counts such verdicts as wrong.
same "whose verdicts are those of the replays, where no bound decides" "" \
	"$(awk -F'\t' '!/^#/ && $12 == "no" && !($8 == "bound" && $9 < 1.06)' out/verdicts.tsv)"
touch -d @1 out/verdicts/truth/* out/verdicts/ours/*
check "it goes on where it stopped" eval 'campaign >second 2>log'
same "and measures nothing again" "" "$(find out/verdicts/truth out/verdicts/ours -type f -newermt @2)"
same "with the same result" "$(cat first)" "$(cat second)"
# The table of the last campaign that is kept.
same "the kept table: at most 8 % unknown, 95 % of the decided right, none says benefits where replays say hurts" "yes yes yes" "$(awk -F'\t' '
	/^#/ || $11 == "-" { next }
	{ all++; unknown += $4 == "unknown"; decided += $12 != "-"; right += $12 == "yes"; opposite += ($4 $11) ~ /benefitshurts|hurtsbenefits/ }
	END { print (unknown <= 0.08 * all ? "yes" : "no"), (right >= 0.95 * decided ? "yes" : "no"), (all > 0 && !opposite ? "yes" : "no") }' "$V/verdicts.tsv")"
finish
