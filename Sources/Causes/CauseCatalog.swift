import PluginKit

/// All causes. For each failure, the most confident cause is named; of equally confident ones, the first.
package enum CauseCatalog {
    package static let all: [any Cause.Type] = link + security + attributes + [DeviceRuleBroken.self]

    /// Causes of what the link layer and the controllers are about. Causes that a code names precede those that follow
    /// from other traffic.
    private static let link: [any Cause.Type] = [
        MICFailure.self, InstantPassed.self, UnacceptableParameters.self, RemoteLowResources.self,
        RemotePowerOff.self, ControllerLimit.self, FilterExcluded.self, DirectedElsewhere.self,
        AdvertisingStopped.self, NeverHeard.self, ConnectionNotEstablished.self, SupervisionTimeout.self,
        RemoteUserTerminated.self, LocalHostTerminated.self, CommandRefused.self, ACLBuffersStuck.self,
        CreditsExhausted.self,
    ]

    /// Causes of failures of pairing and encryption.
    private static let security: [any Cause.Type] = [
        BondMissingLocal.self, BondMissingRemote.self, PairingNotSupported.self, PairingMethodMismatch.self,
        PasskeyWrong.self, NumericComparisonRejected.self, ConfirmMismatch.self, DHKeyMismatch.self,
        KeySizeTooSmall.self, PairingTimeout.self, InsufficientAuthentication.self, InsufficientAuthorization.self,
        InsufficientEncryption.self,
    ]

    /// Causes of failures of ATT, GATT and of the channels below.
    private static let attributes: [any Cause.Type] = [
        CCCDNeverWritten.self, CCCDWrongHandle.self, SubscriptionLost.self, StaleHandles.self,
        ServiceChangedIgnored.self, MTUTooSmall.self, NotificationTruncated.self, RequestTimeout.self,
        RequestsOverlapped.self, PrepareQueueFull.self, AttributeNotFound.self, WriteNotPermitted.self,
        ValueRejected.self, ApplicationError.self,
    ]

    /// Weighs all causes that can explain a failure.
    static func explain(_ failure: Failure, in session: Session) -> Incident {
        var best: (info: CauseInfo, confidence: Confidence, frames: [FrameReference], text: String)?
        var considered: [Incident.Considered] = []
        for cause in all where cause.info.explains.contains(failure.kind) {
            switch cause.assess(failure, in: session) {
            case .found(let confidence, let frames, let text):
                if let found = best, found.confidence >= confidence {
                    considered.append(
                        Incident.Considered(cause: cause.info.id, against: "\(found.info.id) fits better"))
                } else {
                    if let found = best {
                        considered.append(
                            Incident.Considered(cause: found.info.id, against: "\(cause.info.id) fits better"))
                    }
                    best = (cause.info, confidence, frames, text)
                }
            case .excluded(let reason):
                considered.append(Incident.Considered(cause: cause.info.id, against: reason))
            case nil: break
            }
        }
        let frames = Set(
            (best?.frames ?? failure.frames).map(\.frame) + [failure.frames[failure.frames.count - 1].frame])
        return Incident(
            connection: session.connection.number > 0 ? session.connection.number : nil, device: session.device,
            what: failure.kind,
            cause: best?.info.id, confidence: best?.confidence, frames: frames.sorted(),
            text: best?.text ?? "the capture does not show why", advice: best?.info.advice ?? "",
            considered: considered)
    }
}
