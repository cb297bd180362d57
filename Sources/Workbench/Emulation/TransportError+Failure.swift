import BluetoothTypes
import Bytes
import HCI
import Host
import Transports

extension TransportError {
    /// A controller that is of no use.
    init(_ transport: String, failure: Host.ControllerFailure) {
        switch failure {
        case .controllerSilent:
            self.init(
                transport, "the controller does not answer",
                advice: "see that a controller is at the other end, and that no other host uses it")
        case .commandRefused(let opcode, let code):
            let reason = code.name ?? "error 0x\(String(hex: code.rawValue, digits: 2))"
            self.init(transport, "the controller refuses \(opcode.name ?? "a command"): \(reason)")
        case .hardwareError(let code):
            self.init(transport, "the controller has a hardware error, 0x\(String(hex: code, digits: 2))")
        }
    }
}
