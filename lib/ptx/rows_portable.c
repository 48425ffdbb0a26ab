/* Operations on rows in plain C11. */
#define CT_PTX_ROWS ct_ptx_rows_portable
#include "ptx/rows.h"
