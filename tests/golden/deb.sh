# make deb: packages that lintian accepts, the same twice, whose commands run.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
for tool in dpkg-deb dpkg-shlibdeps lintian; do
	if ! command -v $tool >/dev/null 2>&1; then
		skip "make deb" "$tool is not installed"
		finish
	fi
done
make_deb() { sh packaging/deb.sh "$(dirname "$CT_RELEASE")" >"$TMPDIR/names" 2>"$TMPDIR/err"; }
check "make deb" make_deb
same "two packages" 2 "$(wc -l <"$TMPDIR/names")"
first=$(xargs cksum <"$TMPDIR/names" | cut -d' ' -f1,2)
check "again" make_deb
same "the same bytes again" "$first" "$(xargs cksum <"$TMPDIR/names" | cut -d' ' -f1,2)"
if out=$(xargs lintian --allow-root --fail-on error <"$TMPDIR/names" 2>&1); then pass "lintian accepts them"; else fail "lintian accepts them" "$out"; fi
deb=$(grep -v dev_ "$TMPDIR/names")
check "it depends on its libraries" sh -c "dpkg-deb -f '$deb' Depends | grep -q 'libzstd1.*libpcre2\|libpcre2.*libzstd1'"
mkdir "$TMPDIR/root"
check "it unpacks" dpkg-deb -x "$deb" "$TMPDIR/root"
for t in "$CT_RELEASE"/*; do
	check "$(basename "$t") runs" "$TMPDIR/root/usr/bin/$(basename "$t")" --version
done
check "with the data files" "$TMPDIR/root/usr/bin/reuse" --print-gpu -g a100
check "and completions" test -s "$TMPDIR/root/usr/share/bash-completion/completions/triage"
finish
