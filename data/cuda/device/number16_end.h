/* device/number16_end.h - takes back the macros with which device/number16.h was included. */
#undef CT_16_DO_2
#undef CT_16_DO_PAIRS_2
#undef CT_16_DO_3
#undef CT_16_DO_PAIRS_3
#undef CT_16
#undef CT_16_PAIR
#undef CT_16_BITS
#undef CT_16_TO
#undef CT_16_FROM
#undef CT_16_INFINITY
