#include <stddef.h>
#include <stdint.h>

// libFuzzer's loop, which calls `entry` with one input after the other. It is linked by -sanitize=fuzzer.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*entry)(const uint8_t *data, size_t size));
