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
                transport, "no response from the controller",
                advice: "check that a controller is attached and that no other host uses it")
        case .commandRefused(let opcode, let code):
            let reason = code.name ?? "error 0x\(String(hex: code.rawValue, digits: 2))"
            self.init(transport, "the controller rejects \(opcode.name ?? "a command"): \(reason)")
        case .hardwareError(let code):
            self.init(transport, "the controller has a hardware error, 0x\(String(hex: code, digits: 2))")
        }
    }
}
