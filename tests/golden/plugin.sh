# A mechanism of one's own: built against an installed tree with what pkg-config says, and asked as those that are built
# in; plugins that break are named and leave the others as they are.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
root=$TMPDIR/root at=$TMPDIR/root/opt/ct
make_it() { make -s --no-print-directory BUILD="$(dirname "$CT_RELEASE")" DESTDIR="$root" PREFIX=/opt/ct "$@"; }
check "make install" make_it install
cc=$(command -v gcc || command -v cc)
flags=$(PKG_CONFIG_PATH=$at/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs cachetriage)
# build NAME SOURCE [FLAG...]
build() {
	local name=$1 source=$2
	shift 2
	# shellcheck disable=SC2086
	"$cc" -std=c11 -O1 -Wall -Wextra -Werror -fPIC -shared "$@" -o "$TMPDIR/$name.so" "tests/plugin/$source.c" $flags
}
export LD_LIBRARY_PATH=$at/lib
tracegen() { "$CT_RELEASE/tracegen" -q "$@"; }
tracegen spmv -o "$TMPDIR/spmv"
tracegen lud -o "$TMPDIR/lud"
cd "$TMPDIR" || exit 1
verdicts() { awk -F'\t' '$1 == "TV" {print $2, $3, $4, $5}' "$1"; }

# without NAME FILE: a CSV table less the columns whose head has the name in it.
without() { tr -d '\r' <"$2" | awk -F, -v OFS=, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i !~ name) keep[++n] = i}
	{line = $keep[1]; for (i = 2; i <= n; i++) line = line OFS $keep[i]; print line}'; }

# ---- one that works, in the commands of the installed tree ----

cd "$CT_ROOT" || exit 1
check "a victim cache builds against the installed headers" build victim victim
check "it is less than 150 lines" test "$(wc -l <tests/plugin/victim.c)" -lt 150
cd "$TMPDIR" || exit 1
check "triage judges it beside the others" "$at/bin/triage" -q --plugin ./victim.so -O profile -o all.tv spmv lud
same "each workload has a verdict of it" "lud victim
spmv victim" "$(verdicts all.tv | awk '$2 == "victim" && $3 ~ /benefits|neutral|hurts/ {print $1, $2}' | sort)"
"$at/bin/triage" -q -O profile -o without.tv spmv lud
same "those of the others are what they are without it" "$(verdicts without.tv | sort)" \
	"$(verdicts all.tv | grep -v ' victim ' | sort)"
CACHETRIAGE_PLUGINS=::$TMPDIR/victim.so:$TMPDIR/victim.so "$at/bin/triage" -q -@ 2 -O profile -o again.tv spmv lud
same "it is found in CACHETRIAGE_PLUGINS, once, and with any number of threads" "$(grep '^TV' all.tv)" "$(grep '^TV' again.tv)"
"$CT_BIN/triage" -q --mechanism victim --plugin=./victim.so -O profile -o san.tv spmv
same "the same under the sanitizers, its option behind its name" "$(verdicts all.tv | grep 'spmv victim')" "$(verdicts san.tv)"
"$at/bin/reuse" spmv -o spmv.profile
same "of a profile through a pipe as of the trace" "$(verdicts san.tv | cut -d' ' -f2-)" \
	"$("$at/bin/triage" -q --mechanism victim --plugin ./victim.so -O profile - <spmv.profile >pipe.tv; verdicts pipe.tv | cut -d' ' -f2-)"
check "it has parameters" "$at/bin/triage" -q --plugin ./victim.so --mechanism victim -p victim.lines=4 -O profile -o few.tv spmv
refuses "a wrong one is named" 2 'unknown key victim.line: did you mean victim.lines' \
	"$at/bin/triage" --plugin ./victim.so -p victim.line=4 spmv
refuses "and a value out of range" 2 'victim.lines=2000: out of range: whole numbers from 0 to 1024' \
	"$at/bin/triage" --plugin ./victim.so -p victim.lines=2000 spmv
check "thresholds name it" "$at/bin/triage" -q --plugin ./victim.so --mechanism victim --require 'victim.verdict != unknown' -O profile -o none.tv spmv
check "it is replayed together with another" "$at/bin/triage" -q --plugin ./victim.so --mechanism victim --with morpheus -O csv -o with.csv spmv
same "which gives a line of both" 1 "$(grep -c '^spmv,"victim,morpheus",' with.csv)"
refuses "those of one place exclude each other" 2 'victim and tag-split exclude each other' \
	"$at/bin/triage" --plugin ./victim.so --mechanism victim --with tag-split spmv
check "sweep varies its parameter" "$at/bin/sweep" -q victim.lines=0,8 --plugin ./victim.so -O csv -o sweep.csv -- spmv
same "with a number of each point" "0
8" "$(awk -F, '$2 == "victim" && $3 == "Victim" && $5 == "speedup_configured" && $6 > 0 {print $4}' sweep.csv)"
check "and all its systems" "$at/bin/sweep" -q l1.size=32KiB --system victim --plugin ./victim.so --metric cycles -O csv -o systems.csv -- spmv
same "by name" "BL
Victim" "$(awk -F, '$2 == "victim" {print $3}' systems.csv | sort)"
check "report shows the verdicts" "$at/bin/report" --plugin ./victim.so --csv report.csv --html report.html -o /dev/null all.tv
same "on the page and as values" "2 1" "$(grep -c ',verdict,all,victim,Victim,speedup_configured,' report.csv) $(grep -q '<dt>victim</dt>' report.html && echo 1)"
check "triage --html hands it on" "$at/bin/triage" -q --plugin ./victim.so --mechanism victim --html page.html -O profile -o none.tv spmv
same "to report" 1 "$(grep -q '<dt>victim</dt>' page.html && echo 1)"
"$at/bin/triage" -q --plugin ./victim.so --mechanism victim --resume kept -O profile -o one.tv spmv
check "a kept profile is taken again" "$at/bin/triage" -q --plugin ./victim.so --mechanism victim --resume kept -O profile -o two.tv spmv
same "with the same verdict" "$(grep '^TV' one.tv)" "$(grep '^TV' two.tv)"

check "annotate adds the misses that it turns into hits" "$at/bin/annotate" -q --plugin ./victim.so --mechanism bypass,victim -O csv -o annotate.csv spmv
same "in a column of its own, and bypass keeps its own" "1 $("$at/bin/annotate" -q --mechanism bypass -O csv spmv | tr -d '\r' | cksum)" \
	"$(head -1 annotate.csv | grep -c victim) $(without victim annotate.csv | cksum)"

# ---- where it is looked for ----

cd "$TMPDIR" || exit 1
refuses "a name alone is refused" 2 'victim.so: say in which folder' "$at/bin/triage" --plugin victim.so spmv
CACHETRIAGE_PLUGINS=./victim.so refuses "a path of the current folder in the environment, too" 2 'from the root on' "$at/bin/triage" spmv
refuses "a file that is not there" 2 'none.so: No such file' "$at/bin/triage" --plugin ./none.so spmv
refuses "a folder" 2 'not a file' "$at/bin/triage" --plugin ./kept spmv
echo text >text.so
refuses "what is no shared object" 2 'text.so: cannot be loaded' "$at/bin/triage" --plugin ./text.so spmv
refuses "a shared object that is no plugin" 2 'no plugin: it shows no ct_plugin' \
	"$at/bin/triage" --plugin "$at/lib/libcachetriage.so" spmv

# ---- those that break ----

cd "$CT_ROOT" || exit 1
for how in CRASH ABORT EXIT HANG GARBAGE PRINT LOADING API LAYOUT NAMELESS TABS TAKEN OTHERS; do
	check "one that breaks builds: $how" build "$how" broken "-DHOW=$how"
done
cd "$TMPDIR" || exit 1
while IFS='|' read -r how why; do
	refuses "$how is refused" 2 "^triage: ./$how.so: $why" "$CT_BIN/triage" --plugin "./$how.so" spmv
done <<END
LOADING|the plugin ended by signal 11
API|made for plugins of version 2 .*compile it again
LAYOUT|made with other headers, struct ct_mechanism has 1 bytes there .*compile it again
NAMELESS|its table lacks name
TABS|line 7 of its description is not right
TAKEN|plugin 'bypass': there is a mechanism called bypass
END
want=$("$CT_RELEASE/triage" -q --mechanism bypass -O profile spmv lud | grep '^TV')
# A signal is a signal and not a report of the sanitizers, in either build.
ask() { # PLUGIN: status, and what is told
	local bin=$CT_RELEASE limit=30
	[ "$1" = CRASH ] && bin=$CT_BIN
	[ "$1" = HANG ] && limit=3
	"$bin/triage" -@ 2 --plugin-limit $limit --mechanism bypass,broken --plugin "./$1.so" -O profile -o "$1.tv" spmv lud >"$1.out" 2>"$1.err"
	echo $?
}
while IFS='|' read -r how why; do
	same "triage ends with 2 after $how" 2 "$(ask "$how")"
	same "and says so of each input" 2 "$(grep -cE "^triage: ./$how.so: plugin 'broken' $why" "$how.err")"
	same "says nothing else" 2 "$(wc -l <"$how.err")"
	same "the verdicts of the others stay" "$want" "$(grep '^TV' "$how.tv" | grep -v 'broken')"
	same "its own are unknown" "unknown unknown" "$(awk -F'\t' '$3 == "broken" {print $4}' "$how.tv" | xargs)"
done <<END
CRASH|ended by signal 11
ABORT|ended by signal 6
EXIT|ended with status 0 and no answer
HANG|gave no answer in 3 s
GARBAGE|gave an answer that is none
END
same "one that prints is heard by nobody" "0 " "$(ask PRINT) $(cat PRINT.out PRINT.err)"
"$CT_RELEASE/triage" -q --plugin ./PRINT.so -O profile spmv >figure.profile
check "its figures are drawn of profiles" "$CT_RELEASE/report" --plugin ./PRINT.so --figure broken:1 --svg figure.svg -o figure.tsv figure.profile
same "with its numbers" "broken:1 spmv broken 1" "$(awk -F'\t' '$3 == "spmv" {print $1, $3, $4, $5}' figure.tsv)"
same "and listed" 1 "$("$CT_RELEASE/report" --plugin ./PRINT.so --list-figures | grep -c broken:1)"
same "one that writes records of others is not believed" "0 $want" "$(ask OTHERS) $(grep '^TV' OTHERS.tv | grep -v broken)"
"$CT_RELEASE/sweep" -q l1.size=32KiB --system baseline,broken:Broken --metric cycles --plugin ./CRASH.so -O csv -o broken.csv -- spmv 2>sweep.err
same "a point of sweep is NA" "2 1" "$? $(grep -c 'broken,Broken.*NA' broken.csv)"
same "for its reason" 1 "$(grep -c "CRASH.so: plugin 'broken' ended by signal 11" sweep.err)"
same "the baseline has its number" 1 "$(grep -c 'baseline,configured.*cycles,[0-9]' broken.csv)"
finish
