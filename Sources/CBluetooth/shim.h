#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <sys/xattr.h>

/* Calls of Linux that the C library has and no header of its own declares: capset(2). */
extern int capget(void *header, void *data);
extern int capset(void *header, const void *data);
