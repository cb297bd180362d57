import TestKit
import Testing

/// docs/mutations.md lists which mutations the rules detect. `make golden` writes it.
struct MutationTests {
    @Test func thePageIsWhatTheRulesMakeOfTheMutations() throws {
        let text = try MutationTable().text
        #expect(try Repository.text("docs/mutations.md", madeAs: text) == text)
    }
}
