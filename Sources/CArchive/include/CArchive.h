#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a message of the child process is about. */
enum gattbench_archive_message {
    /* A member begins: its name follows. */
    GATTBENCH_ARCHIVE_MEMBER = 1,
    /* Bytes of the member follow. */
    GATTBENCH_ARCHIVE_DATA,
    /* The member ended. */
    GATTBENCH_ARCHIVE_MEMBER_END,
    /* The member cannot be read, or not to its end: the reason follows. */
    GATTBENCH_ARCHIVE_MEMBER_FAULT,
    /* The archive ended. */
    GATTBENCH_ARCHIVE_END,
    /* The archive cannot be read, or not to its end: the reason follows. */
    GATTBENCH_ARCHIVE_FAULT,
    /* More was unpacked than is allowed. */
    GATTBENCH_ARCHIVE_LIMIT,
};

/* Precedes each message of the child process. */
struct gattbench_archive_header {
    uint32_t message;
    /* Number of bytes that follow. */
    uint32_t length;
    /* Of a member: whether its bytes are encrypted. */
    uint32_t is_encrypted;
};

/* The reply to a GATTBENCH_ARCHIVE_MEMBER or GATTBENCH_ARCHIVE_DATA: send bytes, or go on with the next member. */
enum { GATTBENCH_ARCHIVE_SKIP = 0, GATTBENCH_ARCHIVE_READ = 1 };

/* Loads libarchive. Returns why it cannot be loaded, or NULL. Call it once, before all else. */
const char *gattbench_load_archive(void);

/*
 * Starts a child process that unpacks the archive in a file with at most `memory` bytes beside what this process has, and
 * `unpacked` bytes of content. It can open no file and create none. Returns its id, or -1 with errno; `channel` is a socket
 * that carries its messages and the replies.
 */
pid_t gattbench_unpack(int file, uint64_t memory, uint64_t unpacked, int *channel);

/* Ends the child process and removes it from the process table. */
void gattbench_end_unpacking(pid_t child);
