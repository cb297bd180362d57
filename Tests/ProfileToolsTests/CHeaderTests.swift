import Profile
import ProfileTools
import Testing

/// C headers converted to profile drafts.
@Suite struct CHeaderTests {
    private static func profile(_ header: String) throws -> Profile {
        try ProfileReader.read(try CHeader.read(header, id: "device").draft.text(), file: "profile.yaml")
    }

    private static func fields(_ header: String, _ type: String) throws -> [FieldDefinition] {
        let found = try profile(header).types.first { $0.name == type }
        guard case .structure(let fields)? = found?.form else { return [] }
        return fields
    }

    static let packet = """
        /* A licence, which describes nothing. */

        #ifndef PACKET_H
        #define PACKET_H
        #include <stdint.h>
        #define MAX_RECORDS 4
        #define NAME_LENGTH (8 + 4)

        // How it works.
        typedef enum __attribute__((packed)) {
            MODE_IDLE = 0,   // nothing
            MODE_FAST,       ///< quick
            MODE_SLOW = 0x10
        } mode_t;

        #pragma pack(push, 1)
        /** One drink. */
        struct drink {
            uint32_t time;      // Unix seconds
            int16_t amount_ml;  /**< in ml */
            mode_t mode;
        };

        /* The whole
         * packet. */
        typedef struct {
            uint8_t recordCount;
            struct drink records[MAX_RECORDS];
            char name[NAME_LENGTH]; // of the owner
            uint8_t raw[3];
            float scale;
            uint8_t valid : 1;
            uint8_t level : 3;
            uint8_t : 2;
            uint8_t last : 2;
            bool on, off;
            uint64_t big;
            uint8_t tail[];
        } packet_t;
        #pragma pack(pop)
        #endif
        """

    @Test func structsBecomeTypes() throws {
        let profile = try Self.profile(Self.packet)
        #expect(profile.types.map(\.name) == ["mode", "drink", "packet"])
        #expect(profile.types.map(\.doc) == ["How it works.", "One drink.", "The whole packet."])
        let names = try Self.fields(Self.packet, "packet").map(\.name)
        #expect(names == ["record_count", "records", "name", "raw", "scale", "bits", "on", "off", "big", "tail"])
        #expect(try Self.fields(Self.packet, "drink").map(\.doc) == ["Unix seconds", "in ml", nil])
        #expect(ProfileLint.report(on: profile, strict: true).findings == [])
    }

    /// 1 + 4 · 7 + 12 + 3 + 4 + 1 + 1 + 1 + 8
    @Test func placesAreThoseOfThePackedStruct() throws {
        let layout = try #require(try CompiledProfile(Self.profile(Self.packet)).types["packet"])
        #expect(layout.lengths == 59...Int.max)
        var bytes = [UInt8](repeating: 0, count: 59)
        bytes[1 + 7] = 0x2A
        bytes[1 + 6] = 0x10
        bytes[48] = 0b1100_1011
        guard case .record(let record) = try layout.decode(bytes), case .list(let records)? = record["records"],
            case .record(let first) = records[0], case .record(let second) = records[1],
            case .record(let bits)? = record["bits"]
        else {
            Issue.record("no record")
            return
        }
        #expect(first["mode"] == .named(16, "slow"))
        #expect(second["time"] == .integer(42))
        #expect(bits["valid"] == .boolean(true))
        #expect(bits["level"] == .integer(5))
        #expect(bits["last"] == .integer(3))
    }

    /// A struct of bit fields becomes a number; an anonymous one takes its field's name.
    @Test func structsOfBitsAreNumbers() throws {
        let header = """
            struct later;
            struct __attribute__((packed)) broken { struct { uint8_t a; } flags; void *next; };
            typedef struct __attribute__((packed)) {
                struct { uint8_t valid : 1; uint8_t mode : 3; } flags;
                struct { uint8_t x; uint8_t y; } place[2];
            } state_t;
            """
        #expect(try CHeader.read(header, id: "device").notes.allSatisfy { $0.line == 2 })
        let profile = try Self.profile(header)
        #expect(profile.types.map(\.name) == ["flags", "place", "state"])
        let layout = try #require(try CompiledProfile(profile).types["state"])
        let point = Value.record(["x": .integer(0), "y": .integer(0)])
        #expect(
            try layout.decode([0x0B, 0, 0, 0, 0])
                == .record([
                    "flags": .record(["valid": .boolean(true), "mode": .integer(5)]), "place": .list([point, point]),
                ]))
    }

    @Test func paddingOfAStructThatIsNotPacked() throws {
        let header = "struct pair { uint8_t a; uint32_t b; uint16_t c; };"
        #expect(try Self.fields(header, "pair").map(\.name) == ["a", "padding", "b", "c", "padding_2"])
        let notes = try CHeader.read(header, id: "device").notes
        #expect(notes.map(\.line) == [1])
        #expect(notes.first?.text.contains("not packed") == true)
        let layout = try #require(try CompiledProfile(Self.profile(header)).types["pair"])
        #expect(layout.lengths == 12...12)
    }

    @Test(arguments: [
        ("struct s { uint8_t a; void *p; };", "a pointer has no meaning"),
        ("struct s { unknown_t a; };", "the type unknown_t is not known"),
        ("struct s { uint8_t a[N]; };", "a: its number of elements is not known"),
        ("union u { int a; float b; };", "a union is not read"),
        ("int f(int a) { return a; }", "not read: a function"),
        ("typedef void (*callback_t)(int);", "typedef not read"),
        ("struct s { uint8_t a[65535]; uint8_t b[2]; } __attribute__((packed));", "no value has 65537 bytes"),
        ("struct s {};", "struct s is left out"),
    ])
    func whatCannotBeReadIsSaidWithItsLine(line: String, reason: String) throws {
        let header = "\n\n\(line)\nstruct __attribute__((packed)) good { uint8_t a; };\n"
        let reading = try CHeader.read(header, id: "device")
        #expect(reading.draft.types.map(\.name) == ["good"])
        #expect(reading.notes.contains { $0.line == 3 && $0.text.contains(reason) }, "\(reading.notes)")
        let error = #expect(throws: CHeaderError.self) { try CHeader.read("\n\n\(line)\n", id: "device") }
        #expect(error?.notes.first?.line == 3)
    }

    @Test(arguments: [
        ("int a;", "i32"), ("unsigned short a;", "u16"), ("long long a;", "i64"), ("unsigned char a;", "u8"),
        ("const volatile uint16_t a;", "u16"), ("double a;", "f64"), ("char a;", "u8"), ("_Bool a;", "bool"),
    ])
    func arithmeticTypes(declaration: String, word: String) throws {
        let text = try CHeader.read("struct __attribute__((packed)) s { \(declaration) };", id: "device").draft.text()
        #expect(text.contains("- {name: a, type: \(word)}"))
    }

    @Test func branchesOfConditions() throws {
        let header = """
            #if 0
            struct never { uint8_t a; };
            #endif
            #ifdef WIDE
            typedef struct { uint8_t a; } __attribute__((packed)) one_t;
            #else
            typedef struct { uint8_t a[2]; } __attribute__((packed)) one_t;
            #endif
            """
        let reading = try CHeader.read(header, id: "device")
        #expect(reading.draft.types.map(\.name) == ["one"])
        #expect(reading.notes.map(\.line) == [6])
    }

    /// Every prefix of a header is read without an endless loop or a crash.
    @Test func everyBeginningOfAHeaderEnds() {
        for length in 0...Self.packet.count {
            _ = try? CHeader.read(String(Self.packet.prefix(length)), id: "device").draft.text()
        }
        let deep = String(repeating: "struct s { ", count: 1000)
        #expect(throws: CHeaderError.self) { try CHeader.read(deep, id: "device") }
        let brackets = "struct s { uint8_t a[" + String(repeating: "(", count: 1000) + "]; };"
        #expect(throws: CHeaderError.self) { try CHeader.read(brackets, id: "device") }
    }
}
