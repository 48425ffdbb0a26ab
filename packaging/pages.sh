#!/bin/sh
# pages.sh PREFIX FOLDER COMMAND...: lets the manual pages installed in FOLDER name commands with the prefix that they were
# installed with: references, their own names, and every command line, on a line of its own, in a sentence or in a pipe.
#
# A word such as "reuse" or "report" is a command where it is typed: after Ql or Li, at the beginning of a line of a
# display, and behind what a shell lets a command follow. Names that mean nothing else, such as tracegen, always are.
set -eu
prefix=$1 folder=$2
shift 2
[ -n "$prefix" ] || exit 0
script=$(for c; do
	p=$prefix$c
	printf '%s\n' "s/Xr $c 1/Xr $p 1/g" "s/([ (])$c\\(1\\)/\\1$p(1)/g" "s/^\\.Nm $c( |\$)/.Nm $p\\1/" "s/(Ql|Li) $c( |\$)/\\1 $p\\2/g" \
		"s/([|;] |&& |then |do |\\\$\\(|NVCC=)$c( |\$)/\\1$p\\2/g" \
		"/^\\.Bd/,/^\\.Ed/s/^(\\\$ | *)$c /\\1$p /" \
		"s/^\\.Dt $(echo "$c" | tr '[:lower:]' '[:upper:]') 1/.Dt $(echo "$p" | tr '[:lower:]' '[:upper:]') 1/"
	case $c in *-est | trace* | ctcc)
		printf '%s\n' "s,(^|[^-[:alnum:]_./])$c(\$|'s|[ :;,)]|\\.\$),\\1$p\\2,g" ;;
	esac
done)
for page in "$folder"/man[1357]/*cachetriage* "$folder"/man[17]/lib* "$folder"/man1/"$prefix"*; do
	[ -f "$page" ] || continue
	sed -E "$script" "$page" >"$page.new"
	cat "$page.new" >"$page"
	rm -f "$page.new"
done
