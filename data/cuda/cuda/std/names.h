/* cuda/std/names.h - namespace cuda::std has the names of std. */
#ifndef CT_CUDA_CUDA_STD_NAMES_H
#define CT_CUDA_CUDA_STD_NAMES_H

#pragma GCC system_header

namespace std
{
}

namespace cuda
{
namespace std
{
using namespace ::std;
}
}

#endif
