// Ends or fails the process at the n-th call that changes a file whose path contains CRASH_FILE.
//
// CRASH_AT      the number of the call, from 1; 0 counts only
// CRASH_HOW     kill: as kill -9 before the call; torn: half of the bytes are written, then kill;
//               power: all that was written since the last sync of the file is undone, then kill
//               ENOSPC, EIO: this call and all later ones fail
// CRASH_COUNT   a file that gets the number of calls at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long calls, at;
static const char *part, *how;

__attribute__((constructor)) static void begin(void) {
    part = getenv("CRASH_FILE");
    how = getenv("CRASH_HOW");
    at = getenv("CRASH_AT") ? atol(getenv("CRASH_AT")) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("CRASH_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", calls);
        fclose(file);
    }
}

static int is_watched(int fd) {
    char link[64], path[4096];
    if (!part || !how) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, part) != NULL;
}

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static void find_functions(void) {
    if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
    if (!real_pwrite) real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
}

// What a write has replaced, as long as the file was not synced: the newest first.
static struct undone {
    struct undone *next;
    int fd;
    off_t offset, size;
    ssize_t count;
    char bytes[];
} *unsynced;

static void remember(int fd, size_t count, off_t offset) {
    if (!how || strcmp(how, "power") != 0 || !is_watched(fd)) return;
    struct stat status;
    struct undone *one = malloc(sizeof *one + count);
    if (!one || fstat(fd, &status) != 0) return;
    *one = (struct undone){unsynced, fd, offset, status.st_size, 0};
    one->count = pread(fd, one->bytes, count, offset);
    unsynced = one;
}

static void forget(int fd) {
    for (struct undone **place = &unsynced; *place;) {
        struct undone *one = *place;
        if (one->fd == fd) {
            *place = one->next;
            free(one);
        } else {
            place = &one->next;
        }
    }
}

static void undo(void) {
    find_functions();
    int (*real_truncate)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate64");
    for (struct undone *one = unsynced; one; one = one->next) {
        if (one->count > 0) real_pwrite(one->fd, one->bytes, one->count, one->offset);
        real_truncate(one->fd, one->size);
    }
}

// Whether the call is to fail with errno. Does not return where the process is to end; `torn` is done before that.
static int strike(int fd, void (*torn)(void *), void *context) {
    if (!is_watched(fd)) return 0;
    calls++;
    if (at == 0 || calls < at) return 0;
    if (strcmp(how, "ENOSPC") == 0) return errno = ENOSPC;
    if (strcmp(how, "EIO") == 0) return errno = EIO;
    if (strcmp(how, "torn") == 0 && torn) torn(context);
    if (strcmp(how, "power") == 0) undo();
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

struct piece {
    int fd;
    const void *bytes;
    size_t count;
    off_t offset;
};

static void half_write(void *context) {
    struct piece *one = context;
    if (one->offset < 0) real_write(one->fd, one->bytes, one->count / 2);
    else real_pwrite(one->fd, one->bytes, one->count / 2, one->offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    find_functions();
    struct piece one = {fd, bytes, count, -1};
    return strike(fd, half_write, &one) ? -1 : real_write(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
    find_functions();
    struct piece one = {fd, bytes, count, offset};
    if (strike(fd, half_write, &one)) return -1;
    remember(fd, count, offset);
    return real_pwrite(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

#define WATCHED(name)                                                     \
    int name(int fd) {                                                    \
        static int (*real)(int);                                          \
        if (!real) real = dlsym(RTLD_NEXT, #name);                        \
        if (strike(fd, NULL, NULL)) return -1;                            \
        forget(fd);                                                       \
        return real(fd);                                                  \
    }

WATCHED(fsync)
WATCHED(fdatasync)

int ftruncate64(int fd, off_t length) {
    static int (*real)(int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate64");
    return strike(fd, NULL, NULL) ? -1 : real(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fallocate64(int fd, int mode, off_t offset, off_t length) {
    static int (*real)(int, int, off_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "fallocate64");
    return strike(fd, NULL, NULL) ? -1 : real(fd, mode, offset, length);
}

int posix_fallocate64(int fd, off_t offset, off_t length) {
    static int (*real)(int, off_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "posix_fallocate64");
    return strike(fd, NULL, NULL) ? errno : real(fd, offset, length);
}
