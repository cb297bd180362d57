package import Bytes
package import Profile

/// Checks a syntactically valid profile for undefined names, values that cannot be sent, unreachable elements and
/// failing vectors.
///
/// The profile can accept a finding that reflects the device's actual behaviour, with a reason; such findings are
/// listed separately.
package struct ProfileLint {
    let profile: Profile
    let types: TypeIndex
    /// Nil if the types have an invalid layout, which is a finding.
    private(set) var compiled: CompiledProfile?
    /// Findings, with the names by which acceptances can refer to them.
    private var findings: [Finding] = []
    /// The same findings, to avoid duplicates.
    private var known: Set<Finding> = []

    private struct Finding: Hashable {
        var diagnostic: Diagnostic
        var names: [String]
    }

    /// Result of checking a profile.
    package struct Report: Sendable {
        /// In file order.
        package var findings: [Diagnostic] = []
        /// Findings that the profile accepts, with the acceptances.
        package var accepted: [(finding: Diagnostic, acceptance: Profile.Acceptance)] = []

        /// Whether any finding is an error.
        package var hasErrors: Bool { findings.contains { $0.severity == .error } }
    }

    /// Checks a profile; `strict` also requires vectors for all types.
    package static func report(on profile: Profile, strict: Bool = false) -> Report {
        var lint = ProfileLint(profile)
        lint.checkLayout()
        lint.checkTypes()
        lint.checkMatch()
        lint.checkAttributes()
        lint.checkPayloads()
        lint.checkMessages()
        lint.checkSequences()
        lint.checkRules()
        lint.checkEmulation()
        lint.checkVectors()
        if strict { lint.checkCoverage() }
        return lint.sorted()
    }

    private init(_ profile: Profile) {
        self.profile = profile
        types = TypeIndex(profile.types)
    }

    private mutating func checkLayout() {
        do throws(ProfileFaults) {
            compiled = try CompiledProfile(profile)
        } catch {
            for fault in error.faults { add(.wrongLayout, [], fault.text, at: fault.place) }
        }
    }

    /// Adds a finding; `names` are the names by which acceptances can refer to it, most specific first.
    mutating func add(
        _ check: ProfileCheck, _ names: [String], _ text: String, fix: String? = nil, at place: SourcePlace
    ) {
        let finding = Finding(diagnostic: Self.diagnostic(check, text, fix, place), names: names)
        if known.insert(finding).inserted { findings.append(finding) }
    }

    private static func diagnostic(
        _ check: ProfileCheck, _ text: String, _ fix: String?, _ place: SourcePlace
    ) -> Diagnostic {
        Diagnostic(
            check.severity, at: .text(line: place.line, column: place.column), text, advice: fix, check: check.rawValue)
    }

    /// Separates accepted findings from the others.
    private func sorted() -> Report {
        var report = Report()
        var used: Set<Profile.Acceptance> = []
        let acceptances = Dictionary(grouping: profile.header.accepted) { [$0.finding, $0.at] }
        for one in findings {
            let finding = one.diagnostic
            // The first one in file order, if several match.
            let acceptance = one.names.compactMap { acceptances[[finding.check ?? "", $0]]?.first }
                .min { $0.place < $1.place }
            if let acceptance {
                used.insert(acceptance)
                report.accepted.append((finding, acceptance))
            } else {
                report.findings.append(finding)
            }
        }
        for acceptance in profile.header.accepted where !used.contains(acceptance) {
            report.findings.append(
                Self.diagnostic(
                    .unusedAcceptance, "\(acceptance.finding) is not found in \(acceptance.at)",
                    "take the acceptance out", acceptance.place))
        }
        report.findings.sort { $0.place < $1.place }
        report.accepted.sort { $0.finding.place < $1.finding.place }
        return report
    }
}
