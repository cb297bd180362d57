import Bytes
import Profile

/// Small profiles for the tests of the reader and of lint.
package enum ProfileSamples {
    /// A profile that is right, with these sections after its identity.
    package static func profile(_ sections: String, header: String = "") -> String {
        """
        profile: {id: test, title: Test, version: "1", format: 1\(header.isEmpty ? "" : ", \(header)")}
        \(sections)
        """
    }

    /// What is wrong with a profile: `line:column: text` each; empty when it is read.
    package static func faults(_ text: String) -> [String] {
        do throws(ProfileFaults) {
            _ = try ProfileReader.read(text, file: "test.yaml")
            return []
        } catch {
            return error.faults.map { "\($0.place): \($0.text)" }
        }
    }
}
