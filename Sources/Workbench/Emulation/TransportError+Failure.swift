import Host
import Transports

extension TransportError {
    /// The controller does not respond, rejects a required command, or reports a hardware error.
    init(_ transport: String, failure: Host.ControllerFailure) {
        let isSilent = failure == .controllerSilent
        self.init(
            transport, failure.words,
            advice: isSilent ? "check that a controller is attached and that no other host uses it" : "")
    }
}
