import Foundation
import Testing

/// docs/mutations.md is what the rules make of the mutations. `GATTBENCH_REWRITE_GOLDEN=1` writes it anew instead.
struct MutationTests {
    @Test func thePageIsWhatTheRulesMakeOfTheMutations() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/mutations.md")
        let text = try MutationTable().text
        if ProcessInfo.processInfo.environment["GATTBENCH_REWRITE_GOLDEN"] == "1" {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == text)
    }
}
