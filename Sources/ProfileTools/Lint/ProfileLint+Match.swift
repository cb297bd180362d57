import Bluetooth
import Bytes
import Profile

// Checks of evidence: whether it identifies the device.
extension ProfileLint {
    mutating func checkMatch() {
        for evidence in profile.match {
            checkDialect(evidence.dialect, of: "match", at: evidence.place)
            if evidence.weight >= Profile.Evidence.threshold, let reason = evidence.sign.ambiguity {
                add(
                    .ambiguousEvidence, ["match"],
                    "match: \(reason), and a weight of \(evidence.weight) is enough alone",
                    fix: "give it less than \(Profile.Evidence.threshold)", at: evidence.place)
            }
        }
        checkReach()
        checkDoubles()
    }

    /// The evidence must reach the threshold, for each dialect that evidence supports.
    private mutating func checkReach() {
        guard let first = profile.match.first else { return }
        let named = Set(profile.match.compactMap(\.dialect)).sorted()
        for dialect in named.isEmpty ? [nil] : named.map(Optional.some) {
            let evidence = profile.match.filter { $0.dialect == nil || $0.dialect == dialect }
            let sum = evidence.map(\.weight).reduce(0, +)
            guard sum < Profile.Evidence.threshold else { continue }
            let of = dialect.map { " for \($0)" } ?? ""
            add(
                .weakEvidence, ["match"],
                "match: all evidence together\(of) comes to \(sum), and \(Profile.Evidence.threshold) are needed",
                at: evidence.first { $0.dialect == dialect }?.place ?? first.place)
        }
    }

    /// A sign may occur once and support one dialect.
    private mutating func checkDoubles() {
        for (index, evidence) in profile.match.enumerated() {
            let other = profile.match[..<index].first { $0.sign == evidence.sign }
            guard let other else { continue }
            let text =
                other.dialect == evidence.dialect
                ? "stands here twice, first in line \(other.place.line)"
                : "speaks for another dialect in line \(other.place.line)"
            add(.ambiguousEvidence, ["match"], "match: this \(text)", at: evidence.place)
        }
    }
}

extension Profile.Evidence.Sign {
    /// The reason why other kinds of devices show the sign too; nil if they do not.
    fileprivate var ambiguity: String? {
        switch self {
        case .service(let uuid):
            return uuid.uuid16.map { $0 < 0xFC00 } == true ? "many devices have the service \(uuid)" : nil
        case .characteristic(let uuid):
            return uuid.uuid16 != nil ? "many devices have the characteristic \(uuid)" : nil
        case .manufacturer(_, let prefix):
            return prefix.isEmpty ? "a company has many devices" : nil
        case .serviceData(let uuid, let prefix):
            let isCommon = uuid.uuid16.map { $0 < 0xFC00 } == true
            return prefix.isEmpty && isCommon ? "many devices have data of the service \(uuid)" : nil
        case .name(let pattern), .deviceInformation(_, let pattern):
            let matchesNothing = (try? BytePattern(Array(pattern.utf8)))?.matches([]) ?? false
            return matchesNothing ? "the pattern is found in every text" : nil
        }
    }
}
