#!/bin/sh
# deb.sh BUILD: build/deb/cachetriage_VERSION_ARCH.deb, libcachetriage0.1_..., libcachetriage-dev_...
# and, where oclgrind is, cachetriage-capture_..., from what `make install` installs. Needs dpkg-dev; the same tree gives the same packages.
# DEB_LEVEL: how hard xz tries, 0 to 9; without it as dpkg-deb does.
set -eu
cd "$(dirname "$0")/.."
build=$1
version=$(cat VERSION)
arch=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1763683200)}
export SOURCE_DATE_EPOCH
out=build/deb
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo .)
rm -rf "$out"
mkdir -p "$out/main" "$out/dev/usr/share/doc" "$out/debian"
umask 022
# Other packages of Debian have a reuse and a sweep.
prefix=ct-

make -s --no-print-directory BUILD="$build" DESTDIR="$PWD/$out/main" PREFIX=/usr LIBDIR="/usr/lib/$multiarch" \
	PROGRAM_PREFIX=$prefix install
main=$out/main dev=$out/dev
abi=${version%.*} lib=libcachetriage${version%.*}
shared=$out/$lib
mkdir -p "$dev/usr/lib/$multiarch" "$dev/usr/share/man" "$shared/usr/lib/$multiarch" "$main/usr/share/lintian/overrides"
mv "$main/usr/include" "$dev/usr/"
mv "$main/usr/lib/$multiarch/libcachetriage.so.$version" "$main/usr/lib/$multiarch/libcachetriage.so.$abi" \
	"$shared/usr/lib/$multiarch/"
mv "$main/usr/lib/$multiarch/libcachetriage.a" "$main/usr/lib/$multiarch/libcachetriage.so" \
	"$main/usr/lib/$multiarch/pkgconfig" "$dev/usr/lib/$multiarch/"
[ ! -d "$main/usr/share/man/man3" ] || mv "$main/usr/share/man/man3" "$dev/usr/share/man/"
# The recorder of OpenCL programs is loaded by oclgrind, which the commands do not need: a
# package of its own, where it was built.
capture=$out/capture plugin=$main/usr/lib/$multiarch/cachetriage-capture.so
if [ -f "$plugin" ]; then
	mkdir -p "$capture/usr/lib/cachetriage"
	mv "$plugin" "$capture/usr/lib/cachetriage/"
	strip --strip-unneeded "$capture/usr/lib/cachetriage/cachetriage-capture.so"
fi
# What programs of ctcc run on lies where ctcc looks for it, beside its commands.
runtime=$main/usr/lib/$multiarch/libctcuda.so
[ ! -f "$runtime" ] || mv "$runtime" "$out/libctcuda.so"
rm -rf "$main/usr/lib"
if [ -f "$out/libctcuda.so" ]; then
	mkdir -p "$main/usr/lib/cachetriage"
	mv "$out/libctcuda.so" "$main/usr/lib/cachetriage/"
	strip --strip-unneeded "$main/usr/lib/cachetriage/libctcuda.so"
	sh packaging/toolkit.sh "$main/usr/share/cachetriage/toolkit" ../../../../bin/ct-ctcc ../cuda /usr/lib/cachetriage/libctcuda.so
fi
strip --strip-unneeded "$main"/usr/bin/*
strip --strip-debug --enable-deterministic-archives "$dev/usr/lib/$multiarch/libcachetriage.a"
strip --strip-unneeded "$shared/usr/lib/$multiarch/libcachetriage.so.$version"
find "$main/usr/share/man" "$dev/usr/share/man" -type f -exec gzip -9n {} +

finish_package() { # NAME ROOT
	doc=$2/usr/share/doc/$1
	mkdir -p "$doc" "$2/DEBIAN"
	cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cachetriage

Files: *
Copyright: 2026 the authors of cachetriage
License: GPL-3+
 This program is free software: you can redistribute it and/or modify it under
 the terms of the GNU General Public License as published by the Free Software
 Foundation, either version 3 of the License, or (at your option) any later
 version.
 .
 On Debian systems the text of the license is in
 /usr/share/common-licenses/GPL-3.
END
	{
		echo "cachetriage ($version) unstable; urgency=medium"
		echo
		echo "  * Version $version."
		echo
		echo " -- cachetriage maintainers <cachetriage@example.org>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
	} | gzip -9n >"$doc/changelog.gz"
	(cd "$2" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k2 >DEBIAN/md5sums)
}
control() { # NAME ROOT DEPENDS SECTION SUMMARY, then the description on standard input
	finish_package "$1" "$2"
	cat >"$2/DEBIAN/control" <<END
Package: $1
Source: cachetriage
Version: $version
Architecture: $arch
Maintainer: cachetriage maintainers <cachetriage@example.org>
Installed-Size: $(du -sk "$2/usr" | cut -f1)
$3Section: $4
Priority: optional
Description: $5
$(sed 's/^$/./; s/^/ /')
END
	find "$2" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group -Zxz ${DEB_LEVEL:+-z"$DEB_LEVEL"} -b "$2" "$out/$1_${version}_$arch.deb" >/dev/null
	echo "$out/$1_${version}_$arch.deb"
}

# Libraries that the commands are linked with, as dependencies.
printf 'Source: cachetriage\n\nPackage: cachetriage\nArchitecture: any\n' >"$out/debian/control"
libs=$(cd "$out" && dpkg-shlibdeps -O main/usr/bin/* 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
control cachetriage "$main" "Depends: $libs
" science "estimate which GPU workloads benefit from which cache mechanism" <<END
Reads traces of GPU programs, makes reuse-distance profiles of them and
estimates what four published mechanisms would gain: a last-level cache
extended into idle SMs, L1 caches shared by all SMs, caches that split lines
into chunks, and a register file cache in the operand collectors.
END
if [ -d "$capture" ]; then
	libs=$(cd "$out" && dpkg-shlibdeps --ignore-missing-info -O capture/usr/lib/cachetriage/*.so 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
	control cachetriage-capture "$capture" "Depends: cachetriage (= $version), oclgrind${libs:+, $libs}
" science "record traces of OpenCL programs for cachetriage" <<END
The plugin with which "tracegen capture" runs an OpenCL program in the
Oclgrind simulator and records a trace of its kernels, without a GPU.
END
fi
libs=$(cd "$out" && dpkg-shlibdeps --ignore-missing-info -O "$lib/usr/lib/$multiarch/libcachetriage.so.$version" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
mkdir -p "$shared/DEBIAN"
echo "libcachetriage $abi $lib (>= $version)" >"$shared/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$shared/DEBIAN/triggers"
control "$lib" "$shared" "Depends: $libs
" libs "library that reads GPU traces and estimates cache mechanisms" <<END
Shared library behind the commands of cachetriage, for other programs: trace
readers, GPU configurations, reuse-distance engines, the replay engine, the
profile document and the estimates of mechanisms with their verdicts.
END
control libcachetriage-dev "$dev" "Depends: $lib (= $version), libzstd-dev, libpcre2-dev, libgsl-dev, liblzma-dev, zlib1g-dev
" libdevel "library that reads GPU traces and estimates cache mechanisms (headers)" <<END
Headers, manual pages and the static library for programs that make profiles
of GPU traces and estimate what cache mechanisms would gain.
END
