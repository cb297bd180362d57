import Bluetooth
import Testing

/// Vol 3, Part H, 2.3.5.1, table 2.8: rows are the responder, columns the initiator, in the order DisplayOnly,
/// DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay. J: Just Works, I: the initiator displays, R: the
/// responder displays, B: both type, N: numeric comparison.
@Test(arguments: [
    (false, ["JJRJR", "JJRJR", "IIBJI", "JJJJJ", "IIRJI"]),
    (true, ["JJRJR", "JNRJN", "IIBJI", "JJJJJ", "INRJN"]),
])
func methodIsThatOfTheTable(isSecureConnections: Bool, rows: [String]) {
    for (responder, row) in rows.enumerated() {
        for (initiator, letter) in row.enumerated() {
            let method = PairingMethod(
                initiator: features(initiator, needsMITMProtection: true),
                responder: features(responder, needsMITMProtection: false), isSecureConnections: isSecureConnections)
            let expected: PairingMethod =
                switch letter {
                case "I": .passkey(displayedBy: .initiator)
                case "R": .passkey(displayedBy: .responder)
                case "B": .passkey(displayedBy: nil)
                case "N": .numericComparison
                default: .justWorks
                }
            #expect(method == expected, "initiator \(initiator), responder \(responder)")
        }
    }
}

@Test func withoutNeedForProtectionItJustWorks() {
    let method = PairingMethod(
        initiator: features(4, needsMITMProtection: false), responder: features(4, needsMITMProtection: false),
        isSecureConnections: true)
    #expect(method == .justWorks)
}

private func features(_ ioCapability: Int, needsMITMProtection: Bool) -> SMP.PairingFeatures {
    SMP.PairingFeatures(
        ioCapability: SMP.IOCapability(rawValue: UInt8(ioCapability)),
        requirements: .init(isBonding: true, needsMITMProtection: needsMITMProtection), initiatorKeys: .init(),
        responderKeys: .init())
}
