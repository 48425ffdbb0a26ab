# make install puts commands, library, headers, pages and data under DESTDIR and PREFIX; programs build against the
# shared library, the static one, and an installation that has only that; uninstall leaves nothing.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
root=$TMPDIR/root
make_it() { make -s --no-print-directory BUILD="$(dirname "$CT_RELEASE")" DESTDIR="$root" PREFIX=/opt/ct PROGRAM_PREFIX=ct- "$@"; }
lib=$root/opt/ct/lib
so=$lib/libcachetriage.so

check "make install" make_it install
for f in bin/ct-reuse lib/libcachetriage.a lib/pkgconfig/cachetriage.pc include/cachetriage/trace/trace.h \
	include/cachetriage/pass/pass.h include/cachetriage/models/registry.h \
	share/man/man1/ct-reuse.1 share/man/man3/cachetriage_pass.3 share/man/man5/cachetriage-profile.5 share/cachetriage/gpus/rtx3080.conf; do
	check "installs $f" test -s "$root/opt/ct/$f"
done
same "private headers stay at home" "" "$(find "$root" -name '*_internal.h' -o -name 'fast_kernel.h' -o -name private)"
same "pages name commands as they are installed" "ct-triage ct-reuse" \
	"$(sed -n 's/^\.Nm \(..*\)/\1/p' "$root/opt/ct/share/man/man1/ct-triage.1" | head -1) $(grep -o 'Xr [a-z-]*reuse 1' "$root/opt/ct/share/man/man1/ct-triage.1" | head -1 | cut -d' ' -f2)"
# bare_names COMMAND...: where an installed page, as man shows it, still types a command without its prefix: with an option
# behind it, in quotes, in a pipe or at a prompt. Names that mean nothing else count wherever they stand.
bare_names() {
	local all=$* page
	all=${all// /|}
	for page in "$root"/opt/ct/share/man/man*/*; do
		mandoc -Tutf8 "$page" | sed 's/.\x08//g' |
			grep -nP "(?<![-\\w./])($all)(?= -{1,2}\\w)|(‘|\\| ?|\\$ )($all)( |’)|(?<![-\\w./])([a-z0-9]+-est|ctcc|trace(gen|info|cat))(?![-\\w/]|\\.[a-z])" |
			sed "s,^,${page##*/}: ,"
	done
}
mapfile -t own < <(cd "$root/opt/ct/bin" && printf '%s\n' ct-* | sed 's/^ct-//')
same "and type none without its prefix" "" "$(LC_ALL=C.UTF-8 bare_names "${own[@]}")"
check "mandoc accepts them" sh -c "! mandoc -Tlint -W error '$root'/opt/ct/share/man/man1/*.1 | grep ."
check "a toolkit names the installed library" grep -q '"/opt/ct/lib/libctcuda.so"' "$root/opt/ct/share/cachetriage/toolkit/lib64/libcudart.so"
same "and has the installed headers" "$(cksum <"$root/opt/ct/share/cachetriage/cuda/cuda_runtime.h")" "$(cksum <"$root/opt/ct/share/cachetriage/toolkit/include/cuda_runtime.h")"
check "an installed command finds its data" "$root/opt/ct/bin/ct-reuse" --print-gpu

# ---- headers ----

cc=$(command -v gcc || command -v cc)
include=$root/opt/ct/include/cachetriage
compile_each() { # COMMAND...: each header alone
	local h
	(cd "$include" && find . -name '*.h' | LC_ALL=C sort) | while read -r h; do
		printf '#include "%s"\nextern int none;\n' "${h#./}" | "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I"$include" - 2>&1 | head -5
	done
}
same "each header compiles alone as C11" "" "$(compile_each "$cc" -std=c11 -x c)"
if command -v g++ >/dev/null 2>&1; then
	same "each header compiles alone as C++11" "" "$(compile_each g++ -std=c++11 -x c++)"
else
	skip "each header compiles alone as C++11" "g++ is not installed"
fi

# ---- programs ----

# build NAME SOURCE PREFIX_ROOT [PKG-CONFIG OPTION...]: with what pkg-config says, and nothing else.
build() {
	local name=$1 source=$2 at=$3
	shift 3
	# shellcheck disable=SC2046
	"$cc" -std=c11 -Wall -Wextra -Werror ${LDFLAGS:-} -o "$TMPDIR/$name" "$source" $(PKG_CONFIG_PATH=$at/opt/ct/lib/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$at pkg-config "$@" --cflags --libs cachetriage)
}
needed() { readelf -d "$TMPDIR/$1" 2>/dev/null | grep -c 'NEEDED.*libcachetriage'; }
# The verdict of doc/example.c, made with the library, and what triage says.
"$CT_RELEASE/tracegen" spmv -o "$TMPDIR/spmv" -q
of_triage() {
	"$CT_RELEASE/triage" -q --scale 1 --method analytic -O profile --mechanism "$1" "$TMPDIR/spmv" |
		awk -F'\t' -v m="$1" '$1 == "TV" && $3 == m {printf "%s: %s, speed-up %.3f (%.3f to %.3f)\n", m, $4, $5, $6, $7}'
}
# How to make the profile anew is said in other words where the command line has asked for the whole GPU.
of_example() { "$TMPDIR/$1" "$TMPDIR/spmv" "$2" "$root/opt/ct/share/cachetriage" | sed 's/): .*/)/'; }
if [ -e "$so" ]; then
	soname=$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
	check "the shared library carries its soname, $soname" test -e "$lib/$soname"
	same "it shows public names only" "" "$(nm -D --defined-only "$so" | awk '$2 ~ /[A-Z]/ {print $3}' |
		grep -vE '^ct_|^_(init|fini)$|^__(asan|ubsan|odr)' | head -5)"
	same "and none of a private header" "" "$(nm -D --defined-only "$so" | grep -wE 'ct_pass_sampler_new|ct_lanes_new' | head -5)"
	check "a program builds against the shared library" build example doc/example.c "$root"
	same "which it needs then" 1 "$(needed example)"
	export LD_LIBRARY_PATH=$lib
	for m in tag-split morpheus; do
		want=$(of_triage $m)
		check "triage judges $m" test -n "$want"
		same "the program has the verdict of triage on $m" "$want" "$(of_example example $m)"
	done
	"$CT_RELEASE/reuse" "$TMPDIR/spmv" -o "$TMPDIR/spmv.profile"
	for page in trace pass profile mechanism; do
		awk '/^\.Sh EXAMPLES/ {here = 1} here && /^\.Bd/ {on = 1; next} /^\.Ed/ {on = 0} on' man/cachetriage_$page.3 |
			sed 's/\\e/\\/g' > "$TMPDIR/$page.c"
		case $page in
		trace) args=("$TMPDIR/spmv") want='memory instructions$' ;;
		pass) args=("$TMPDIR/spmv" data/gpus/rtx3080.conf) want='^SN.all.l1_miss_rate' ;;
		profile) args=("$TMPDIR/spmv.profile") want='^all: [0-9]' ;;
		mechanism) args=() want='^tag-split: ' ;;
		esac
		check "the example of cachetriage_$page.3 builds" build "page_$page" "$TMPDIR/$page.c" "$root"
		check "and runs" sh -c "'$TMPDIR/page_$page' ${args[*]} | grep -q '$want'"
	done
	unset LD_LIBRARY_PATH
fi
static=(use_static doc/example.c "$root" --static)
if echo 'int main(void) { return 0; }' | "$cc" -static -x c -o "$TMPDIR/none" - -lgsl -lgslcblas -lzstd -llzma -lpcre2-8 -lz -lm 2>/dev/null; then
	check "a program builds without any shared library" eval 'LDFLAGS=-static build "${static[@]}"'
	same "and has the same verdict" "$(of_triage tag-split)" "$(of_example use_static tag-split)"
else
	skip "a program builds without any shared library" "libraries that it needs are only shared here"
fi
only=$TMPDIR/only
check "make install without the shared library" make_it DESTDIR="$only" SHARED= install
same "installs none" "" "$(find "$only" -name '*.so*' ! -name cachetriage-capture.so)"
check "a program builds with the same flags then" build use_only doc/example.c "$only"
same "and needs none" 0 "$(needed use_only)"
same "and has the same verdict" "$(of_triage tag-split)" "$(of_example use_only tag-split)"
check "make uninstall" make_it uninstall
same "uninstall leaves no file" "" "$(find "$root" -type f -o -type l)"
finish
