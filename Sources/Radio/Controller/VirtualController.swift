import Bluetooth
import BluetoothCrypto
package import Bytes

/// An LE controller as a pure state machine: its outputs depend only on its inputs and their times.
///
/// It has no clock and no air interface: `Radio` delivers the alarms it requested and the packets of other controllers.
package struct VirtualController: Sendable {
    package let configuration: ControllerConfiguration
    /// State that Reset reinitializes.
    var state = State()
    var random: SplitMix64
    /// Supported commands by opcode.
    let commands: CommandTable
    /// Time of the current input.
    var now = Timestamp(nanoseconds: 0)
    /// Actions collected for the current input.
    var actions: [ControllerAction] = []
    /// The last serial number assigned.
    private var lastSerial: UInt64 = 0

    package init(_ configuration: ControllerConfiguration, seed: UInt64) {
        self.configuration = configuration
        random = SplitMix64(seed: seed)
        commands = CommandTable(for: configuration)
        state.freeBuffers = Int(configuration.aclPacketCount)
    }

    /// Handles an input; returns the actions to perform, in order.
    package mutating func handle(_ input: ControllerInput, at now: Timestamp) -> [ControllerAction] {
        self.now = now
        switch input {
        case .packet(let packet): receiveFromHost(packet)
        case .alarm(let alarm): handle(alarm)
        case .advertisingEvent(let set): advertise(set)
        case .advertisement(let advertisement, let reception): receive(advertisement, reception)
        case .scanRequest(let request): receive(request)
        case .scanResponse(let response, let reception): report(response, reception, isScanResponse: true)
        case .connectRequest(let request, let link, let reception): receive(request, link, reception)
        case .connected(let request, let link, let reception): connected(by: request, link, reception)
        case .connectFailed: connectFailed()
        case .pdu(let pdu, let link, let reception): receive(pdu, on: link, reception)
        case .acknowledged(let link): acknowledged(on: link)
        case .changed(let change, let link): apply(change, to: link)
        case .lost(let link, let wasEstablished):
            end(link, reason: wasEstablished ? .connectionTimeout : .connectionFailedToBeEstablished)
        }
        let result = actions
        actions = []
        return result
    }

    private mutating func handle(_ alarm: ControllerAlarm) {
        switch alarm {
        case .advertisingEnd(let set, let serial): endAdvertising(set, serial)
        case .scanEnd(let serial): endScanning(serial)
        case .scanPeriod(let serial): beginScanPeriod(serial)
        case .procedureTimeout(let link, let serial): procedureTimedOut(link, serial)
        }
    }

    mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }
}

extension VirtualController {
    /// State that Reset reinitializes.
    struct State: Sendable {
        /// Bit n enables the event with code n + 1; initially the default of the specification.
        var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
        /// Bit n enables the LE event with subevent code n + 1; initially the default of the specification.
        var leEventMask: UInt64 = 0x1F
        /// Family of advertising and scanning commands that the host uses; a mix is not allowed (Vol 4, Part E, 3.1.1).
        var advertisingCommands: AdvertisingCommands?
        var hostSupportsLE: UInt64 = 0
        var randomAddress: Address?
        var legacySet = AdvertisingSet(handle: AdvertisingSet.legacyHandle)
        var sets: [AdvertisingSet] = []
        var scanning = Scanning()
        var initiating: Initiating?
        /// An unanswered connection request.
        var connecting: Initiating?
        var connections: [Connection] = []
        var lastHandle: UInt16 = 0x003F
        /// Number of free ACL data buffers.
        var freeBuffers = 0
        var acceptList: [ListedDevice] = []
        var resolvingList: [ResolvableDevice] = []
        var resolvesAddresses = false
        /// Lifetime of a resolvable private address, in seconds.
        var privateAddressTimeout: UInt16 = 900
        /// Initial data length of new connections.
        var suggestedDataLength = (octets: UInt16(27), time: UInt16(328))
        /// Preferred PHYs for requests of the peer, as bits.
        var defaultPHYs = (tx: UInt8(7), rx: UInt8(7))
        var channelMap = ChannelMap.all
        /// The last key pair generated for the host.
        var keyPair: P256.KeyPair?
    }

    /// The two families of commands for advertising, scanning and connecting.
    enum AdvertisingCommands: Sendable {
        case legacy, extended
    }

    /// Resets the state. Peers of connections detect the loss by supervision timeout.
    mutating func reset(_ command: Command) throws(Refusal) -> Returned {
        for set in [state.legacySet] + state.sets where set.isEnabled {
            actions.append(.stopAdvertising(set: set.handle))
        }
        if state.scanning.isEnabled { actions.append(.listen(.scanner, nil)) }
        if state.initiating != nil { actions.append(.listen(.initiator, nil)) }
        for connection in state.connections { actions.append(.leave(connection.link)) }
        state = State()
        state.freeBuffers = Int(configuration.aclPacketCount)
        return .success
    }
}
