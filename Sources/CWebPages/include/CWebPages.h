#pragma once

#include <stddef.h>

/// A page of Sources/Web/Pages: its path below that folder, terminated, and its bytes, which are not.
typedef struct {
    const char *path;
    const char *bytes;
    size_t length;
} WebPage;

/// The pages, `count` of them.
const WebPage *webPages(size_t *count);
