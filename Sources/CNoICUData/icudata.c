/*
 * An empty collection of ICU data, in place of the 36 MB that a program with a static Foundation has otherwise.
 *
 * Hummingbird imports Foundation, which is linked with ICU: locales, calendars, zones of time, collations. What a program with
 * it writes depends on no locale, and zones are read from the system (docs/decisions/0032), so ICU finds nothing here and
 * Foundation goes by what it has without. A static link takes this definition instead of that in the library; elsewhere
 * nobody sees it. Another version of ICU has another name, and then a program has its data again.
 *
 * The form is that of ICU's data files: a header, then a table of contents ("ToCP", version 1), which has no entry.
 */
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

[[gnu::visibility("hidden"), gnu::aligned(16)]] const struct {
    uint16_t header_size;
    uint8_t magic[2];
    struct {
        uint16_t size;
        uint16_t reserved;
        uint8_t is_big_endian;
        uint8_t charset;
        uint8_t bytes_of_character;
        uint8_t reserved2;
        char format[4];
        uint8_t format_version[4];
        uint8_t data_version[4];
    } info;
    uint8_t padding[8];
    uint32_t entries;
    uint32_t reserved;
} icudt76_dat = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info = {.size = 20, .bytes_of_character = 2, .format = {'T', 'o', 'C', 'P'}, .format_version = {1}},
};
