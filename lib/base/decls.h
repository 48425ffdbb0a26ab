/* decls.h - what stands around the declarations of every public header: they are C also for C++, and visible outside
 * a shared library, of which everything else is hidden (-fvisibility=hidden). */
#ifndef CT_BASE_DECLS_H
#define CT_BASE_DECLS_H

#ifdef __GNUC__
#define CT_VISIBLE _Pragma("GCC visibility push(default)")
#define CT_HIDDEN_AGAIN _Pragma("GCC visibility pop")
#else
#define CT_VISIBLE
#define CT_HIDDEN_AGAIN
#endif

#ifdef __cplusplus
#define CT_DECLS_BEGIN \
	CT_VISIBLE extern "C" \
	{
#define CT_DECLS_END \
	} \
	CT_HIDDEN_AGAIN
#else
#define CT_DECLS_BEGIN CT_VISIBLE
#define CT_DECLS_END CT_HIDDEN_AGAIN
#endif

#endif
