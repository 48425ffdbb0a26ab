# Random programs of generate.c, as CUDA by ctcc and the emulator, and as C by the host's compiler: both must print the
# same. Every fourth is compiled without optimisation (-G), every fourth by clang 14 where that is there.
#     bash tests/random/run.sh BUILD COUNT [FIRST]
# Says which differ, and where; the two programs are kept in BUILD/random. Exits with 1 where one does.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
count=$2
first=${3:-1}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
differ=0

# The words of ctcc for a program, by its number.
how() { # SEED
	case $(($1 % 4)) in
	0) echo -G ;;
	1) command -v clang-14 >/dev/null 2>&1 && echo clang-14 || echo -O3 ;;
	*) echo -O3 ;;
	esac
}

one() { # SEED
	local words clang=${CTCC_CLANG:-}
	words=$(how "$1")
	[ "$words" = clang-14 ] && { clang=clang-14; words=-O3; }
	"$build/tests/random" "$1" >p.cu && cp p.cu p.c || return 1
	"${CC:-cc}" -O1 -w -ffp-contract=off -I"$here" -o host p.c -lm || return 1
	${clang:+env CTCC_CLANG=$clang} "$build/bin/ctcc" "$words" --fmad=false -w -I"$here" -o device p.cu || return 1
	timeout 60 ./host >host.txt && timeout 300 ./device >device.txt && cmp host.txt device.txt
}

for ((seed = first; seed < first + count; seed++)); do
	one "$seed" >said.txt 2>&1 && continue
	differ=$((differ + 1))
	echo "program $seed ($(how "$seed")): $(head -n 1 said.txt)"
	mkdir -p "$build/random/$seed" && cp p.* ./*.txt "$build/random/$seed"
done
echo "$count programs, $differ differ"
[ "$differ" = 0 ]
