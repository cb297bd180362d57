import Bluetooth
import BluetoothCrypto
package import Bytes

/// An LE controller that is nothing but logic: what comes in and the time it comes at say what goes out.
///
/// It has no clock and no air: `Radio` brings it the alarms that it asked for and what others send.
package struct VirtualController: Sendable {
    package let configuration: ControllerConfiguration
    /// What Reset brings into its first state.
    var state = State()
    var random: SplitMix64
    /// Commands by opcode that it takes.
    let commands: CommandTable
    /// The time of what is being handled.
    var now = Timestamp(nanoseconds: 0)
    /// What was found to be done so far.
    var actions: [ControllerAction] = []
    /// The next serial number.
    private var lastSerial: UInt64 = 0

    package init(_ configuration: ControllerConfiguration, seed: UInt64) {
        self.configuration = configuration
        random = SplitMix64(seed: seed)
        commands = CommandTable(for: configuration)
        state.freeBuffers = Int(configuration.aclPacketCount)
    }

    /// Takes in what happened, and says what is to be done, in this order.
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
    /// What Reset brings into its first state.
    struct State: Sendable {
        /// Bit n: the event with code n + 1 is wanted; the default of the specification.
        var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
        /// Bit n: the LE event with subevent code n + 1 is wanted; the default of the specification.
        var leEventMask: UInt64 = 0x1F
        /// Which commands of advertising and scanning the host uses: not both (Vol 4, Part E, 3.1.1).
        var advertisingCommands: AdvertisingCommands?
        var hostSupportsLE: UInt64 = 0
        var randomAddress: Address?
        var legacySet = AdvertisingSet(handle: AdvertisingSet.legacyHandle)
        var sets: [AdvertisingSet] = []
        var scanning = Scanning()
        var initiating: Initiating?
        /// A connect request that was sent and not answered yet.
        var connecting: Initiating?
        var connections: [Connection] = []
        var lastHandle: UInt16 = 0x003F
        /// ACL data packets that the host may send.
        var freeBuffers = 0
        var acceptList: [ListedDevice] = []
        var resolvingList: [ResolvableDevice] = []
        var resolvesAddresses = false
        /// How long a resolvable private address is used, in seconds.
        var privateAddressTimeout: UInt16 = 900
        /// Payload and time that new connections begin with.
        var suggestedDataLength = (octets: UInt16(27), time: UInt16(328))
        /// PHYs that are taken where the peer may choose; a bit each.
        var defaultPHYs = (tx: UInt8(7), rx: UInt8(7))
        var channelMap = ChannelMap.all
        /// The key pair that was made for the host last.
        var keyPair: P256.KeyPair?
    }

    /// The two families of commands for advertising, scanning and connecting.
    enum AdvertisingCommands: Sendable {
        case legacy, extended
    }

    /// Puts everything into its first state; peers of connections find out by themselves.
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
