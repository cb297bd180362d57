/*
 * What ArgumentParser needs of FoundationEssentials, so that the 4 MB of it stay out of gattbench: whatever of its static library
 * is needed brings most of it along, and regular expressions.
 *
 * ArgumentParser asks whether errors are `LocalizedError`s: there is a protocol of that name here, to which nothing conforms. And
 * it encodes the output of the undocumented option --experimental-dump-help as JSON: here it says that it cannot. These
 * definitions come before those of a static library; where a link has Foundation all the same, names are defined twice, and it
 * fails. Nothing of this is in gattbench-full, whose HTTP libraries need Foundation, nor in builds that link it dynamically.
 */
#include <stddef.h>
#include <stdint.h>

/* A protocol descriptor as Swift's ABI has it (docs/ABI/TypeMetadata.rst in Swift's repository): offsets are relative. */
struct protocol {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    uint32_t signature_requirements;
    uint32_t requirements;
    int32_t associated_types;
    char text[16];
};

/* Kind 3 is a protocol; unique; of any type, not of classes alone. */
[[gnu::visibility("hidden")]] const struct protocol localized_error __asm__("$s20FoundationEssentials14LocalizedErrorMp") = {
    .flags = 0x10043,
    .name = offsetof(struct protocol, text) - offsetof(struct protocol, name),
    .text = "LocalizedError",
};

/* A string of at most 15 bytes of ASCII as Swift's ABI has it. */
struct string {
    char text[15];
    uint8_t count;
} __attribute__((aligned(8)));

/* JSONEncoder.encode of ArgumentParser, specialized for what --experimental-dump-help prints; that one is weak. */
[[gnu::visibility("hidden")]] struct string encode(void) __asm__("$s14ArgumentParser11JSONEncoderO6encodeySSxSERzlFZ0aB8ToolInfo0eF2V0V_Tt0g5");
struct string encode(void) { return (struct string){.text = "not available", .count = 0xE0 | 13}; }

/* What that function would call. */
#define NEVER_CALLED(name, symbol) \
    [[gnu::visibility("hidden")]] void name(void) __asm__(symbol); \
    void name(void) { __builtin_trap(); }

NEVER_CALLED(encoder_metadata, "$s20FoundationEssentials11JSONEncoderCMa")
NEVER_CALLED(encoder_init, "$s20FoundationEssentials11JSONEncoderCACycfc")
NEVER_CALLED(encoder_sorted, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau")
NEVER_CALLED(encoder_pretty, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau")
NEVER_CALLED(encoding_utf8, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau")
NEVER_CALLED(string_of_data, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC")
