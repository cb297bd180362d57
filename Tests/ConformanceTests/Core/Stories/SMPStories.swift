import TestKit

private let value = String(repeating: "5a", count: 16)

extension Stage {
    /// Exchanges features: no input, no output, bonding; both sides use `keys`.
    fileprivate func exchangeFeatures(keys: String = "00 00") {
        sentSMP("01 03 00 01 10" + keys)
        receivedSMP("02 03 00 01 10" + keys)
    }

    /// Legacy pairing up to the random values.
    fileprivate func pair(keys: String = "00 00") {
        exchangeFeatures(keys: keys)
        sentSMP("03" + value)
        receivedSMP("03" + value)
        sentSMP("04" + value)
        receivedSMP("04" + value)
    }

    /// Legacy pairing up to the encryption.
    fileprivate func pairAndEncrypt(keys: String) {
        pair(keys: keys)
        (link as? HCILink)?.encrypt()
    }

    /// The features of LE Secure Connections, and the central's public key. `oob` is the peripheral's OOB data flag.
    fileprivate func beginSecurely(oob: String = "00") {
        sentSMP("01 03 00 09 10 00 00")
        receivedSMP("02 03 \(oob) 09 10 00 00")
        sentSMP("0c" + String(repeating: "11", count: 64))
    }

    /// `beginSecurely`, then the peripheral's public key.
    fileprivate func exchangePublicKeys(oob: String = "00") {
        beginSecurely(oob: oob)
        receivedSMP("0c" + String(repeating: "22", count: 64))
    }

    /// The random values and DHKey checks of LE Secure Connections.
    fileprivate func finishSecurely() {
        sentSMP("04" + value)
        receivedSMP("04" + value)
        sentSMP("0d" + value)
        receivedSMP("0d" + value)
    }
}

extension CoreStory {
    private static let pairing: @Sendable (Stage) -> Void = { $0.pair() }
    /// Both sides distribute their LTK.
    private static let keys: @Sendable (Stage) -> Void = { stage in
        stage.pairAndEncrypt(keys: "01 01")
        stage.receivedSMP("06" + value)
        stage.receivedSMP("07 1234 0102030405060708")
        stage.sentSMP("06" + value)
        stage.sentSMP("07 1234 0102030405060708")
    }

    static let smp: [CoreStory] = [
        CoreStory("CORE-SMP-01", good: pairing) { stage in
            stage.breaks { stage.receivedSMP("01 03 00 01 10 00 00") }
        },
        CoreStory("CORE-SMP-02") { stage in
            stage.receivedSMP("0b 01")
        } bad: { stage in
            stage.breaks { stage.sentSMP("0b 01") }
        },
        CoreStory("CORE-SMP-03", good: pairing) { stage in
            stage.exchangeFeatures()
            stage.breaks { stage.receivedSMP("03" + value) }
        },
        CoreStory("CORE-SMP-03") { stage in
            stage.exchangePublicKeys()
        } bad: { stage in
            stage.exchangeFeatures()
            stage.breaks { stage.sentSMP("0c" + String(repeating: "11", count: 64)) }
        },
        CoreStory("CORE-SMP-03") { stage in
            // Just Works and numeric comparison: only the responder sends a confirm value.
            stage.exchangePublicKeys()
            stage.receivedSMP("03" + value)
            stage.finishSecurely()
        } bad: { stage in
            stage.exchangePublicKeys()
            stage.breaks { stage.sentSMP("04" + value) }
        },
        CoreStory("CORE-SMP-03") { stage in
            // Passkey entry: both send a confirm value in each round.
            stage.exchangePublicKeys()
            for _ in 0..<20 {
                for opcode in ["03", "04"] {
                    stage.sentSMP(opcode + value)
                    stage.receivedSMP(opcode + value)
                }
            }
        } bad: { stage in
            stage.exchangePublicKeys()
            for opcode in ["03", "04"] {
                stage.sentSMP(opcode + value)
                stage.receivedSMP(opcode + value)
            }
            stage.sentSMP("03" + value)
            stage.breaks { stage.sentSMP("04" + value) }
        },
        CoreStory("CORE-SMP-03") { stage in
            // Out of band: neither sends a confirm value.
            stage.exchangePublicKeys(oob: "01")
            stage.finishSecurely()
        } bad: { stage in
            stage.exchangePublicKeys(oob: "01")
            stage.breaks { stage.receivedSMP("04" + value) }
        },
        CoreStory("CORE-SMP-04", good: pairing) { stage in
            stage.sentSMP("01 03 00 01 10 00 00")
            stage.wait(seconds: 31)
            stage.breaks { stage.receivedSMP("02 03 00 01 10 00 00") }
        },
        CoreStory("CORE-SMP-05", good: pairing) { stage in
            stage.breaks { stage.sentSMP("01 03 00 01 06 00 00") }
        },
        CoreStory("CORE-SMP-06", good: pairing) { stage in
            stage.breaks { stage.sentSMP("01 05 00 01 10 00 00") }
        },
        CoreStory("CORE-SMP-07", good: pairing) { stage in
            stage.sentSMP("01 03 00 01 10 00 00")
            stage.breaks { stage.receivedSMP("02 03 00 01 10 00 01") }
        },
        CoreStory("CORE-SMP-08") { stage in
            stage.sentSMP("01 03 00 01 10 00 00")
            stage.receivedSMP("05 05")
        } bad: { stage in
            stage.sentSMP("01 03 00 01 10 00 00")
            stage.breaks { stage.receivedSMP("05 11") }
        },
        CoreStory("CORE-SMP-09", good: pairing) { stage in
            stage.sentSMP("01 03 00 01 10 00 00")
            stage.breaks { stage.receivedSMP("05 05 00") }
        },
        CoreStory("CORE-SMP-10") { stage in
            stage.exchangePublicKeys()
        } bad: { stage in
            stage.beginSecurely()
            stage.breaks { stage.receivedSMP("0c" + String(repeating: "11", count: 64)) }
        },
        CoreStory("CORE-SMP-11", good: keys) { stage in
            stage.pair(keys: "01 01")
            stage.breaks { stage.receivedSMP("06" + value) }
        },
        CoreStory("CORE-SMP-12", good: keys) { stage in
            stage.pairAndEncrypt(keys: "01 01")
            stage.breaks { stage.receivedSMP("08" + value) }
        },
        CoreStory("CORE-SMP-13", good: keys) { stage in
            stage.pairAndEncrypt(keys: "01 01")
            stage.receivedSMP("07 1234 0102030405060708")
            stage.breaks { stage.receivedSMP("06" + value) }
        },
        CoreStory("CORE-SMP-14", good: keys) { stage in
            stage.pairAndEncrypt(keys: "03 03")
            stage.receivedSMP("06" + value)
            stage.breaks { stage.receivedSMP("08" + value) }
        },
    ]
}
