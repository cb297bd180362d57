/*
 * Archives by libarchive, which is loaded when the first one is opened. A child process of its own unpacks: whatever an
 * archive makes of the decompressor's memory or its code, this process goes on.
 */
#define _GNU_SOURCE
#include "CArchive.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct archive;
struct archive_entry;

/* Return codes of libarchive. */
enum { OK = 0, END_OF_ARCHIVE = 1, WARN = -20 };
/* A regular file, as archive_entry_filetype names it. */
enum { REGULAR = 0100000, FILE_TYPE_MASK = 0170000 };
/* What archive_format returns for zip, whose low bits are the variant. */
enum { ZIP = 0x50000, FORMAT_MASK = 0xFF0000 };

/* F(result, name, parameters) for each function that is called. */
#define FUNCTIONS(F) \
    F(struct archive *, archive_read_new, (void)) \
    F(int, archive_read_support_filter_gzip, (struct archive *)) \
    F(int, archive_read_support_filter_xz, (struct archive *)) \
    F(int, archive_read_support_format_zip, (struct archive *)) \
    F(int, archive_read_support_format_tar, (struct archive *)) \
    F(int, archive_read_support_format_7zip, (struct archive *)) \
    F(int, archive_read_support_format_raw, (struct archive *)) \
    F(int, archive_read_open_fd, (struct archive *, int file, size_t block)) \
    F(int, archive_read_next_header, (struct archive *, struct archive_entry **)) \
    F(int, archive_read_data_block, (struct archive *, const void **, size_t *, int64_t *)) \
    F(int, archive_format, (struct archive *)) \
    F(const char *, archive_error_string, (struct archive *)) \
    F(const char *, archive_entry_pathname_utf8, (struct archive_entry *)) \
    F(const char *, archive_entry_pathname, (struct archive_entry *)) \
    F(mode_t, archive_entry_filetype, (struct archive_entry *)) \
    F(int, archive_entry_is_data_encrypted, (struct archive_entry *))

#define DECLARE(result, name, parameters) result(*name) parameters;
static struct {
    FUNCTIONS(DECLARE)
} library;

const char *gattbench_load_archive(void) {
    void *file = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    if (file == NULL)
        return dlerror();
#define FIND(result, name, parameters) \
    if (!(*(void **)&library.name = dlsym(file, #name))) \
        return dlerror();
    FUNCTIONS(FIND)
    return NULL;
}

/* Writes all bytes; the process ends if nobody reads them any more. */
static void write_all(int channel, const void *bytes, size_t count) {
    for (const char *next = bytes; count > 0;) {
        ssize_t written = write(channel, next, count);
        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0) {
            next += written;
            count -= written;
        }
    }
}

static void post(int channel, struct gattbench_archive_header header, const void *bytes) {
    write_all(channel, &header, sizeof header);
    write_all(channel, bytes, header.length);
}

static void post_text(int channel, enum gattbench_archive_message message, const char *text) {
    if (text == NULL)
        text = "no reason is given";
    post(channel, (struct gattbench_archive_header){.message = message, .length = strlen(text)}, text);
}

/* Whether the parent process wants the next bytes of the member. */
static bool wants_more(int channel) {
    for (;;) {
        unsigned char reply;
        ssize_t count = read(channel, &reply, 1);
        if (count == 1)
            return reply == GATTBENCH_ARCHIVE_READ;
        if (count == 0 || errno != EINTR)
            _exit(1);
    }
}

/* What is left of the limit, and whether the parent process wants the current member. */
struct progress {
    uint64_t left;
    bool is_wanted;
};

/* Posts bytes, zeros where there are none, as long as they are wanted. Returns false at the limit. */
static bool post_bytes(int channel, const char *bytes, uint64_t count, struct progress *progress) {
    static const char zeros[65536];
    if (count > progress->left) {
        post(channel, (struct gattbench_archive_header){.message = GATTBENCH_ARCHIVE_LIMIT}, NULL);
        return false;
    }
    progress->left -= count;
    while (count > 0 && progress->is_wanted) {
        uint32_t length = count < sizeof zeros ? count : sizeof zeros;
        struct gattbench_archive_header header = {.message = GATTBENCH_ARCHIVE_DATA, .length = length};
        post(channel, header, bytes != NULL ? bytes : zeros);
        progress->is_wanted = wants_more(channel);
        bytes = bytes != NULL ? bytes + length : NULL;
        count -= length;
    }
    return true;
}

/* Posts a member and, as long as the parent process wants them, its bytes. Returns false at the limit. */
static bool post_member(int channel, struct archive *archive, struct archive_entry *entry, struct progress *progress) {
    const char *name = library.archive_entry_pathname_utf8(entry);
    if (name == NULL)
        name = library.archive_entry_pathname(entry);
    if (name == NULL)
        name = "";
    struct gattbench_archive_header header = {
        .message = GATTBENCH_ARCHIVE_MEMBER, .length = strnlen(name, 4096),
        .is_encrypted = library.archive_entry_is_data_encrypted(entry) == 1};
    post(channel, header, name);
    progress->is_wanted = wants_more(channel);
    int64_t end = 0;
    /* The members of a zip are found by their offsets; what precedes a member of another archive is unpacked. */
    while (progress->is_wanted || (library.archive_format(archive) & FORMAT_MASK) != ZIP) {
        const void *block = NULL;
        size_t size = 0;
        int64_t offset = 0;
        int code = library.archive_read_data_block(archive, &block, &size, &offset);
        if (code < WARN && progress->is_wanted)
            post_text(channel, GATTBENCH_ARCHIVE_MEMBER_FAULT, library.archive_error_string(archive));
        if (code == END_OF_ARCHIVE && progress->is_wanted)
            post(channel, (struct gattbench_archive_header){.message = GATTBENCH_ARCHIVE_MEMBER_END}, NULL);
        if (code < WARN || code == END_OF_ARCHIVE)
            break;
        if (offset > end && !post_bytes(channel, NULL, offset - end, progress))
            return false;
        if (!post_bytes(channel, block, size, progress))
            return false;
        end = offset + (int64_t)size;
    }
    return true;
}

/* Posts all regular files of the archive. */
static void post_members(int channel, int file, uint64_t limit) {
    struct progress progress = {.left = limit};
    struct archive *archive = library.archive_read_new();
    if (archive == NULL)
        _exit(1);
    library.archive_read_support_filter_gzip(archive);
    library.archive_read_support_filter_xz(archive);
    library.archive_read_support_format_zip(archive);
    library.archive_read_support_format_tar(archive);
    library.archive_read_support_format_7zip(archive);
    library.archive_read_support_format_raw(archive);
    int code = library.archive_read_open_fd(archive, file, 65536);
    while (code >= WARN) {
        struct archive_entry *entry;
        code = library.archive_read_next_header(archive, &entry);
        if (code == END_OF_ARCHIVE)
            return post(channel, (struct gattbench_archive_header){.message = GATTBENCH_ARCHIVE_END}, NULL);
        if (code < WARN)
            break;
        if ((library.archive_entry_filetype(entry) & FILE_TYPE_MASK) == REGULAR
            && !post_member(channel, archive, entry, &progress))
            return;
    }
    post_text(channel, GATTBENCH_ARCHIVE_FAULT, library.archive_error_string(archive));
}

/* Limits what the process may do to what unpacking needs. */
static void limit_process(uint64_t memory) {
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "re");
    if (sizes == NULL || fscanf(sizes, "%lu", &pages) != 1)
        _exit(1);
    fclose(sizes);
    const struct rlimit none = {0, 0};
    rlim_t size = (rlim_t)pages * sysconf(_SC_PAGESIZE) + memory;
    const struct rlimit address_space = {size, size};
    if (setrlimit(RLIMIT_AS, &address_space) != 0 || setrlimit(RLIMIT_NOFILE, &none) != 0
        || setrlimit(RLIMIT_FSIZE, &none) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
        _exit(1);
}

pid_t gattbench_unpack(int file, uint64_t memory, uint64_t unpacked, int *channel) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_IGN);
        close(ends[0]);
        limit_process(memory);
        post_members(ends[1], file, unpacked);
        _exit(0);
    }
    close(ends[1]);
    *channel = ends[0];
    if (child < 0)
        close(ends[0]);
    return child;
}

void gattbench_end_unpacking(pid_t child) {
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}
