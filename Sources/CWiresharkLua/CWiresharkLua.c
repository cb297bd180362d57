#include "CWiresharkLua.h"

static const char attributes[] = {
#embed "attributes.lua"
};
static const char checksums[] = {
#embed "checksums.lua"
};
static const char dissector[] = {
#embed "dissector.lua"
};
static const char expressions[] = {
#embed "expressions.lua"
};
static const char links[] = {
#embed "links.lua"
};
static const char messages[] = {
#embed "messages.lua"
};
static const char values[] = {
#embed "values.lua"
};

WiresharkLuaText wiresharkLuaAttributes(void) { return (WiresharkLuaText){attributes, sizeof attributes}; }
WiresharkLuaText wiresharkLuaChecksums(void) { return (WiresharkLuaText){checksums, sizeof checksums}; }
WiresharkLuaText wiresharkLuaDissector(void) { return (WiresharkLuaText){dissector, sizeof dissector}; }
WiresharkLuaText wiresharkLuaExpressions(void) { return (WiresharkLuaText){expressions, sizeof expressions}; }
WiresharkLuaText wiresharkLuaLinks(void) { return (WiresharkLuaText){links, sizeof links}; }
WiresharkLuaText wiresharkLuaMessages(void) { return (WiresharkLuaText){messages, sizeof messages}; }
WiresharkLuaText wiresharkLuaValues(void) { return (WiresharkLuaText){values, sizeof values}; }
