import BluetoothTypes
import Bytes
package import PluginKit

extension SampleReading {
    /// «Battery Level» (Battery Service 3.1).
    static let batteryLevel = UUID(0x2A19)

    /// Takes the Battery Level values of one device, in the order of the frames: one octet, 0 to 100 per cent.
    package init(observed values: some Sequence<ObservedValue>) {
        for observed in values where observed.type == Self.batteryLevel {
            guard observed.value.count == 1, let percent = observed.value.first, percent <= 100 else {
                let bytes = observed.value.prefix(8).map { String(hex: $0, digits: 2) }.joined()
                reject("frame \(observed.frame): Battery Level \(bytes) is not one octet from 0 to 100")
                continue
            }
            // Frames of several adapters may come out of order by a moment.
            let time = max(observed.time, samples.last?.time ?? observed.time)
            samples.append(BatterySample(time: time, level: Double(percent) / 100))
        }
    }
}
