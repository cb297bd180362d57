package import Bluetooth
import Bytes
package import PDUTestKit

extension ScriptedLink {
    /// Performs a complete discovery of a server's services, characteristics and descriptors.
    package func discover(_ server: ServerLayout) {
        discoverServices(server)
        for service in server.services { discoverCharacteristics(server, service.start...service.end) }
        for characteristic in server.characteristics {
            if let range = server.descriptorRange(of: characteristic) { discoverDescriptors(server, range) }
        }
    }

    /// Discover All Primary Services (Vol 3, Part G, 4.4.1).
    package func discoverServices(_ server: ServerLayout) {
        var next = Handle(1)
        while true {
            request(ATT.ReadByGroupTypeRequest(start: next, end: 0xFFFF, type: .primaryService))
            let groups = leading(server.services.filter { $0.start >= next }, overhead: 2) { service in
                ATT.ReadByGroupTypeResponse.Group(
                    handle: service.start, end: service.end, value: wire(service.type))
            } size: {
                4 + $0.value.count
            }
            guard let last = groups.last else { return refuse(.readByGroupTypeRequest, next, .attributeNotFound) }
            respond(ATT.ReadByGroupTypeResponse(groups: groups))
            guard last.end < 0xFFFF else { return }
            next = Handle(last.end.rawValue + 1)
        }
    }

    /// Discover All Characteristics of a Service (Vol 3, Part G, 4.6.1).
    package func discoverCharacteristics(_ server: ServerLayout, _ range: ClosedRange<Handle>) {
        var next = range.lowerBound
        while next <= range.upperBound {
            request(ATT.ReadByTypeRequest(start: next, end: range.upperBound, type: .characteristic))
            let remaining = server.characteristics.filter { (next...range.upperBound).contains($0.declaration) }
            let entries = leading(remaining, overhead: 2) { characteristic in
                ATT.ReadByTypeResponse.Entry(
                    handle: characteristic.declaration,
                    value: GATT.CharacteristicDeclaration(
                        properties: characteristic.properties, valueHandle: characteristic.value,
                        type: characteristic.type
                    ).encoded)
            } size: {
                2 + $0.value.count
            }
            guard let last = entries.last else { return refuse(.readByTypeRequest, next, .attributeNotFound) }
            respond(ATT.ReadByTypeResponse(entries: entries))
            next = Handle(last.handle.rawValue + 1)
        }
    }

    /// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1).
    package func discoverDescriptors(_ server: ServerLayout, _ range: ClosedRange<Handle>) {
        var next = range.lowerBound
        while next <= range.upperBound {
            request(ATT.FindInformationRequest(start: next, end: range.upperBound))
            let remaining = server.descriptors.filter { (next...range.upperBound).contains($0.handle) }
            let entries = leading(remaining, overhead: 2) { descriptor in
                ATT.FindInformationResponse.Entry(handle: descriptor.handle, type: descriptor.type)
            } size: {
                2 + wire($0.type).count
            }
            guard let last = entries.last else { return refuse(.findInformationRequest, next, .attributeNotFound) }
            respond(ATT.FindInformationResponse(entries: entries))
            next = Handle(last.handle.rawValue + 1)
        }
    }

    /// The leading `things` that fit into one response: all have the size of the first.
    private func leading<Thing, Entry>(
        _ things: [Thing], overhead: Int, _ entry: (Thing) -> Entry, size: (Entry) -> Int
    ) -> [Entry] {
        let entries = things.map(entry)
        guard let first = entries.first else { return [] }
        let room = (mtu - overhead) / size(first)
        return Array(entries.prefix { size($0) == size(first) }.prefix(room))
    }

    private func wire(_ type: UUID) -> [UInt8] { ByteWriter.bytes { $0.write(type) } }
}
