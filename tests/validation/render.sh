#!/bin/bash
# render.sh: man/cachetriage-validation.7 on standard output: page.mdoc with each line "@PAPER@"
# replaced by compare.awk's text, and "@totals@" by all papers' counts and means.
cd "$(dirname "$0")" || exit 2
# How far estimates were from replays (tests/verdicts), in two columns of estimates.tsv.
errors() { # ESTIMATE REPLAYED
	printf '.Bd -literal\n'
	LC_ALL=C awk -v estimate="$1" -v replayed="$2" -f ../verdicts/errors.awk ../verdicts/estimates.tsv
	printf '.Ed\n'
}

# How often verdicts were right, and on small traces what they were on larger ones.
verdicts() { # AWK TSV
	printf '.Bd -literal\n'
	LC_ALL=C awk -f "../verdicts/$1" "../verdicts/$2" | sed 's/\\/\\e/g'
	printf '.Ed\n'
}

# What was measured of a paper's programs.
comparison() { # PAPER
	local text
	text=$(LC_ALL=C awk -v "paper=$1" -f compare.awk published.tsv "results/$1.tsv" gates.tsv |
		sed 's/\\/\\e/g; s/^\([.'"'"']\)/\\\&\1/')
	if [ -n "$text" ]; then
		printf '.Bd -literal\n%s\n.Ed\n' "$text"
	else
		printf '.Pp\nNothing is measured yet.\n'
	fi
}

# Of each paper how many gates are passed, how many words hold, how speed-ups are ordered, and their means.
totals() {
	local p
	printf '.Bd -literal\n'
	for p in morpheus shared-l1 tag-split malekeh; do
		echo "$p"
		LC_ALL=C awk -v "paper=$p" -f compare.awk published.tsv "results/$p.tsv" gates.tsv |
			sed -nE 's/^(mean .* [0-9.]+ +[0-9.-]+ +[0-9.]+) +[^,]*, ([0-9 of]+ program)/\1  \2/
				s/^([0-9]+ of [0-9]+ gates measured are passed|\([0-9]\) .* (speedup|compute_sms): .*|mean .* speedup .*)$/  \1/p'
	done
	printf '.Ed\n'
}

while IFS= read -r line; do
	if [ "$line" = @estimates-before@ ]; then
		errors 4 5
	elif [ "$line" = @estimates@ ]; then
		errors 6 7
	elif [ "$line" = @totals@ ]; then
		totals
	elif [ "$line" = @verdicts@ ]; then
		verdicts summary.awk verdicts.tsv
	elif [ "$line" = @transfer@ ]; then
		verdicts transfer.awk transfer.tsv
	elif [[ $line =~ ^@([a-z0-9-]+)@$ ]]; then
		comparison "${BASH_REMATCH[1]}"
	else
		printf '%s\n' "$line"
	fi
done <page.mdoc
