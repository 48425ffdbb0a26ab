#!/bin/sh
# Installs the Debian packages that building and testing need.
#   deps.sh install: all of them.  deps.sh missing: only if something is missing.
set -eu
# What only `tracegen capture` and its test need: installed by `make deps` where the archive has it.
optional="oclgrind liboclgrind-dev llvm-14-dev g++ opencl-c-headers ocl-icd-opencl-dev"
# What CUDA programs are best compiled with (ctcc), C++ for their host side, and what builds many of them; clang 14 serves too.
compilers="clang-19 g++ cmake"
packages="gcc libc6-dev make pkg-config libzstd-dev libpcre2-dev libgsl-dev liblzma-dev zlib1g-dev libiberty-dev \
libcmocka-dev clang libclang-rt-14-dev mandoc xz-utils zstd gzip jq"

need=
for p in $packages; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || need="$need $p"
done
# pkgconf provides pkg-config under another package name.
if command -v pkg-config >/dev/null 2>&1; then need=$(printf '%s' "$need" | sed 's/ pkg-config//'); fi
[ "${1:-missing}" = install ] || [ -n "$need" ] || exit 0
for p in $optional; do
	[ "${1:-missing}" = install ] || break
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || wanted="${wanted:-} $p"
done
for p in $compilers; do
	[ "${1:-missing}" = install ] || break
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || cuda="${cuda:-} $p"
done
[ -n "$need${wanted:-}${cuda:-}" ] || { echo "deps: everything is installed"; exit 0; }
if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: no apt-get here; install the equivalents of:$need${wanted:-}${cuda:-}" >&2
	[ -z "$need" ]
	exit
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "deps: installing$need${wanted:-}${cuda:-}"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >/dev/null
# shellcheck disable=SC2086
[ -z "$need" ] || $sudo apt-get install -y -q --no-install-recommends $need >/dev/null
if [ -n "${wanted:-}" ]; then
	# shellcheck disable=SC2086
	$sudo apt-get install -y -q --no-install-recommends $wanted >/dev/null 2>&1 ||
		echo "deps: no oclgrind here: tracegen capture is left out"
fi
if [ -n "${cuda:-}" ]; then
	# shellcheck disable=SC2086
	$sudo apt-get install -y -q --no-install-recommends $cuda >/dev/null 2>&1 ||
		echo "deps: no clang-19 here: ctcc compiles with clang 14"
fi
