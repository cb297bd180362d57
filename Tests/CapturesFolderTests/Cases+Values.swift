import BatteryTrace
import BluetoothTypes
import Bytes
import Captures
import GAP
import TestKit

/// What the values of attributes tell over time.
extension CaptureCase {
    static let values: [CaptureCase] = [
        CaptureCase(
            name: "battery-charging",
            title: "A battery that is charged",
            shows: """
                A phone of 3274 mAh is charged with 20 W, from 76 % on, and notifies each whole per cent: every 22.5 s up
                to 80 %, then more and more slowly, as the current tapers. At 86 % the charger is taken away, and the
                battery loses a per cent in five minutes. `gattbench battery estimate` tells the power from it.
                """,
            source: "Battery Service 1.0, 3.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.report(Cast.mobile, [.completeLocalName("Phone")])
            let phone = session.connect(to: Cast.mobile)
            phone.discover(Cast.battery)
            phone.read(Cast.battery[0x2A19], [76])
            phone.subscribe(Cast.battery[0x2A19, 0x2902])
            let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.76)
            let start = session.recording.time.nanoseconds
            func notify(_ percent: UInt8, atSeconds seconds: Double) {
                session.recording.time = Timestamp(nanoseconds: start + Int64(seconds * 1e9))
                phone.notify(Cast.battery[0x2A19], [percent])
            }
            var seconds = 0.0
            for percent in 77...86 as ClosedRange<UInt8> {
                while curve.level(atSeconds: seconds) < Double(percent) / 100 { seconds += 0.5 }
                notify(percent, atSeconds: seconds)
            }
            notify(85, atSeconds: seconds + 300)
            phone.disconnect()
            return try session.recording.btsnoop()
        }
    ]
}
