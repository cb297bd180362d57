import Bluetooth
import Bytes
import Captures
import Keys

// Keys found in the capture: pairings, keys that devices distribute, keys in HCI commands.
extension Tracker {
    /// Adds a key; an identity resolving key also names the devices whose addresses it resolves.
    mutating func learn(_ key: KnownKey) {
        guard keys.add(key) != nil, case .identityResolving(let value) = key.value else { return }
        devices.learn(value, ofOwnerAt: key.address)
    }

    /// Names the devices whose addresses the given keys resolve.
    mutating func learnGivenKeys() {
        // The keys learned last are kept: reversed candidates must not take the places of the others.
        for key in keys.keys.filter(\.isReversed) + keys.keys.filter({ !$0.isReversed }) {
            if case .identityResolving(let value) = key.value { devices.learn(value, ofOwnerAt: key.address) }
        }
    }

    /// Tracks a command of the Security Manager, from which keys may follow.
    mutating func followPairing(
        _ command: ArraySlice<UInt8>, _ connection: OpenConnection.Index, _ metadata: borrowing FrameMetadata
    ) {
        let central: Direction = isCentralRemote(connection, metadata) ? .received : .sent
        let fromInitiator = metadata.direction != central.opposite
        let ends = pairingAddresses(of: connection, central: central)
        let found = openConnections[connection].pairing.observe(
            command, fromInitiator: fromInitiator, initiator: ends.central, responder: ends.peripheral,
            frame: metadata.packet.number, ring: keys, &pairingBudget)
        for key in found { learn(key) }
    }

    /// Tracks the keys in an HCI command, which begins with its opcode.
    mutating func followKeys(inCommand range: Range<Int>, of bytes: [UInt8], _ metadata: borrowing FrameMetadata) {
        let found = HostKeys.keys(
            inCommand: bytes.span.extracting(range).rawBytes, frame: metadata.packet.number)
        for key in found { learn(key) }
    }

    /// Whether the remote device of a host's connection is the central; on the air, the central always sends.
    private func isCentralRemote(_ connection: OpenConnection.Index, _ metadata: borrowing FrameMetadata) -> Bool {
        guard metadata.hci != nil else { return false }
        return roles[min(openConnections[connection].number, Self.connectionLimit - 1)] == .peripheral
    }

    /// The addresses that central and peripheral use in a connection; zeros where they are not known.
    private func pairingAddresses(
        of connection: OpenConnection.Index, central: Direction
    ) -> (central: DeviceAddress, peripheral: DeviceAddress) {
        if let used = openConnections[connection].usedAddresses { return used }
        func address(_ direction: Direction) -> DeviceAddress {
            let device =
                direction == .sent
                ? openConnections[connection].record.sender : openConnections[connection].record.receiver
            let known = device >= 0 ? devices[device].address : nil
            return known ?? DeviceAddress(Address(value: 0), .public)
        }
        return (address(central), address(central.opposite))
    }
}
