#!/usr/bin/env bash
# How readable is the code? Three figures of lib, models, runtime and tools, each a line of its name, its share in
# percent, how many and of how many:
#   measure.sh          prints them
#   measure.sh -v       also names what stands behind each
# A function begins at its first line without indentation and ends at the closing brace in column 1: .clang-format
# lays all code out so.
#   long_uncommented   functions of more than 15 lines with no comment directly above them nor above a prototype
#                      in a header, as a share of functions of more than 15 lines
#   one_word           functions whose name is a single word, main apart, as a share of all functions
#   undocumented       prototypes of public headers without a comment: none above, none behind, and not in a block of
#                      prototypes, uninterrupted by empty lines, that begins with a comment
set -u
cd "$(dirname "$0")/../.." || exit 2
verbose=$([ "${1:-}" = -v ] && echo 1 || echo 0)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Prototypes of the headers that are given: file, line, name, 1 where a comment stands with it.
prototypes() {
	awk '
	FNR == 1 { commented = open = text = 0 }
	/^[ \t]*$/ { commented = 0; next }
	open { if (/\*\//) open = 0; commented = 1; next }
	/^\/\*/ { commented = 1; if (!/\*\//) open = 1; next }
	/^\/\// { commented = 1; next }
	/^[#}]/ || /^CT_DECLS/ { commented = 0; next }
	/^(typedef|struct [a-z_0-9]+;|struct [a-z_0-9]+ \{|enum|union|extern "C")/ { if (/\{$/) skip = 1; next }
	/^[a-zA-Z_].*[ *][a-z_A-Z0-9]+\(/ && !/^[^(]*=/ {
		name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
		print FILENAME "\t" FNR "\t" name "\t" (commented || /\/\*/ ? 1 : 0)
	}' "$@"
}
# Definitions: file, line, name, lines, 1 where a comment stands above.
functions() {
	awk '
	function nothing() { commented = at = 0; name = "" }
	FNR == 1 { nothing(); open = start = 0 }
	start && /^}/ { print FILENAME "\t" start "\t" name "\t" FNR - start + 1 "\t" commented; start = 0; nothing(); next }
	start { next }
	/^\{/ && name != "" { start = at; next }
	open { if (/\*\//) open = 0; next }
	/^\/\*/ { nothing(); commented = 1; if (!/\*\//) open = 1; next }
	/^\/\// { nothing(); commented = 1; next }
	/^[ \t]*$/ || /^[#}{]/ || /[;{][ \t]*$/ { nothing(); next }
	/^[a-zA-Z_]/ && name == "" {
		if (!at) at = FNR
		line = $0
		gsub(/__attribute__ *\(\([^)]*\)+\)+ */, "", line)
		if (match(line, /[a-zA-Z_0-9]+\(/)) name = substr(line, RSTART, RLENGTH - 1)
	}' "$@"
}

find lib models runtime tools -name '*.h' | sort >"$work/headers"
find lib models runtime tools -name '*.[ch]' | sort >"$work/sources"
prototypes $(cat "$work/headers") >"$work/prototypes"
functions $(cat "$work/sources") >"$work/functions"
prototypes $(make -s --no-print-directory public-headers) >"$work/public"

awk -F'\t' -v verbose="$verbose" '
FILENAME ~ /prototypes$/ { if ($4) told[$3] = 1; next }
FILENAME ~ /public$/ {
	public++
	if (!$4) { undocumented++; if (verbose) print "undocumented\t" $1 ":" $2 "\t" $3 }
	next
}
{
	all++
	if ($3 != "main" && $3 !~ /_/ && $3 !~ /[a-z][A-Z]/) { words++; if (verbose) print "one_word\t" $1 ":" $2 "\t" $3 }
	if ($4 > 15) {
		long++
		if (!$5 && !($3 in told)) { bare++; if (verbose) print "long_uncommented\t" $1 ":" $2 "\t" $3 "\t" $4 }
	}
}
END {
	printf "long_uncommented\t%.1f\t%d\t%d\n", 100 * bare / long, bare, long
	printf "one_word\t%.1f\t%d\t%d\n", 100 * words / all, words, all
	printf "undocumented\t%.1f\t%d\t%d\n", 100 * undocumented / public, undocumented, public
}' "$work/prototypes" "$work/public" "$work/functions"
