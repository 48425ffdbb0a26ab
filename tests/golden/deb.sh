# make deb: packages that lintian accepts, the same twice, whose commands run.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
for tool in dpkg-deb dpkg-shlibdeps lintian; do
	if ! command -v $tool >/dev/null 2>&1; then
		skip "make deb" "$tool is not installed"
		finish
	fi
done
make_deb() { DEB_LEVEL=1 sh packaging/deb.sh "$(dirname "$CT_RELEASE")" >"$TMPDIR/names" 2>"$TMPDIR/err"; }
check "make deb" make_deb
plugin=$(dirname "$CT_RELEASE")/lib/cachetriage-capture.so
same "a package each for commands, library, headers and, where it was built, the recorder" \
	"$([ -f "$plugin" ] && echo 4 || echo 3)" "$(wc -l <"$TMPDIR/names")"
first=$(xargs cksum <"$TMPDIR/names" | cut -d' ' -f1,2)
check "again" make_deb
same "the same bytes again" "$first" "$(xargs cksum <"$TMPDIR/names" | cut -d' ' -f1,2)"
if out=$(xargs lintian --allow-root --fail-on error,warning <"$TMPDIR/names" 2>&1); then pass "lintian accepts them"; else fail "lintian accepts them" "$out"; fi
deb=$(grep /cachetriage_ "$TMPDIR/names")
check "it depends on its libraries" sh -c "dpkg-deb -f '$deb' Depends | grep -q 'libzstd1.*libpcre2\|libpcre2.*libzstd1'"
mkdir "$TMPDIR/root"
check "it unpacks" dpkg-deb -x "$deb" "$TMPDIR/root"
for t in "$CT_RELEASE"/*; do
	check "$(basename "$t") runs" "$TMPDIR/root/usr/bin/ct-$(basename "$t")" --version
done
same "no command has the name of another package's" "" "$(ls "$TMPDIR/root/usr/bin" | grep -v '^ct-')"
check "with what CUDA programs run on" test -s "$TMPDIR/root/usr/lib/cachetriage/libctcuda.so"
check "and a toolkit that is linked with it" grep -q '"/usr/lib/cachetriage/libctcuda.so"' "$TMPDIR/root/usr/share/cachetriage/toolkit/lib64/libcudart.so"
same "whose compiler is ctcc" ctcc "$("$TMPDIR/root/usr/share/cachetriage/toolkit/bin/nvcc" --version | sed -n '1s/ .*//p')"
check "with the data files" "$TMPDIR/root/usr/bin/ct-reuse" --print-gpu -g a100
if [ -f "$plugin" ]; then
	recorder=$(grep /cachetriage-capture_ "$TMPDIR/names")
	check "the recorder depends on what loads it" sh -c "dpkg-deb -f '$recorder' Depends | grep -q 'cachetriage (= .*oclgrind'"
	check "it unpacks beside the commands" dpkg-deb -x "$recorder" "$TMPDIR/root"
	check "where tracegen finds it" sh -c "cd '$TMPDIR' && root/usr/bin/ct-tracegen capture -o none true 2>&1 | grep -q 'used neither CUDA nor OpenCL'"
fi
page() { gzip -dc "$TMPDIR/root/usr/share/man/man1/$1.1.gz"; }
same "pages name commands as they are called" "ct-sweep ct-triage" \
	"$(page ct-sweep | sed -n 's/^\.Nm \(..*\)/\1/p' | head -1) $(page ct-sweep | grep -o 'Xr [a-z-]*triage 1' | head -1 | cut -d' ' -f2)"
same "and no page has the name of another package's" "" "$(ls "$TMPDIR/root/usr/share/man/man1" | grep -v '^ct-')"
check "completions complete them" grep -q 'ct-triage' "$TMPDIR/root/usr/share/bash-completion/completions/ct-triage"
check "and completions" test -s "$TMPDIR/root/usr/share/bash-completion/completions/ct-triage"
finish
