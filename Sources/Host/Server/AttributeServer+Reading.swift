import Bluetooth
import Bytes

extension AttributeServer.View {
    func read(_ request: ATT.ReadRequest) throws(AttributeServer.Halt) -> ATT.ReadResponse {
        ATT.ReadResponse(value: Array(try value(at: request.handle).prefix(bearer.mtu - 1)))
    }

    func read(_ request: ATT.ReadBlobRequest) throws(AttributeServer.Halt) -> ATT.ReadBlobResponse {
        let value = try value(at: request.handle)
        guard request.offset <= value.count else { throw .error(.invalidOffset, request.handle) }
        return ATT.ReadBlobResponse(value: Array(value.dropFirst(Int(request.offset)).prefix(bearer.mtu - 1)))
    }

    func read(_ request: ATT.ReadMultipleRequest) throws(AttributeServer.Halt) -> ATT.ReadMultipleResponse {
        guard request.handles.count >= 2 else { throw .error(.invalidPDU, 0) }
        var values: [UInt8] = []
        for handle in request.handles { values += try value(at: handle) }
        return ATT.ReadMultipleResponse(values: Array(values.prefix(bearer.mtu - 1)))
    }

    func read(
        _ request: ATT.ReadMultipleVariableRequest
    ) throws(AttributeServer.Halt) -> ATT.ReadMultipleVariableResponse {
        guard request.handles.count >= 2 else { throw .error(.invalidPDU, 0) }
        var values: [ATT.ReadMultipleVariableResponse.Value] = []
        var room = bearer.mtu - 1
        for handle in request.handles {
            let value = try value(at: handle)
            // If a length field does not fit completely, it and all following values are left out.
            guard room >= 2 else { continue }
            let part = Array(value.prefix(room - 2))
            values.append(.init(length: UInt16(truncatingIfNeeded: value.count), bytes: part))
            room -= 2 + part.count
        }
        return ATT.ReadMultipleVariableResponse(values: values)
    }

    private func value(at handle: Handle) throws(AttributeServer.Halt) -> [UInt8] {
        guard let attribute = database[handle] else { throw .error(.invalidHandle, handle) }
        return try read(attribute)
    }

    /// The complete value of an attribute, if the client may read it.
    func read(_ attribute: AttributeDatabase.Attribute) throws(AttributeServer.Halt) -> [UInt8] {
        if let code = attribute.read.refusal(bearer.security, denied: .readNotPermitted) {
            throw .error(code, attribute.handle)
        }
        switch attribute.kind {
        case .stored: return attribute.value
        case .asked:
            switch transaction.values[attribute.handle] {
            case .value(let value): return Array(value.prefix(ATT.maximumValueLength))
            case .refused(let code): throw .error(code, attribute.handle)
            case .accepted: throw .error(.unlikelyError, attribute.handle)
            case nil: throw .pending(.read, attribute.handle)
            }
        case .clientConfiguration:
            return ByteWriter.bytes { $0.write(bearer.client.configurations[attribute.handle] ?? 0) }
        case .clientFeatures: return bearer.client.features.isEmpty ? [0] : bearer.client.features
        case .databaseHash: return database.hash
        }
    }
}
