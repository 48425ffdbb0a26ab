#!/bin/sh
# Prints the flags that plugin.cpp needs, or nothing where it cannot be built: it wants a C++
# compiler, Oclgrind's headers, and the headers of the LLVM that Oclgrind is linked to.
cxx=${CXX:-c++}
command -v "$cxx" >/dev/null 2>&1 || exit 0
[ -e /usr/include/oclgrind/Plugin.h ] || [ -e /usr/local/include/oclgrind/Plugin.h ] || exit 0
lib=$("$cxx" -print-file-name=liboclgrind.so)
[ -e "$lib" ] || exit 0
version=$(ldd "$lib" 2>/dev/null | sed -n 's/.*libLLVM-\([0-9]*\).*/\1/p' | head -n 1)
for config in "llvm-config-$version" llvm-config; do
	command -v "$config" >/dev/null 2>&1 || continue
	case $("$config" --version) in "$version".*) ;; *) continue ;; esac
	dir=$("$config" --includedir)
	[ -e "$dir/llvm/IR/Instructions.h" ] || continue
	echo "-isystem $dir -loclgrind"
	exit 0
done
