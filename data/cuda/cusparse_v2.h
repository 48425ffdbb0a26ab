/* cusparse_v2.h - the name that cusparse.h had when there were two. */
#include "cusparse.h"
