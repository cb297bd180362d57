import Bluetooth
import Bytes
import Host
import PDUTestKit

/// Two hosts on two connected controllers: 0 is the central, 1 the peripheral. Everything happens immediately, except
/// timers.
struct HostPair {
    var hosts: [Host]
    var controllers = [ScriptedController(), ScriptedController()]
    var now = Timestamp(nanoseconds: 1_000_000_000)
    /// The events of each host, in order.
    var events: [[Host.Event]] = [[], []]
    /// The connection handle on each side.
    var handles: [ConnectionHandle] = [0x0040, 0x0001]
    var isConnected = false
    /// Unacknowledged ACL packets of each sender; exceeding the buffers is a fault.
    var largestBacklog = [0, 0]
    /// The longest ACL packet that each has sent, in bytes.
    var longestPacket = [0, 0]
    /// Whether packets are acknowledged at once; otherwise `acknowledge` does it.
    var acknowledges = true
    private var backlog = [0, 0]
    private var isAdvertising = [false, false]
    private var isScanning = [false, false]
    private var advertising: [[UInt8]] = [[], []]
    private var key: [UInt8]?
    private var isEncrypted = false
    private var queue: [(index: Int, packet: [UInt8])] = []

    init(_ central: Host, _ peripheral: Host) {
        hosts = [central, peripheral]
        controllers[1].address = Address(value: 0x00AA_0000_0002)
    }

    /// Starts both hosts.
    mutating func start() {
        for index in 0...1 { request(index, .start) }
    }

    /// Starts both hosts and connects them.
    mutating func connect() {
        start()
        request(1, .advertise(Host.AdvertisingSettings(data: hex("02 01 06"))))
        reconnect()
    }

    mutating func reconnect() {
        request(0, .connect(Host.ConnectSettings(address(of: 1))))
    }

    func address(of index: Int) -> DeviceAddress {
        hosts[index].configuration.addressing == .public
            ? DeviceAddress(controllers[index].address, .public)
            : DeviceAddress(controllers[index].randomAddress, .random)
    }

    mutating func request(_ index: Int, _ request: Host.Request) {
        perform(index, hosts[index].handle(.request(request), at: now))
        settle()
    }

    /// Advances the time, stopping at each host's deadline.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let next = hosts.compactMap(\.deadline).min(), next <= end {
            now = max(now, next)
            for index in 0...1 { perform(index, hosts[index].handle(.time, at: now)) }
            settle()
        }
        now = end
    }

    /// The controller of `index` reports all its packets as completed.
    mutating func acknowledge(_ index: Int) {
        while backlog[index] > 0 {
            let count = UInt16(backlog[index])
            backlog[index] = 0
            deliver(index, HCI.NumberOfCompletedPackets(entries: [.init(handle: handles[index], count: count)]))
            settle()
        }
    }

    /// Delivers an event of the controller of `index`.
    mutating func deliver(_ index: Int, _ event: some HCI.Event) {
        queue.append((index, [4] + HCI.encode(event)))
    }

    mutating func deliver(_ index: Int, _ event: some HCI.LEEvent) {
        queue.append((index, [4] + HCI.encode(event)))
    }

    mutating func settle() {
        while !queue.isEmpty {
            let (index, packet) = queue.removeFirst()
            perform(index, hosts[index].handle(.packet(packet), at: now))
        }
    }

    private mutating func perform(_ index: Int, _ actions: [Host.Action]) {
        for action in actions {
            switch action {
            case .event(let event): events[index].append(event)
            case .send(let packet) where packet[0] == 2: carry(packet, from: index)
            case .send(let packet):
                if let answers = controllers[index].answer(packet) {
                    for answer in answers { queue.append((index, answer)) }
                } else {
                    act(index, packet)
                }
            }
        }
    }

    private mutating func carry(_ packet: [UInt8], from index: Int) {
        backlog[index] += 1
        largestBacklog[index] = max(largestBacklog[index], backlog[index])
        longestPacket[index] = max(longestPacket[index], packet.count - 5)
        guard isConnected, let header = try? HCI.ACLHeader(decoding: Array(packet[1..<5])) else { return }
        let other = HCI.ACLHeader(
            handle: handles[1 - index], boundary: header.boundary.isContinuation ? .continuing : .firstFlushable,
            length: header.length)
        queue.append((1 - index, [2] + other.encoded + packet[5...]))
        if acknowledges {
            backlog[index] = 0
            deliver(index, HCI.NumberOfCompletedPackets(entries: [.init(handle: handles[index], count: 1)]))
        }
    }

    /// Handles commands that affect the other controller.
    private mutating func act(_ index: Int, _ packet: [UInt8]) {
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let parameters = Array(packet.dropFirst(4))
        switch opcode {
        case 0x200A, 0x2039:
            isAdvertising[index] = parameters[0] == 1
            complete(index, opcode)
            let data = controllers[index].packets[opcode == 0x200A ? 0x2008 : 0x2037] ?? []
            advertising[index] =
                opcode == 0x200A ? Array(data.dropFirst(5).prefix(Int(data[4]))) : Array(data.dropFirst(8))
            report()
        case 0x200C, 0x2042:
            isScanning[index] = parameters[0] == 1
            complete(index, opcode)
            report()
        case 0x200D, 0x2043:
            queue.append((index, controllers[index].status(opcode)))
            if isAdvertising[1 - index] { join() }
        case 0x200E:
            complete(index, opcode)
            deliver(
                index,
                HCI.LEConnectionComplete(
                    status: .unknownConnectionIdentifier, handle: 0, role: .central, peerType: .publicDevice,
                    peer: Address(value: 0), interval: 0, latency: 0, supervisionTimeout: 0))
        case 0x0406:
            queue.append((index, controllers[index].status(opcode)))
            part(by: index, HCI.ErrorCode(rawValue: parameters[2]))
        case 0x2013:
            queue.append((index, controllers[index].status(opcode)))
            for side in 0...1 {
                deliver(
                    side,
                    HCI.LEConnectionUpdateComplete(
                        handle: handles[side], interval: 80, latency: 2, supervisionTimeout: 400))
            }
        case 0x2019:
            queue.append((index, controllers[index].status(opcode)))
            key = Array(parameters[12..<28])
            deliver(
                1 - index,
                HCI.LELongTermKeyRequest(
                    handle: handles[1 - index], randomNumber: Array(parameters[2..<10]),
                    encryptedDiversifier: UInt16(parameters[10]) | UInt16(parameters[11]) << 8))
        case 0x201A:
            completeWithHandle(index, opcode)
            encrypted(Array(parameters[2..<18]) == key ? .success : .micFailure)
        case 0x201B:
            completeWithHandle(index, opcode)
            deliver(1 - index, HCI.EncryptionChange(status: .pinOrKeyMissing, handle: handles[1 - index], enabled: 0))
        case 0x2022: completeWithHandle(index, opcode)
        default: queue.append((index, controllers[index].status(opcode)))
        }
    }

    /// Delivers an advertising report to each scanning host if the other one advertises.
    private mutating func report() {
        for index in 0...1 where isScanning[index] && isAdvertising[1 - index] {
            let peer = address(of: 1 - index)
            deliver(
                index,
                HCI.LEAdvertisingReport(reports: [
                    .init(
                        eventType: 0, addressType: HCI.AddressType(rawValue: peer.kind.rawValue),
                        address: peer.address, data: advertising[1 - index], rssi: -50)
                ]))
        }
    }

    private mutating func join() {
        isConnected = true
        isAdvertising = [false, false]
        for index in 0...1 {
            let peer = address(of: 1 - index)
            deliver(
                index,
                HCI.LEConnectionComplete(
                    handle: handles[index], role: index == 0 ? .central : .peripheral,
                    peerType: HCI.AddressType(rawValue: peer.kind.rawValue), peer: peer.address, interval: 24,
                    latency: 0, supervisionTimeout: 500))
        }
    }

    /// Ends the connection: a host disconnects or, with nil, the link is lost.
    mutating func part(by index: Int?, _ reason: HCI.ErrorCode) {
        guard isConnected else { return }
        isConnected = false
        isEncrypted = false
        backlog = [0, 0]
        for side in 0...1 {
            let reported = index == nil || index != side ? reason : .connectionTerminatedByLocalHost
            deliver(side, HCI.DisconnectionComplete(handle: handles[side], reason: reported))
        }
        if index == nil { settle() }
    }

    /// Turns encryption off.
    mutating func endEncryption() {
        isEncrypted = false
        for side in 0...1 { deliver(side, HCI.EncryptionChange(handle: handles[side], enabled: 0)) }
        settle()
    }

    private mutating func encrypted(_ status: HCI.ErrorCode) {
        if status != .success {
            for side in 0...1 { deliver(side, HCI.DisconnectionComplete(handle: handles[side], reason: status)) }
            isConnected = false
            return
        }
        let isRefresh = isEncrypted
        isEncrypted = true
        for side in 0...1 {
            if isRefresh {
                let handle = handles[side].rawValue
                queue.append((side, [4, 0x30, 3, 0, UInt8(handle & 0xFF), UInt8(handle >> 8)]))
            } else {
                deliver(side, HCI.EncryptionChange(handle: handles[side], enabled: 1))
            }
        }
    }

    private mutating func complete(_ index: Int, _ opcode: UInt16) {
        queue.append((index, controllers[index].complete(opcode, [0])))
    }

    private mutating func completeWithHandle(_ index: Int, _ opcode: UInt16) {
        let handle = handles[index].rawValue
        queue.append((index, controllers[index].complete(opcode, [0, UInt8(handle & 0xFF), UInt8(handle >> 8)])))
    }
}
