import Host
import Transports

extension TransportError {
    /// A controller that is of no use.
    init(_ transport: String, failure: Host.ControllerFailure) {
        let isSilent = failure == .controllerSilent
        self.init(
            transport, failure.words,
            advice: isSilent ? "check that a controller is attached and that no other host uses it" : "")
    }
}
