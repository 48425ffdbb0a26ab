#!/bin/sh
# Installs the Debian packages that building and testing need.
#   deps.sh install: all of them.  deps.sh missing: only if something is missing.
set -eu
packages="gcc libc6-dev make pkg-config libzstd-dev libpcre2-dev libgsl-dev liblzma-dev zlib1g-dev \
libcmocka-dev clang libclang-rt-14-dev mandoc xz-utils zstd gzip jq"

need=
for p in $packages; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || need="$need $p"
done
# pkgconf provides pkg-config under another package name.
if command -v pkg-config >/dev/null 2>&1; then need=$(printf '%s' "$need" | sed 's/ pkg-config//'); fi
[ "${1:-missing}" = install ] || [ -n "$need" ] || exit 0
[ -n "$need" ] || { echo "deps: everything is installed"; exit 0; }
if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: no apt-get here; install the equivalents of:$need" >&2
	exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "deps: installing$need"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >/dev/null
# shellcheck disable=SC2086
$sudo apt-get install -y -q --no-install-recommends $need >/dev/null
