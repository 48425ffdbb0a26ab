#!/bin/sh
# pages.sh PREFIX FOLDER COMMAND...: lets the manual pages installed in FOLDER name commands with the prefix that they were
# installed with: references, their own names, and what examples run.
set -eu
prefix=$1 folder=$2
shift 2
[ -n "$prefix" ] || exit 0
script=$(for c; do
	p=$prefix$c
	printf "%s\n" "s/Xr $c 1/Xr $p 1/g; s/^\\.Nm $c\$/.Nm $p/; s/^\\(\\\$ \\)$c /\\1$p /; s/\\(| \\)$c\\( \\|\$\\)/\\1$p\\2/g"
done)
for page in "$folder"/man[157]/*cachetriage* "$folder"/man1/"$prefix"*; do
	[ -f "$page" ] || continue
	sed "$script" "$page" >"$page.new"
	cat "$page.new" >"$page"
	rm -f "$page.new"
done
