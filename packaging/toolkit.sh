#!/bin/sh
# toolkit.sh DIR COMMAND INCLUDE LIBRARY: lays DIR out as a CUDA toolkit, for whatever looks for one by its folder.
#
# COMMAND (ctcc) becomes bin/nvcc and INCLUDE, the folder of the headers, include; both are links. Whatever a program names of the run-time
# in lib64 is LIBRARY, libctcuda.so by its whole path: a script of the linker says so. That library has no name of its own, so that programs record
# the path and find it without being told where to look. lib64/libctcuda.so is such a script, too: by it ctcc knows its own toolkit.
set -eu
dir=$1 command=$2 include=$3 library=$4
mkdir -p "$dir/bin" "$dir/lib64/stubs" "$dir/nvvm/libdevice"
ln -sfn "$command" "$dir/bin/nvcc"
ln -sfn "$include" "$dir/include"
ln -sfn lib64 "$dir/lib"
for name in libctcuda libcudart libcudart_static libcudadevrt libculibos libcuda libnvToolsExt libnvrtc libnvrtc_static libnvrtc-builtins \
	libnvrtc-builtins_static stubs/libcuda libcublas libcublas_static libcublasLt libcublasLt_static stubs/libcublas \
	libcurand libcurand_static stubs/libcurand libcusparse libcusparse_static stubs/libcusparse \
	libcufft libcufft_static libcufft_static_nocallback stubs/libcufft \
	libnvidia-ml stubs/libnvidia-ml; do
	printf 'INPUT ( "%s" )\n' "$library" >"$dir/lib64/$name.so"
done
