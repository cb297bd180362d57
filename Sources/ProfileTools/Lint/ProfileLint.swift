package import Bytes
package import Profile

/// Looks into a profile that could be read for what is wrong with it all the same: names that lead nowhere, values that
/// cannot be sent, what can never be reached, vectors that do not hold.
///
/// A finding that the device really has is accepted in the profile, with a reason; it is then listed apart.
package struct ProfileLint {
    let profile: Profile
    let types: TypeIndex
    /// Nil where the types cannot be laid out, which is a finding.
    private(set) var compiled: CompiledProfile?
    /// What was found, and what an acceptance may call its place.
    private var findings: [Finding] = []
    /// The same findings, to add none twice.
    private var known: Set<Finding> = []

    private struct Finding: Hashable {
        var diagnostic: Diagnostic
        var names: [String]
    }

    /// What was found in a profile.
    package struct Report: Sendable {
        /// In the order of the file.
        package var findings: [Diagnostic] = []
        /// Findings that the profile accepts, and why.
        package var accepted: [(finding: Diagnostic, acceptance: Profile.Acceptance)] = []

        /// Whether there is an error among the findings.
        package var hasErrors: Bool { findings.contains { $0.severity == .error } }
    }

    /// Looks into a profile; `strict` also demands vectors for all types.
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

    /// Adds a finding; `names` are what an acceptance may call its place, the most particular first.
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

    /// Parts the findings that the profile accepts from the others.
    private func sorted() -> Report {
        var report = Report()
        var used: Set<Profile.Acceptance> = []
        let acceptances = Dictionary(grouping: profile.header.accepted) { [$0.finding, $0.at] }
        for one in findings {
            let finding = one.diagnostic
            // The first one in the profile, where several fit.
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
