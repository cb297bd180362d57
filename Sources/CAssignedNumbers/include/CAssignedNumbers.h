#pragma once

#include <stddef.h>

/// A table of names by number: lines of four hexadecimal digits, a tab and a name in UTF-8, in the order of the numbers,
/// below a line that begins with '#'. The text is constant and not terminated.
typedef struct {
    const char *text;
    size_t length;
} AssignedNumberTable;

AssignedNumberTable assignedCompanies(void);
AssignedNumberTable assignedUUIDs16(void);
AssignedNumberTable assignedAppearances(void);
