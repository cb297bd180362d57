import DeviceTesting
import PluginKit
import Testing
import Workbench

/// Files of cases: what is wrong with them is said with line and column.
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
