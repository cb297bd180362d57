#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/prctl.h>
#include <sys/xattr.h>

/* Calls of Linux that the C library has and no header of its own declares: capset(2). */
extern int capget(void *header, void *data);
extern int capset(void *header, const void *data);

/* prctl(2) takes any number of arguments, which Swift cannot call: forbids core dumps of this process. */
static inline int gattbench_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
