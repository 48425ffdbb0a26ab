# The repository explains itself: what comments, manual pages and messages cite is in the tree.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1

# Everything that people read, but the corpora of the fuzz targets, results that programs wrote and arguments of other projects' programs.
files() {
	find lib models tools tests man data doc completions packaging .ci Makefile ./*.md \
		-path tests/fuzz/corpus -prune -o -path tests/validation/results -prune -o -type f -print |
		grep -vxE 'tests/golden/docs.sh|tests/suites/hecbench_runs.tsv'
}
files | grep -E '\.([chsty0-9]|cpp|sh|md|awk|conf|tsv|txt|mdoc|css|js)$|Makefile' >"$TMPDIR/files"

# Each text on one line, since comments go on over lines; of scripts their comments only.
joined() { # FILE...
	local f
	for f; do { case $f in *.sh | *Makefile) grep -E '^[[:space:]]*#' "$f" ;; *) cat "$f" ;; esac; } | sed -E 's/^[[:space:]]*(\*|#|\/\/)[[:space:]]?/ /' |
		tr '\n\t' '  ' | tr -s ' '; echo; done
}
xargs -d '\n' -a "$TMPDIR/files" bash -c "$(declare -f joined)"'; joined "$@"' _ >"$TMPDIR/joined"

# Names of files: what stands for others (NAME, *, $) and all behind it is cut off, the rest begins a name.
names() {
	grep -oE '(^|[^A-Za-z0-9_./$*}~-])(doc|man|data|tests|lib|models|tools|completions|packaging)/[A-Za-z0-9_./*+$<{-]+' "$TMPDIR/joined" |
		sed -E 's/^[^a-z]//; s/[.]+$//; s/[A-Z][A-Z_.-]*.*$//; s/[*$<{].*$//; s,[^/]*-$,,; s/[.]$//' | sort -u
}
missing=$(names | while read -r p; do compgen -G "$p*" >/dev/null || compgen -G "tests/fuzz/corpus/$p*" >/dev/null || echo "$p"; done)
same "every file that is named is in the tree" "" "$missing"
same "every page that is named is in the tree" "" "$(grep -ohE '[A-Za-z0-9_/-]+\.md\b' "$TMPDIR/joined" | sort -u |
	grep -vxF summary.md | while read -r p; do
	[ -e "$p" ] || [ -e "doc/$p" ] || [ -e "doc/papers/$p" ] || echo "$p"; done)"

# Readings: one explanation each, in a table or under READINGS of a manual page; cited as "reading NAME" or
# "readings A, B and C".
{
	grep -ohE '^\| `[a-z0-9-]+`' doc/readings.md doc/papers/*.md | tr -d '|` '
	awk '/^\.Sh / { on = $2 == "READINGS" } on && $1 == ".It" && NF == 2 { print $2 }' man/*.7
} | sort >"$TMPDIR/explained"
same "every reading is explained once" "" "$(uniq -d "$TMPDIR/explained")"
grep -oiE '\breadings? [a-z0-9]+(-[a-z0-9]+)+((,| and|, and) [a-z0-9]+(-[a-z0-9]+)+)*' "$TMPDIR/joined" |
	grep -oE '[a-z0-9]+(-[a-z0-9]+)+' | sort -u >"$TMPDIR/cited"
same "every reading that is cited is explained" "" "$(comm -23 "$TMPDIR/cited" <(sort -u "$TMPDIR/explained") | grep -v '^the-name$')"
check "readings are cited" test "$(wc -l <"$TMPDIR/cited")" -gt 60

# Sections of pages that number them.
same "every section that is cited is there" "" "$(grep -oE 'doc/[a-z/-]+\.md,? sections? [0-9]+((,| and| to) [0-9]+)*' "$TMPDIR/joined" | sort -u |
	while read -r page word rest; do
		for n in $(grep -oE '[0-9]+' <<<"$rest"); do grep -qE "^## $n\. " "${page%,}" || echo "$page $n"; done
	done)"

# What only its authors could look up.
same "nothing cites what is not here" "" "$(xargs -d '\n' -a "$TMPDIR/files" grep -nE \
	'\b(MO|SL|TS|MK)-[A-Z][0-9]|model-notes|papers-facts|accelsim-model|[Dd]esign section|\bdesign [0-9]|\bissue [0-9]|\.\./shared/[a-z-]+\.md')"

# Links between pages.
same "every link of a page leads somewhere" "" "$(for f in doc/*.md doc/papers/*.md ./*.md; do
	grep -oE '\]\([^)#]+' "$f" | sed 's/^](//' | grep -v '^https\?:' | while read -r l; do
		[ -e "$(dirname "$f")/$l" ] || echo "$f: $l"; done; done)"

# References of manual pages: to pages, here or of other programs, and to sections of the same page.
others=' callgrind_annotate.1 gzip.1 pcre2pattern.3 xz.1 zstd.1 '
same "every manual page that is referred to is there" "" "$(grep -ohE '^\.Xr [^ ]+ [0-9]' man/*.[1357] README.md | sort -u |
	while read -r _ name section; do
		[ -e "man/$name.$section" ] || [[ $others == *" $name.$section "* ]] || echo "$name($section)"
	done)"
same "every section that a page refers to is in it" "" "$(for f in man/*.[1357]; do
	awk '/^\.Sx / { want = substr($0, 5); sub(/ [.,;:)]*$/, "", want); next } want != "" { if ($0 != "in") print want; want = "" }' "$f" |
		sort -u | while read -r title; do
		grep -qE "^\.S[sh] $title\$" "$f" || grep -qE "^\.S[sh] ${title% [.,;:)]}\$" "$f" || echo "$f: $title"
	done; done)"
# The questions of a user say where the answers stand.
same "every page and section that an answer names is there" "" "$(tr '\n' ' ' <tests/docs/questions.md | tr -s ' ' |
	grep -oE '[a-z0-9-]+\([157]\)(, [A-Z][A-Za-z ]+)?' | sort -u | while IFS=, read -r page title; do
		file=man/${page%(*}.${page#*(}
		file=${file%)}
		title=${title# }
		[ -e "$file" ] || { echo "$page"; continue; }
		[ -z "$title" ] || grep -qiE "^\.S[sh] (The )?${title%% and *}" "$file" || echo "$page: $title"
	done)"

# Spelling of what people read; the words behind -L are identifiers and macros of mdoc(7).
if command -v codespell >/dev/null 2>&1; then
	same "codespell finds no misspelt word" "" "$(codespell -q 3 -L nin,ges,fle,whats,lates,upto,alls,nd,fo,inout,statics,traiger,te --skip '*.ptx,*.tsv' \
		lib models tools runtime man doc data packaging ./*.md Makefile 2>&1)"
else
	skip "codespell finds no misspelt word" "codespell is not installed"
fi
# The figures of README's table of a board, where the tour and the questions repeat them.
figure() { sed -n "s/^| $1[^|]*| \([0-9.]* [%a-z]*\).*/\1/p" README.md; }
near=$(figure 'cycles, by program') rate=$(figure 'L1 hit rate') all=$(figure 'cycles of all 28')
check "README has the figures of a board" test -n "$near" -a -n "$rate" -a -n "$all"
for f in man/cachetriage.7 tests/docs/questions.md; do
	for v in "$near" "${rate% points}" "$all"; do
		check "$f says $v as README does" sh -c "sed -n '/GV100/,/README/p' $f | tr '\\n' ' ' | grep -qF ' $v '"
	done
done
finish
