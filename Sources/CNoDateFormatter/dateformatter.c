/*
 * What Hummingbird names of Foundation, so that the 10 MB of Foundation and ICU stay out of gattbench-full: the form encoding, which
 * nothing here uses, can take a DateFormatter. A static link takes this definition in place of the library's; where Foundation
 * is linked for something else, the name is defined twice, and the link fails.
 */
#include <stdint.h>

/* A type descriptor that nobody reads. */
[[gnu::visibility("hidden")]] const uint32_t date_formatter[16] __asm__("$s10Foundation13DateFormatterCMn") = {0};
