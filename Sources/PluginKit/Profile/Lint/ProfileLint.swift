package enum ProfileLint {
    package enum Check: String, CaseIterable, Sendable {
        case payloadExceedsMTU = "payload-exceeds-mtu"
    }
}
