import Bluetooth
import BluetoothCrypto
import Bytes

/// Initialization of the controller (Vol 4, Part E, 3.1 and 4.1).
extension Host {
    /// Steps of initialization, in order.
    enum StartUpStep: Int, Hashable, Sendable, CaseIterable {
        case reset, version, supportedCommands, eventMask, leFeatures, leEventMask, address, leBufferSize, bufferSize
        case leHostSupport, advertisingDataLength, suggestedDataLength, randomAddress
    }

    mutating func startUp() {
        for handle in connections { drop(handle, reason: .connectionTerminatedByLocalHost) }
        forgetRadioState()
        commands.clear()
        controller = ControllerInformation()
        stage = .starting
        ask(.reset)
    }

    private mutating func ask(_ step: StartUpStep) {
        let purpose = Purpose.startUp(step)
        switch step {
        case .reset: command(HCI.Reset(), for: purpose)
        case .version: command(HCI.ReadLocalVersionInformation(), for: purpose)
        case .supportedCommands: command(HCI.ReadLocalSupportedCommands(), for: purpose)
        case .eventMask: command(HCI.SetEventMask(mask: Self.eventMask), for: purpose)
        case .leFeatures: command(HCI.LEReadLocalSupportedFeatures(), for: purpose)
        case .leEventMask: command(HCI.LESetEventMask(mask: leEventMask), for: purpose)
        case .address: command(HCI.ReadBDADDR(), for: purpose)
        case .leBufferSize: command(HCI.LEReadBufferSize(), for: purpose)
        case .bufferSize: command(HCI.ReadBufferSize(), for: purpose)
        case .leHostSupport: command(HCI.WriteLEHostSupport(isSupported: true), for: purpose)
        case .advertisingDataLength: command(HCI.LEReadMaximumAdvertisingDataLength(), for: purpose)
        case .suggestedDataLength:
            command(HCI.LEWriteSuggestedDefaultDataLength(octets: 251, time: 2120), for: purpose)
        case .randomAddress: command(HCI.LESetRandomAddress(address: drawRandomAddress()), for: purpose)
        }
    }

    /// Whether a step is needed for this controller.
    private func isNeeded(_ step: StartUpStep) -> Bool {
        switch step {
        case .bufferSize: controller.hasSharedBuffers
        case .leHostSupport: controller.supports(.writeLEHostSupport)
        case .advertisingDataLength: usesExtended && controller.supports(.readMaximumAdvertisingDataLength)
        case .suggestedDataLength: configuration.usesLongPackets && controller.supports(.writeSuggestedDataLength)
        case .randomAddress: configuration.addressing != .public
        default: true
        }
    }

    /// Handles the answer to a step and starts the next one.
    mutating func answered(
        _ step: StartUpStep, _ answer: CommandQueue<Purpose>.Answer, at now: Timestamp
    ) {
        guard stage == .starting else { return }
        if let failure = failure(of: step, answer) { return giveUp(failure) }
        learn(step, answer)
        var next = step
        repeat {
            guard let following = StartUpStep(rawValue: next.rawValue + 1) else { return started(at: now) }
            next = following
        } while !isNeeded(next)
        ask(next)
    }

    /// Only Reset and LE Read Buffer Size are mandatory; all other steps may fail.
    private func failure(of step: StartUpStep, _ answer: CommandQueue<Purpose>.Answer) -> ControllerFailure? {
        guard [.reset, .leBufferSize].contains(step), answer.status != .success else { return nil }
        if answer == .none { return .controllerSilent }
        return .commandRefused(step == .reset ? .reset : .leReadBufferSize, answer.status)
    }

    private mutating func learn(_ step: StartUpStep, _ answer: CommandQueue<Purpose>.Answer) {
        guard case .complete(let parameters) = answer, answer.status == .success else { return }
        switch step {
        case .version:
            guard let returned = HCI.ReadLocalVersionInformation.Returned(parameters) else { return }
            controller.version = returned.hciVersion
            controller.manufacturer = returned.manufacturer
        case .supportedCommands:
            controller.supportedCommands = HCI.ReadLocalSupportedCommands.Returned(parameters)?.commands ?? []
        case .leFeatures:
            let returned = HCI.LEReadLocalSupportedFeatures.Returned(parameters)
            controller.leFeatures = LinkLayerFeatures(bits: returned?.features ?? 0)
        case .address:
            guard let returned = try? HCI.ReadBDADDR.Returned(decoding: parameters) else { return }
            controller.publicAddress = returned.address
        case .leBufferSize:
            guard let returned = try? HCI.LEReadBufferSize.Returned(decoding: parameters) else { return }
            setBuffers(length: Int(returned.packetLength), count: Int(returned.packetCount))
            controller.hasSharedBuffers = returned.packetLength == 0 || returned.packetCount == 0
        case .bufferSize:
            guard let returned = HCI.ReadBufferSize.Returned(parameters) else { return }
            setBuffers(length: Int(returned.packetLength), count: Int(returned.packetCount))
        case .advertisingDataLength:
            let length = HCI.LEReadMaximumAdvertisingDataLength.Returned(parameters)?.length ?? 31
            controller.maximumAdvertisingData = min(max(31, Int(length)), 1650)
        default: break
        }
    }

    /// Corrects the buffer size of faulty controllers to the minimum: 27 bytes, one buffer.
    private mutating func setBuffers(length: Int, count: Int) {
        controller.packetLength = max(27, length)
        controller.packetCount = max(1, count)
    }

    private mutating func started(at now: Timestamp) {
        stage = .ready
        data = DataQueue(packetLength: controller.packetLength, packetCount: controller.packetCount)
        if case .resolvablePrivate = configuration.addressing {
            addressDeadline = now + configuration.privateAddressLifetime
        }
        report(.ready(controller))
    }

    /// Event mask: Disconnection Complete, Encryption Change, Hardware Error, Encryption Key Refresh Complete, LE Meta
    /// (Vol 4, Part E, 7.3.1).
    static let eventMask: UInt64 = 1 << 4 | 1 << 7 | 1 << 15 | 1 << 47 | 1 << 61

    /// LE event mask (Vol 4, Part E, 7.8.1). A controller without extended advertising may reject its bits.
    private var leEventMask: UInt64 {
        let legacy: [HCI.LESubevent] = [
            .connectionComplete, .advertisingReport, .connectionUpdateComplete, .longTermKeyRequest,
            .dataLengthChange, .phyUpdateComplete, .enhancedConnectionComplete,
        ]
        let extended: [HCI.LESubevent] = [.extendedAdvertisingReport, .advertisingSetTerminated]
        return (legacy + (usesExtended ? extended : [])).reduce(0) { $0 | 1 << UInt64($1.rawValue - 1) }
    }

    /// Whether to use the extended commands for advertising, scanning and connecting. A controller does not accept a
    /// mix of legacy and extended commands (Vol 4, Part E, 3.1.1).
    var usesExtended: Bool { configuration.usesExtendedAdvertising && controller.supportsExtendedAdvertising }
}

// MARK: - Addresses

extension Host {
    /// Identity address of this device.
    var identityAddress: DeviceAddress {
        switch configuration.addressing {
        case .public: DeviceAddress(controller.publicAddress, .public)
        case .random, .resolvablePrivate: DeviceAddress(staticAddress ?? Address(value: 0), .random)
        }
    }

    /// Address used for advertising, scanning and connecting.
    var ownAddress: DeviceAddress {
        configuration.addressing == .public
            ? DeviceAddress(controller.publicAddress, .public)
            : DeviceAddress(randomAddress ?? Address(value: 0), .random)
    }

    var ownAddressType: HCI.AddressType {
        configuration.addressing == .public ? .publicDevice : .randomDevice
    }

    /// Selects the next random address.
    private mutating func drawRandomAddress() -> Address {
        if staticAddress == nil {
            switch configuration.addressing {
            case .public: break
            case .random(let address), .resolvablePrivate(let address):
                staticAddress = address ?? PrivateAddress.static(random: random.next())
            }
        }
        if case .resolvablePrivate = configuration.addressing {
            let address = PrivateAddress.resolvable(
                key: ownIdentityKey(), random: UInt32(truncatingIfNeeded: random.next()))
            randomAddress = address
            return address
        }
        randomAddress = staticAddress
        return staticAddress ?? Address(value: 0)
    }

    /// Identity resolving key of this device.
    mutating func ownIdentityKey() -> SecretKey {
        if let key = configuration.identityKey ?? drawnIdentityKey { return key }
        let key = SecretKey(random.next128())
        drawnIdentityKey = key
        return key
    }

    /// Changes the private address and restarts advertising with it.
    mutating func changePrivateAddress(at now: Timestamp) {
        addressDeadline = now + configuration.privateAddressLifetime
        // The controller rejects an address change while the address is in use.
        guard !scanner.isOn, !initiator.isOn else { return }
        let settings = advertiser.isOn ? advertiser.settings : nil
        if settings != nil { stopAdvertising(forGood: false) }
        command(HCI.LESetRandomAddress(address: drawRandomAddress()))
        if let settings { advertise(settings) }
    }
}
