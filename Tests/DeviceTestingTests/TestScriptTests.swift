import DeviceTesting
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// Test scripts: errors are reported with line and column.
@Suite struct TestScriptTests {
    private func read(_ cases: String) throws -> TestScript {
        let library = try PluginLibrary.load(["lifecount"], environment: [:])
        let plugin = try #require(library["lifecount"]?.plugin)
        let text = "tests: Some\nplugin: lifecount\ncases:\n" + cases
        return try TestScriptReader.read(text, file: "some.yaml", plugin)
    }

    @Test func parametersMakeACaseOfEachCombination() throws {
        let script = try read(
            """
              - id: one
                title: Some
                for: {number: [1, 2], way: [click_in, click_out]}
                steps: [connect, {do: $way}, {repeat: $($number * 2), steps: [{read: counter_info}]}]

            """)
        #expect(
            script.cases.map(\.id) == [
                "one[number=1,way=click_in]", "one[number=1,way=click_out]", "one[number=2,way=click_in]",
                "one[number=2,way=click_out]",
            ])
    }

    /// 64 million combinations: the reader stops at the limit of cases.
    @Test func combinationsHaveALimit() throws {
        let values = (0..<20).map(String.init).joined(separator: ", ")
        let parameters = "abcdef".map { "\($0): [\(values)]" }.joined(separator: ", ")
        let script = try read("  - id: one\n    title: Some\n    for: {\(parameters)}\n    steps: [connect]\n")
        #expect(script.cases.count == 2000)
        #expect(script.cases.last?.id == "one[a=0,b=0,c=0,d=4,e=19,f=19]")
    }

    @Test(arguments: [
        ("9223372036854775808", true), ("0x7FFFFFFFFFFFFFFF", true), ("0xFFFFFFFFFFFFFFFF", true),
        ("18446744073709551616", false), ("0x10000000000000000", false),
    ])
    func numbersHaveUpTo64Bits(_ text: String, _ isTaken: Bool) throws {
        let folder = try TemporaryFolder()
        let profile = """
            profile:
              {id: meter, title: Meter, version: 1.0.0, format: 1, licence: Apache-2.0, sources: [a test]}
            match: [{name: '^Meter$', weight: 60}]
            types:
              total: {fields: [{name: total, type: u64}]}
            gatt:
              - service: 6F75616B-7661-7465-2D00-000000000079
                name: meter
                characteristics:
                  - {uuid: 6F75616B-7661-7465-2D00-00000000007A, name: total, properties: [write], value: total, length: 8}
            """
        let path = try folder.file("meter/profile.yaml", profile.utf8)
        let plugin = try #require(try PluginLibrary.load([path], environment: [:])["meter"]?.plugin)
        let script = try? TestScriptReader.read(
            "tests: Some\nplugin: meter\ncases:\n  - id: a\n    title: b\n    steps:\n"
                + "      - {write: total, value: {total: \(text)}}\n",
            file: "some.yaml", plugin)
        #expect((script != nil) == isTaken)
    }

    @Test(arguments: [
        (
            "  - id: a\n    title: b\n    steps:\n      - reed: counter_info\n",
            "some.yaml:7:9: error: steps: expected one of do, connect"
        ),
        (
            "  - id: a\n    title: b\n    steps:\n      - read: counter_inf\n",
            "some.yaml:7:15: error: read: expected"
        ),
        (
            "  - id: a\n    title: b\n    steps:\n      - {write: control_point, value: {opcode: set_tim}}\n",
            "some.yaml:7:39: error: value: control_point: opcode: expected a name or a number"
        ),
        (
            "  - id: a\n    title: b\n    steps:\n      - {expect: notify count_event, where: $first > 1}\n",
            "some.yaml:7:45: error: where: there is no variable \"$first\""
        ),
        (
            "  - id: a\n    title: b\n    rule: LC-999\n    steps: [connect]\n",
            "some.yaml:6:11: error: rule: expected"
        ),
        ("  - id: a\n    steps: [connect]\n", "some.yaml:4:5: error: cases: expected \"title\""),
        (
            "  - id: a\n    title: b\n    steps:\n      - {read: counter_info, error: read_not_permited}\n",
            "some.yaml:7:37: error: error: expected a whole number"
        ),
        (
            "  - id: a\n    title: b\n    steps:\n      - {read: counter_info, write: control_point, bytes: \"04\"}\n",
            "some.yaml:7:30: error: write: cannot stand beside \"read\""
        ),
    ])
    func faultsHaveAPlace(_ cases: String, _ fault: String) throws {
        let error = #expect(throws: TestScriptFaults.self) { try read(cases) }
        let text = error?.description ?? ""
        #expect(text.contains(fault), "\(text)")
    }
}
