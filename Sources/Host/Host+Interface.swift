package import Bluetooth
import Bytes

extension Host {
    /// A request of the owner.
    package enum Request: Hashable, Sendable {
        /// Resets the controller and reads its capabilities.
        case start
        case advertise(AdvertisingSettings)
        case stopAdvertising
        case scan(ScanSettings)
        case stopScanning
        case connect(ConnectSettings)
        case cancelConnecting
        /// Valid reasons: Vol 4, Part E, 7.1.6.
        case disconnect(ConnectionHandle, HCI.ErrorCode)
        /// Changes the timing: a central updates it, a peripheral requests the update from its central.
        case changeTiming(ConnectionHandle, HCI.ConnectionTiming)
        /// Maximum payload on the air, 27 to 251 bytes.
        case changeDataLength(ConnectionHandle, octets: UInt16)
        /// PHYs as bits: 1 LE 1M, 2 LE 2M, 4 LE Coded.
        case changePHY(ConnectionHandle, tx: UInt8, rx: UInt8)
        /// A procedure with the peer's server; `id` is returned with its outcome. `UInt64.max` is reserved for the
        /// host.
        case client(ConnectionHandle, AttributeClient.Operation, id: UInt64)
        /// Sends a value to a client or to all subscribers.
        case notify(Handle, [UInt8], as: AttributeServer.ValueUpdate? = nil, to: ConnectionHandle? = nil)
        /// Replaces a value of the server without an update.
        case setValue(Handle, [UInt8])
        /// Answers `AttributeServer.Event.asked`.
        case answer(UInt64, AttributeServer.Answer)
        case replaceDatabase(AttributeDatabase)
        /// Changes the ATT_MTU that the server offers.
        case offerMTU(UInt16)
        /// Rejects the next `count` reads and writes of a value, or of all attributes, with an error: a fault of an
        /// emulated device.
        case refuse(Handle?, ATT.ErrorCode, count: Int)
        /// Encrypts with the bond's key; pairs if there is no bond with sufficient security.
        case secure(ConnectionHandle)
        /// Pairs even if a bond exists.
        case pair(ConnectionHandle)
        /// Answers `Pairing.Prompt`.
        case answerPairing(ConnectionHandle, Pairing.Answer)
        case deleteBond(DeviceAddress)
        /// A raw command packet without its packet indicator.
        case command([UInt8])
        /// A raw payload on an L2CAP channel, for testing a peer.
        case sendFrame(ConnectionHandle, L2CAP.ChannelID, [UInt8])
    }

    /// An event reported to the owner.
    package enum Event: Hashable, Sendable {
        /// The controller is ready.
        case ready(ControllerInformation)
        case failed(ControllerFailure)
        case advertisingStarted(DeviceAddress)
        /// Stopped by request, or because a central connected.
        case advertisingStopped
        case advertisingFailed(HCI.ErrorCode)
        case scanningStarted
        case scanningStopped
        case scanningFailed(HCI.ErrorCode)
        case advertisement(Advertisement)
        case connected(ConnectionHandle, Connection)
        /// Connecting failed or was cancelled.
        case connectionFailed(HCI.ErrorCode)
        case disconnected(ConnectionHandle, HCI.ErrorCode)
        case timingChanged(ConnectionHandle, Connection.Timing)
        /// The peer or the controller rejected a timing change.
        case timingRefused(ConnectionHandle)
        /// Maximum payloads on the air, in bytes.
        case dataLengthChanged(ConnectionHandle, sends: UInt16, receives: UInt16)
        case phyChanged(ConnectionHandle, sends: HCI.PHY, receives: HCI.PHY)
        case server(AttributeServer.Event)
        case client(ConnectionHandle, AttributeClient.Event)
        /// Pairing requires an action of the user.
        case pairingPrompt(ConnectionHandle, Pairing.Prompt)
        case paired(ConnectionHandle, Bond)
        case pairingFailed(ConnectionHandle, Pairing.Failure)
        /// The peripheral sent a Security Request; respond with `Request.secure`.
        case securityRequested(ConnectionHandle, SMP.AuthenticationRequirements)
        /// The encryption of a connection changed.
        case securityChanged(ConnectionHandle, LinkSecurity)
        /// Encryption with the bond's key failed; with `pinOrKeyMissing`, the peer has lost the bond.
        case encryptionFailed(ConnectionHandle, HCI.ErrorCode)
        /// A bond was created, changed or deleted (nil); stored bonds should be updated.
        case bondChanged(DeviceAddress, Bond?)
        /// A value was dropped because the queue is full.
        case congested(ConnectionHandle)
        /// The answer to a command of the owner: opcode and return parameters, status first.
        case commandAnswered(HCI.Opcode, [UInt8])
        /// A request was refused.
        case refused(Refusal)
    }

    /// Reason for the failure of the controller.
    package enum ControllerFailure: Hashable, Sendable {
        /// No answer to Reset or to several consecutive commands.
        case controllerSilent
        /// A mandatory command failed.
        case commandRefused(HCI.Opcode, HCI.ErrorCode)
        /// Hardware Error event (Vol 4, Part E, 7.7.16).
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

    /// Reason for refusing a request immediately.
    package enum Refusal: Hashable, Sendable {
        /// The controller is not ready.
        case notReady
        case unknownConnection(ConnectionHandle)
        case unknownAttribute(Handle)
        /// Another connection attempt is in progress.
        case connecting
        /// The controller does not support the request.
        case unsupported
        /// Too much advertising data.
        case dataTooLong(maximum: Int)
    }
}
