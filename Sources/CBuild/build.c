#include "build.h"

#ifndef GATTBENCH_COMMIT
#define GATTBENCH_COMMIT ""
#endif

const char *gattbench_commit(void) { return GATTBENCH_COMMIT; }
