import Bluetooth
import Bytes
import Profile
import Testing

@Test(
    arguments: [
        ([.structure("a", [.u8("x"), .u8("x")])], "x: there is a field of this name before it"),
        (
            [.structure("a", [.make("b", .type("poin"))]), .structure("point", [])],
            "there is no type \"poin\"; did you mean \"point\"?"
        ),
        ([.structure("a", [.make("b", .type("a"))])], "a contains itself: a → a"),
        (
            [
                .structure("a", [.make("x", .type("b"))]),
                .structure("b", [.make("y", .type("a")) { $0.count = .rest }]),
            ],
            "a contains itself: a → b → a"
        ),
        (
            [.structure("a", [.u8("level"), .u8("x") { $0.condition = expression("levle > 0") }])],
            "there is no field \"levle\" before this; did you mean \"level\"?"
        ),
        (
            [.structure("a", [.u8("x") { $0.condition = expression("y > 0") }, .u8("y")])],
            "there is no field \"y\" before this"
        ),
        (
            [
                .structure(
                    "a", [.flags("flags", ["ready": 0...0]), .u8("x") { $0.condition = expression("flags.redy") }])
            ],
            "flags.redy: there is no field \"redy\"; did you mean \"ready\"?"
        ),
        (
            [
                .structure(
                    "a", [.flags("flags", ["ready": 0...0]), .u8("x") { $0.condition = expression("flags == 1") }])
            ],
            "flags: expected a number or a Boolean"
        ),
        (
            [
                .structure(
                    "a",
                    [
                        .make("t", .text(.fixed(2), end: .length)),
                        .u8("x") { $0.condition = expression("t == 'a'") },
                    ])
            ],
            "t: expected a number or a Boolean"
        ),
        (
            [
                .structure(
                    "a",
                    [
                        .names("state", [0: "idle", 1: "busy"]),
                        .u8("x") { $0.condition = expression("!(state == 'bussy') && state != 'idle'") },
                    ])
            ],
            "state: there is no value \"bussy\"; did you mean \"busy\"?"
        ),
        (
            [.structure("a", [.u8("n"), .u8("x") { $0.condition = expression("'one' == n") }])],
            "n: there is no value \"one\"; its values have no names"
        ),
        ([.structure("a", [.u8("n"), .u8("x") { $0.condition = expression("count(n) > 1") }])], "n: expected a list"),
        (
            [.structure("a", [.u8("n"), .u8("x") { $0.condition = expression("n + 1") }])],
            "when: expected a condition, found a number"
        ),
        (
            [.structure("a", [.u8("x") { $0.condition = expression("written(command, 0) == 1") }])],
            "written() and has() are known only where the type of a value is chosen"
        ),
        (
            [.structure("a", [.make("x", .type("e")) { $0.count = .rest }]), .structure("e", [])],
            "x: an element of a list must take a byte at least"
        ),
        (
            [.structure("a", [.make("x", .text(.rest, end: .length)) { $0.count = .fixed(3) }])],
            "x: an element of a list must take a byte at least"
        ),
        ([.structure("a", [.flags("f", ["a": 0...3, "b": 3...5])])], "b: other parts have these bits, too"),
        ([.structure("a", [.flags("f", ["a": 0...8])])], "a: expected bits 0 to 7"),
        (
            [.structure("a", [.make("x", .unsigned(bytes: 9))])],
            "x: a number of 9 bytes; possible are 1, 2, 3, 4, 5, 6, 7 or 8"
        ),
        ([.structure("a", [.make("x", .float(bytes: 3))])], "x: a number of 3 bytes; possible are 2, 4 or 8"),
        ([.structure("a", [.f32("x") { $0.scale = Scale(d: -1) }])], "x: only whole numbers have a scale"),
        ([.structure("a", [.u8("x") { $0.scale = Scale(m: 0) }])], "x: expected a scale of about 15 digits at most"),
        ([.structure("a", [.u8("x") { $0.constant = 256 }])], "x: the constant needs more than 1 bytes"),
        (
            [.structure("a", [.u8("x"), .make("c", .checksum(Checksum(.sum8, from: "y")))])],
            "checksum: there is no field \"y\" before it"
        ),
        (
            [.choice("a", .u8("opcode"), [.make(1, "one", length: 3, [.u8("x")])])],
            "one: length is 3, but its fields take 2 bytes"
        ),
        (
            [.choice("a", .u8("opcode"), [.make(1, "one", [.u8("opcode")])])],
            "opcode: this is the name of the field that decides"
        ),
        ([.structure("a", []), .structure("a", [])], "a: there is a type of this name before it"),
        (
            [
                .structure(
                    "a",
                    (0..<40).map { .u8("x\($0)") } + [
                        .u8("y") {
                            $0.condition = expression((0..<40).map { "x\($0) == 1" }.joined(separator: "||"))
                        }
                    ])
            ], "expressions refer to more than 32 fields of one value"
        ),
    ] as [([TypeDefinition], String)])
func faultsOfTypesAreTold(_ types: [TypeDefinition], _ message: String) {
    do {
        _ = try compile(types)
        Issue.record("was compiled")
    } catch let faults as ProfileFaults {
        #expect(faults.faults.map(\.text).contains(message), "\(faults)")
    } catch {
        Issue.record("\(error)")
    }
}

/// Types that each contain the previous one twice would grow exponentially.
@Test func profilesThatExplodeAreRefused() {
    var types: [TypeDefinition] = [.structure("t0", [.u8("x")])]
    for level in 1...30 {
        types.append(
            .structure("t\(level)", (0..<8).map { .make("f\($0)", .type("t\(level - 1)")) }))
    }
    #expect(throws: ProfileFaults.self) { try compile(types) }
    let deep: [TypeDefinition] = (0..<40).map { level in
        .structure("t\(level)", level == 0 ? [.u8("x")] : [.make("f", .type("t\(level - 1)"))])
    }
    #expect(throws: ProfileFaults.self) { try compile(deep) }
}

@Test func conditionsOfAttributesHaveNoFields() {
    var profile = Profile(
        header: Profile.Header(id: "test", title: "Test", version: "1", place: somewhere), file: "test.yaml")
    profile.types = [.structure("a", [.u8("x")])]
    profile.advertising = [
        AdvertisedValue(
            .company(1),
            reading: PayloadChoice([
                .init(condition: expression("x == 1"), type: "a", place: somewhere),
                .init(condition: expression("length"), type: "b", place: somewhere),
            ]), place: somewhere)
    ]
    do {
        _ = try CompiledProfile(profile)
        Issue.record("was compiled")
    } catch {
        #expect(
            error.faults.map(\.text) == [
                "when: \"x\" is a field, but fields are known only when the type is; use length and u8(offset)",
                "when: expected a condition, found a number", "there is no type \"b\"; did you mean \"a\"?",
            ])
    }
}
