#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

/* A call of Linux that the C library has and no header of its own declares: capset(2). */
extern int capset(void *header, const void *data);
