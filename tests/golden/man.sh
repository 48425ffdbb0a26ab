# Every command has a man page that mandoc accepts and that lists exactly the
# options of --help; every example of every page runs. With names of pages: their examples only.
. "$(dirname "$0")/lib.sh"

options_of_help() { # the long names in --help
	"$CT_BIN/$1" --help | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE '\-\-[a-z0-9-]+' | sort -u
}
long_names() { # "Fl \-name", "Fl -name" and "Fl o , -out" are all in use
	grep -oE '(Fl|,) \\?-[a-z][a-z0-9-]*' | sed 's/.* \\\{0,1\}-/--/'
}
shared_options() { # those that a page leaves to cachetriage-options(7)
	awk '/^\.S[sh] /{on = /^\.Ss Shared options/} on && /^\.Fl /' "$1" | long_names | sort -u
}
options_of_page() {
	{ grep '^\.It Fl ' "$1" | long_names; shared_options "$1"; } | sort -u
}

pages_and_options() {
	for page in "$CT_ROOT"/man/*.[1357]; do
		name=$(basename "$page")
		lint=$(mandoc -Tlint -W warning "$page" 2>&1)
		same "mandoc accepts $name" "" "$lint"
	done

	for tool in "$CT_BIN"/*; do
		name=$(basename "$tool")
		page=$CT_ROOT/man/$name.1
		if [ ! -f "$page" ]; then
			fail "$name has a man page"
			continue
		fi
		same "$name.1 lists the options of --help" "$(options_of_help "$name")" "$(options_of_page "$page")"
		same "$name.1 leaves no option to cachetriage-options(7) that it lacks" "" \
			"$(comm -23 <(shared_options "$page") <(grep '^\.It Fl ' "$CT_ROOT/man/cachetriage-options.7" | long_names | sort -u))"
		summary=$("$tool" --help | sed -n 2p)
		same "$name.1 and --help say the same of it" ".Nd $summary" "$(grep '^\.Nd ' "$page")"
	done
}

# Examples: the lines that start with "$ " inside literal displays, page by page, in
# an empty folder, each of which must exit 0.
[ $# -gt 0 ] || { pages_and_options; set -- $(cd "$CT_ROOT/man" && ls -- *.[157]); }
# They run the plain build: what they show is the documentation's truth, and some replay for minutes with sanitizers.
export PATH="$CT_RELEASE:$PATH"
for name; do
	page=$CT_ROOT/man/$name
	script=$(awk '/^\.Bd .*-literal/{on=1} /^\.Ed/{on=0} on && /^\$ /{sub(/^\$ /,""); print}' "$page" |
		sed 's/\\-/-/g; s/\\e/\\/g')
	[ -n "$script" ] || continue
	dir=$(mktemp -d)
	if out=$(cd "$dir" && bash -e -c "$script" 2>&1); then
		pass "the examples of $name run"
	else
		fail "the examples of $name run" "$script" "$(printf %s "$out" | tail -c 600)"
	fi
	rm -rf "$dir"
done
finish
