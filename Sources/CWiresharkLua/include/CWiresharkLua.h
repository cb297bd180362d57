#pragma once

#include <stddef.h>

/// A part that is the same in all dissectors, as Lua in UTF-8. The text is constant and not terminated.
typedef struct {
    const char *text;
    size_t length;
} WiresharkLuaText;

/// Takes the values out of Attribute PDUs.
WiresharkLuaText wiresharkLuaAttributes(void);
/// Computes checksums, in lists of bits, the highest first: Lua has no numbers of 64 bits in all its versions.
WiresharkLuaText wiresharkLuaChecksums(void);
/// Shows values: chooses their types, puts messages together, and is what Wireshark calls for every frame.
WiresharkLuaText wiresharkLuaDissector(void);
/// Functions for the conditions and lengths of a profile; nil is an unknown value.
WiresharkLuaText wiresharkLuaExpressions(void);
/// Follows the Attribute Protocol on each link: what discovery shows of a server's attributes, and which value belongs to which
/// request.
WiresharkLuaText wiresharkLuaLinks(void);
/// Puts messages together: of chunks, of values after a length, of the bytes of a stream.
WiresharkLuaText wiresharkLuaMessages(void);
/// Reads values by the tables of their types. Nothing in it can fail: what is too short gets a comment, and what was read before
/// stays.
WiresharkLuaText wiresharkLuaValues(void);
