import TestKit
import Testing

/// docs/mutations.md is what the rules make of the mutations. `GATTBENCH_REWRITE_GOLDEN=1` writes it anew instead.
struct MutationTests {
    @Test func thePageIsWhatTheRulesMakeOfTheMutations() throws {
        let text = try MutationTable().text
        #expect(try Repository.text("docs/mutations.md", madeAs: text) == text)
    }
}
