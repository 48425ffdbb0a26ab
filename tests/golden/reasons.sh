# A verdict's reason says what its numbers say: faster where the speed-up is above 1, causes that went that way, changes
# whose words agree with the numbers beside them. A few workloads here; make reasons takes all that tracegen has.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

workloads=${CT_REASONS:-bfs kmeans hotspot stencil spmv-csr transpose}
[ "$workloads" = all ] && workloads=$(tracegen --list | awk '{ print $1 }')

# told FILE: what is wrong with the reasons of TV records, a line each.
told() {
	awk -F'\t' '
		function bad(text) { print $2 " " $3 ": " text ": " $5 ": " $8 }
		# Every "WHAT rise from A to B" of a text; good: the way in which numbers are called better, 0: any.
		function changes(text, way,   s, what, f, up) {
			s = text
			while (match(s, /(rise|fall) from [-+.0-9e]+ to [-+.0-9e]+/)) {
				what = substr(s, 1, RSTART - 1); split(substr(s, RSTART, RLENGTH), f, " ")
				up = f[1] == "rise"
				if (up ? f[5] + 0 <= f[3] + 0 : f[5] + 0 >= f[3] + 0) bad("a change against its numbers")
				sub(/.*(since|and|although|but) /, "", what)
				if (way && (up ? 1 : -1) * (what ~ /SMs that compute/ ? 1 : -1) != way) bad("a cause of the other way")
				s = substr(s, RSTART + RLENGTH); n++
			}
		}
		$1 != "TV" { next }
		{
			r = $8; v = $5
			word = match(r, /(^|, |: )(faster|slower|as fast)( |,|:|$)/) ? substr(r, RSTART, RLENGTH) : ""
			gsub(/[,:]/, "", word); gsub(/^ +| +$/, "", word)
			if (word == "faster" && !(v > 1.0045)) bad("faster")
			if (word == "slower" && !(v < 0.9955)) bad("slower")
			if (word == "as fast" && !(v > 0.9945 && v < 1.0055)) bad("as fast")
			if ($4 == "benefits" && word != "faster" || $4 == "hurts" && word != "slower") bad("not why it " $4)
			if ($4 == "benefits" && r ~ /(hurts|loses|nothing to act on)/ || $4 == "hurts" && r ~ /(benefits|gains)/) bad("another word")
			changes(r, 0)
			if (match(r, / since .*/)) {
				since = substr(r, RSTART); sub(/(, although|, limited|;).*/, "", since)
				changes(since, word == "faster" ? 1 : -1)
			}
			if (match(r, /although .*/)) {
				other = substr(r, RSTART); sub(/(, but|, limited|;).*/, "", other)
				if (word != "as fast") changes(other, word == "faster" ? -1 : 1)
			}
			if (match(r, /; [-+][0-9.]+ %, which/)) {
				x = substr(r, RSTART + 2) + 0
				if (x - 100 * (v - 1) > 0.06 || 100 * (v - 1) - x > 0.06) bad("another speed-up")
			}
			if (length(r) > 590) bad("cut")
			if (match(r, /[0-9]+ % busy/) && substr(r, RSTART) + 0 > 100) bad("busier than can be")
			said[word]++
		}
		END { print "words:", said["faster"] + 0, said["slower"] + 0, said["as fast"] + 0, n + 0 > "words" }' "$1"
}

for w in $workloads; do
	tracegen -q "$w" -o trace && triage -q --method analytic --scale auto --mechanism all trace > "$w.tv"
	rm -rf trace
	same "$w: reasons agree with their numbers" "" "$(told "$w.tv")"
done
cat ./*.tv | grep '^TV' > every
told every > /dev/null
check "there were reasons of each kind" awk '{ exit !($2 > 0 && $3 > 0 && $4 > 0 && $5 > 9) }' words
check "and a verdict per workload and mechanism" test "$(wc -l < every)" -eq "$(($(echo $workloads | wc -w) * $(awk -F'\t' '{ print $3 }' every | sort -u | wc -l)))"

# The check can fail.
printf 'TV\tw\tm\tbenefits\t1.2\t1.1\t1.3\tslower since L1 sector misses rise from 1 to 2 %%\n' > lie
same "a word against the number is found" 2 "$(told lie | wc -l)"
printf 'TV\tw\tm\tbenefits\t1.2\t1.1\t1.3\tfaster since L1 sector misses rise from 3 to 4 %%\n' > lie
same "a cause of the other way too" "w m: a cause of the other way: 1.2: faster since L1 sector misses rise from 3 to 4 %" "$(told lie)"
finish
