/* Operations on rows in plain C11. */
#define CT_PTX_ROWS ct_ptx_rows_portable
#define CT_PTX_LOOK ct_ptx_look_portable
#include "ptx/rows.h"
