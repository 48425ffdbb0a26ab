# The house: includes point from tools to models to lib and inside lib only down;
# lib neither prints nor exits; files stay readable; nothing names a machine.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1

includes() { grep -rhoE '#include "[a-z_]+/' "$1" --include='*.[ch]' 2>/dev/null | sed 's/.*"//; s,/$,,' | sort -u; }
allowed() { # ROOM may include only these rooms
	local room=$1 extra
	shift
	extra=$(includes "$room" | grep -vxE "$(IFS='|'; echo "$*")")
	same "$room includes only: $*" "" "$extra"
}
allowed lib/base base
allowed lib/trace base trace private
allowed lib/locality base trace locality
allowed lib/gpu base trace gpu
allowed lib/counters base trace counters
allowed lib/profile base trace locality profile
allowed lib/replay base trace gpu locality replay
allowed lib/pass base trace gpu locality replay profile pass
allowed lib/ptx base trace ptx
allowed lib/lower base trace gpu ptx lower
# What CUDA programs run on: above lib, prints and ends programs.
allowed runtime base gpu ptx lower runtime data
allowed models base trace gpu locality replay profile pass models

same "lib prints nothing" "" "$(grep -rnE '(^|[^a-z_])(printf|puts|putchar|perror|fprintf) *\(' lib --include='*.c' | head -5)"
same "lib never exits" "" "$(grep -rnE '(^|[^a-z_])(exit|abort|_exit) *\(' lib --include='*.c' | head -5)"
same "no unbounded string functions" "" "$(grep -rnE '(^|[^a-z_])(sprintf|strcat|gets|atoi|atof|atol) *\(' lib models runtime tools --include='*.c' | head -5)"
# GSL's error handler aborts: all calls stand where their arguments are checked.
same "only base/numeric.c calls GSL" "" "$(grep -rlE '#include [<"]gsl/' lib models tools --include='*.[ch]' |
	grep -vxE 'lib/base/numeric.c|tools/common/tool.c')"
same "files, those of tests too, stay under 800 lines" "" "$(find lib models runtime tools tests data/cuda data/workloads \( -name '*.[ch]' -o -name '*.cu' \) -print0 | xargs -0 wc -l | awk '$2 != "total" && $1 > 800')"
# Kernels that are compiled once per instruction set are included several times.
same "every header has a guard and a first comment" "" "$(for h in lib/*/*.h models/*.h models/*/*.h runtime/*.h tools/common/*.h; do
	head -n 3 "$h" | grep -qi 'compiled once per' && continue
	[ -e "$h" ] && { head -c 2 "$h" | grep -q '/\*' && grep -q '#ifndef CT_' "$h" || echo "$h"; }; done)"
same "nothing names a machine" "" "$(grep -rnE '(^|[^a-z.])/(work|farm)/' lib models runtime tools tests man data README.md Makefile .ci 2>/dev/null | grep -v golden/house.sh | head -5)"
public=$(make -s --no-print-directory public-headers)
same "every public header is C for C++ and visible in a shared library" "" \
	"$(grep -LE '^CT_DECLS_BEGIN' $public | grep -vE 'base/(decls|hot)\.h$')"
# A mechanism is named in its folder, its line of the registry, its pages, its tests and its data.
same "nothing outside a mechanism's folder names it" "" "$(git grep -liE 'morpheus|shared.?l1|tag.?split|malekeh' -- \
	lib 'tools/triage*' 'tools/report*' tools/reuse.c tools/common 'tools/estimator*' models/verdict completions Makefile \
	'tests/fuzz/*.c' 2>&1)"
same "no test includes a source file" "" "$(grep -rnE '#include ["<][^">]*\.c[">]' tests --include='*.[ch]' | head -5)"
# The analyzer runs in CI alone, so that a file that moves must be missed here.
same "every line that the analyzer is not to speak of is in its file" "" "$(while IFS=$'\t' read -r f _ text; do
	[[ $f == '#'* || $f == cc1 ]] || grep -qsF -- "$text" "$f" || echo "$f: $text"; done <tests/analyzer.supp)"
if command -v ctags >/dev/null 2>&1 && ctags --version 2>/dev/null | grep -q Universal; then
	# p95 of function length is at most 60 lines.
	p95=$(ctags -R --languages=C --kinds-C=f --fields=+ne -f - lib models runtime tools |
		awk -F'\t' '{l="";e="";for(i=4;i<=NF;i++){if($i~/^line:/)l=substr($i,6);if($i~/^end:/)e=substr($i,5)} if(l!=""&&e!="")print e-l+1}' |
		sort -n | awk '{a[NR]=$1} END{print a[int(NR*0.95)]}')
	check "functions fit a screen (95 % are at most 60 lines, here $p95)" test "$p95" -le 60
else
	skip "functions fit a screen" "universal-ctags is not installed"
fi
# How much of the code explains itself; `bash tests/docs/measure.sh -v` names what stands behind a figure.
bash tests/docs/measure.sh >"$TMPDIR/readable"
at_most() { # FIGURE LIMIT, in percent
	check "$1: at most $2 %, here $(awk -v f="$1" '$1 == f { print $2 }' "$TMPDIR/readable") %" \
		awk -v f="$1" -v limit="$2" '$1 == f && $2 <= limit { ok = 1 } END { exit !ok }' "$TMPDIR/readable"
}
at_most undocumented 0
at_most long_uncommented 15
at_most one_word 6
finish
