# The C code is laid out as .clang-format says. Versions 14 and 19 agree on the tree; others are not asked.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1

name="the C code is laid out as .clang-format says (make format)"
program=${CLANG_FORMAT:-clang-format}
version=$("$program" --version 2>/dev/null | grep -oE 'version [0-9]+' | tr -dc 0-9)
case $version in
14 | 19)
	same "$name" "" "$(find lib models runtime tools tests doc -path tests/fuzz/corpus -prune -o -name '*.[ch]' -print |
		xargs "$program" --dry-run 2>&1 | grep -oE '^[^ :]+:[0-9]+' | sort -u | head -8)"
	;;
*) skip "$name" "clang-format ${version:-is missing}${version:+ is not 14 or 19}" ;;
esac
finish
