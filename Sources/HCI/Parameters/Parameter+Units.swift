import Bytes

extension HCI.Parameter {
    /// What a parameter counts in.
    struct Unit: Sendable {
        let name: String
        let scale: Double

        /// Slots of 0.625 ms.
        static let slots = Unit(name: "ms", scale: 0.625)
        /// Double slots of 1.25 ms.
        static let doubleSlots = Unit(name: "ms", scale: 1.25)
        /// 10 ms.
        static let tenMilliseconds = Unit(name: "ms", scale: 10)
        static let milliseconds = Unit(name: "ms", scale: 1)
        static let microseconds = Unit(name: "µs", scale: 1)
        static let seconds = Unit(name: "s", scale: 1)
        /// 1.28 s, the step of inquiries.
        static let inquiryTime = Unit(name: "s", scale: 1.28)
        static let dBm = Unit(name: "dBm", scale: 1)
        /// 0.125 ms, the step of response slots.
        static let responseSlots = Unit(name: "ms", scale: 0.125)
        /// 0.3125 ms, half a slot: a tick of the Bluetooth clock.
        static let clockTicks = Unit(name: "ms", scale: 0.3125)
        /// 8 µs, the step of constant tone extensions.
        static let toneExtensions = Unit(name: "µs", scale: 8)
        /// 0.1 dBm.
        static let tenthsOfdBm = Unit(name: "dBm", scale: 0.1)
        /// 0.1 dB.
        static let tenthsOfdB = Unit(name: "dB", scale: 0.1)
        static let dB = Unit(name: "dB", scale: 1)
        static let bytes = Unit(name: "bytes", scale: 1)
        static let bytesPerSecond = Unit(name: "bytes/s", scale: 1)
        static let megahertz = Unit(name: "MHz", scale: 1)
        static let kilohertz = Unit(name: "kHz", scale: 1)
        static let ppm = Unit(name: "ppm", scale: 1)
    }
}
