package import Bluetooth
import Bytes

extension Host {
    /// What the owner can ask for.
    package enum Request: Hashable, Sendable {
        /// Resets the controller and finds out what it can do.
        case start
        case advertise(AdvertisingSettings)
        case stopAdvertising
        case scan(ScanSettings)
        case stopScanning
        case connect(ConnectSettings)
        case cancelConnecting
        /// Reasons that the peer may be given: Vol 4, Part E, 7.1.6.
        case disconnect(ConnectionHandle, HCI.ErrorCode)
        /// Another timing: a central commands it, a peripheral asks its central.
        case changeTiming(ConnectionHandle, HCI.ConnectionTiming)
        /// Longest payload on the air, 27 to 251 bytes.
        case changeDataLength(ConnectionHandle, octets: UInt16)
        /// Physical layers as bits: 1 LE 1M, 2 LE 2M, 4 LE Coded.
        case changePHY(ConnectionHandle, tx: UInt8, rx: UInt8)
        /// A procedure with the peer's server; `id` comes back with its outcome. The greatest one is the host's own.
        case client(ConnectionHandle, AttributeClient.Operation, id: UInt64)
        /// Tells a value to a client, or to all that have subscribed.
        case notify(Handle, [UInt8], as: AttributeServer.ValueUpdate? = nil, to: ConnectionHandle? = nil)
        /// Replaces a value of the server without notifying.
        case setValue(Handle, [UInt8])
        /// Answers `AttributeServer.Event.asked`.
        case answer(UInt64, AttributeServer.Answer)
        case replaceDatabase(AttributeDatabase)
        /// ATT_MTU that the server offers from now on.
        case offerMTU(UInt16)
        /// Refuses the next reads and writes of a value, or of all attributes, with an error: a fault of an emulated device.
        case refuse(Handle?, ATT.ErrorCode, count: Int)
        /// Encrypts with the bond's key; pairs where there is none, or none that will do.
        case secure(ConnectionHandle)
        /// Pairs, bond or not.
        case pair(ConnectionHandle)
        /// Answers `Pairing.Prompt`.
        case answerPairing(ConnectionHandle, Pairing.Answer)
        case deleteBond(DeviceAddress)
        /// A command packet as it stands, without its packet indicator.
        case command([UInt8])
        /// A payload on an L2CAP channel as it stands, for tests of a peer.
        case sendFrame(ConnectionHandle, L2CAP.ChannelID, [UInt8])
    }

    /// What the owner may want to know.
    package enum Event: Hashable, Sendable {
        /// The controller is up.
        case ready(ControllerInformation)
        case failed(ControllerFailure)
        case advertisingStarted(DeviceAddress)
        /// By request, or because a central has connected.
        case advertisingStopped
        case advertisingFailed(HCI.ErrorCode)
        case scanningStarted
        case scanningStopped
        case scanningFailed(HCI.ErrorCode)
        case advertisement(Advertisement)
        case connected(ConnectionHandle, Connection)
        /// Connecting was given up, or failed.
        case connectionFailed(HCI.ErrorCode)
        case disconnected(ConnectionHandle, HCI.ErrorCode)
        case timingChanged(ConnectionHandle, Connection.Timing)
        /// The peer or the controller did not grant another timing.
        case timingRefused(ConnectionHandle)
        /// Longest payloads on the air, in bytes.
        case dataLengthChanged(ConnectionHandle, sends: UInt16, receives: UInt16)
        case phyChanged(ConnectionHandle, sends: HCI.PHY, receives: HCI.PHY)
        case server(AttributeServer.Event)
        case client(ConnectionHandle, AttributeClient.Event)
        /// The user has to do something for pairing to go on.
        case pairingPrompt(ConnectionHandle, Pairing.Prompt)
        case paired(ConnectionHandle, Bond)
        case pairingFailed(ConnectionHandle, Pairing.Failure)
        /// The peripheral asks for security; `Request.secure` does what it wants.
        case securityRequested(ConnectionHandle, SMP.AuthenticationRequirements)
        /// A connection is encrypted, or no longer.
        case securityChanged(ConnectionHandle, LinkSecurity)
        /// Encryption with the bond's key failed; `pinOrKeyMissing`: the peer has lost the bond.
        case encryptionFailed(ConnectionHandle, HCI.ErrorCode)
        /// A bond was made or has changed, or is gone: what is stored should follow.
        case bondChanged(DeviceAddress, Bond?)
        /// A value was not sent: the queue is full.
        case congested(ConnectionHandle)
        /// The answer to a command of the owner's own: opcode, return parameters with the status first.
        case commandAnswered(HCI.Opcode, [UInt8])
        /// What was asked for cannot be done.
        case refused(Refusal)
    }

    /// Why the controller is of no use.
    package enum ControllerFailure: Hashable, Sendable {
        /// It did not answer Reset, or several commands in a row.
        case controllerSilent
        /// It refused what no host can do without.
        case commandRefused(HCI.Opcode, HCI.ErrorCode)
        /// It reported a hardware error (Vol 4, Part E, 7.7.16).
        case hardwareError(UInt8)

        package var words: String {
            switch self {
            case .controllerSilent: return "no response from the controller"
            case .commandRefused(let opcode, let code):
                let reason = code.name ?? "error 0x\(String(hex: code.rawValue, digits: 2))"
                return "the controller rejects \(opcode.name ?? "a command"): \(reason)"
            case .hardwareError(let code):
                return "the controller has a hardware error, 0x\(String(hex: code, digits: 2))"
            }
        }
    }

    /// Why a request is refused at once.
    package enum Refusal: Hashable, Sendable {
        /// The controller is not up.
        case notReady
        case unknownConnection(ConnectionHandle)
        case unknownAttribute(Handle)
        /// Connecting is under way already.
        case connecting
        /// The controller cannot do it.
        case unsupported
        /// More advertising data than fits.
        case dataTooLong(maximum: Int)
    }
}
