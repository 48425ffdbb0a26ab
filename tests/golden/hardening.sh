# The commands of the plain build are hardened; so say their headers and symbols.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1

command -v readelf >/dev/null 2>&1 || { skip "commands are hardened" "readelf is not installed"; finish; exit; }
if readelf -sW "$CT_RELEASE/reuse" | grep -qE '__(asan|tsan)_init'; then
	skip "commands are hardened" "this build is sanitized instead"
	finish
	exit
fi
lacking() { # COMMAND: what it lacks
	local f=$CT_RELEASE/$1 head symbols
	head=$(readelf -hdlW "$f")
	symbols=$(readelf -sW "$f")
	grep -q 'Type: *DYN' <<<"$head" || echo "$1: no position-independent executable"
	grep -q GNU_RELRO <<<"$head" || echo "$1: no read-only relocations"
	grep -qE 'BIND_NOW|Flags:.*NOW' <<<"$head" || echo "$1: binds lazily"
	grep -qE 'GNU_STACK.* RW ' <<<"$head" || echo "$1: executable stack"
	grep -q __stack_chk_fail <<<"$symbols" || echo "$1: no stack protector"
	grep -qE '__[a-z]+_chk' <<<"$symbols" || echo "$1: no checked string functions"
}
for f in "$CT_RELEASE"/*; do
	n=$(basename "$f")
	same "$n is hardened" "" "$(lacking "$n" 2>&1)"
done
finish
