import Bytes
import Profile

/// Small profiles for tests of the reader and the linter.
package enum ProfileSamples {
    /// A valid profile with these sections after its header.
    package static func profile(_ sections: String, header: String = "") -> String {
        """
        profile: {id: test, title: Test, version: "1", format: 1\(header.isEmpty ? "" : ", \(header)")}
        \(sections)
        """
    }

    /// The faults of a profile, each as `line:column: text`; empty for a readable profile.
    package static func faults(_ text: String) -> [String] {
        do throws(ProfileFaults) {
            _ = try ProfileReader.read(text, file: "test.yaml")
            return []
        } catch {
            return error.faults.map { "\($0.place): \($0.text)" }
        }
    }
}
