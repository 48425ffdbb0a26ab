# cuBLAS: its kernels are what clang 19 makes of data/blas. What they compute is tested by cuda.sh.
. "$(dirname "$0")/lib.sh"
kernels_compiled blas
finish
