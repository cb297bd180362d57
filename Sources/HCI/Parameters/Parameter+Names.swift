import Bytes

/// Names of values that several parameters share.
extension HCI.Parameter.Names {
    static let addressTypes = Self(
        ValueNames { HCI.AddressType(rawValue: UInt8(truncatingIfNeeded: $0)).name })
    static let audioDataPaths: Self = [0: "HCI", 0xFF: "Audio test mode"]
    static let clockAccuracies: Self = [
        "500 ppm", "250 ppm", "150 ppm", "100 ppm", "75 ppm", "50 ppm", "30 ppm", "20 ppm",
    ]
    static let clocks: Self = ["Local Clock", "Piconet Clock"]
    static let codecs: Self = [
        0: "µ-law log", 1: "A-law log", 2: "CVSD", 3: "Transparent", 4: "Linear PCM", 5: "mSBC", 6: "LC3", 7: "G.729A",
        0xFF: "Vendor Specific",
    ]
    static let dataStatuses: Self = ["Complete", "Incomplete, more data to come", "Incomplete, data truncated"]
    static let disabledEnabled: Self = ["Disabled", "Enabled"]
    static let flowDirections: Self = ["Outgoing", "Incoming"]
    static let ioCapabilities: Self = ["DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput"]
    static let pcmFormats: Self = ["NA", "1's complement", "2's complement", "Sign-magnitude", "Unsigned"]
    static let phyOptions: Self = [
        "No preference", "S=2 preferred", "S=8 preferred", "S=2 required", "S=8 required",
    ]
    static let phys: Self = [1: "LE 1M", 2: "LE 2M", 3: "LE Coded"]
    static let roles: Self = ["Central", "Peripheral"]
    static let transportLayers: Self = ["Disabled", "WCI-1", "WCI-2"]
    static let versions: Self = [
        "1.0b", "1.1", "1.2", "2.0 + EDR", "2.1 + EDR", "3.0 + HS", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3",
        "5.4", "6.0",
    ]
}
