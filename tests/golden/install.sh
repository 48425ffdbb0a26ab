# make install puts commands, library, headers, pages and data under DESTDIR and
# PREFIX; a program builds against the library; uninstall leaves nothing.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
root=$TMPDIR/root
make_it() { make -s --no-print-directory BUILD="$(dirname "$CT_RELEASE")" DESTDIR="$root" PREFIX=/opt/ct PROGRAM_PREFIX=ct- "$@"; }

check "make install" make_it install
for f in bin/ct-reuse lib/libcachetriage.a lib/pkgconfig/cachetriage.pc include/cachetriage/trace/trace.h \
	share/man/man1/ct-reuse.1 share/man/man5/cachetriage-profile.5 share/cachetriage/gpus/rtx3080.conf; do
	check "installs $f" test -s "$root/opt/ct/$f"
done
same "private headers stay at home" "" "$(find "$root" -name '*_internal.h' -o -name 'fast_kernel.h')"
check "an installed command finds its data" "$root/opt/ct/bin/ct-reuse" --print-gpu
cat > "$TMPDIR/use.c" <<'C'
#include <stdio.h>
#include "gpu/gpu.h"
int main(void)
{
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	return ct_gpu_llc_bytes(&g) > 0 ? 0 : 1;
}
C
flags=$(PKG_CONFIG_PATH=$root/opt/ct/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --static --cflags --libs cachetriage)
check "a program builds against the library" bash -c "gcc -o '$TMPDIR/use' '$TMPDIR/use.c' $flags -L$root/opt/ct/lib && '$TMPDIR/use'"
check "make uninstall" make_it uninstall
same "uninstall leaves no file" "" "$(find "$root" -type f)"
finish
