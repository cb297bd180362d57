import Bluetooth

extension AttributeServer {
    /// Input of a request handler: the database, the client's bearer and the owner's answers.
    struct View {
        var database: AttributeDatabase
        var bearer: Bearer
        var transaction: Transaction

        /// The attributes in a request's range.
        func attributes(from start: Handle, to end: Handle) throws(Halt) -> ArraySlice<AttributeDatabase.Attribute> {
            guard start != 0, start <= end else { throw .error(.invalidHandle, start) }
            return database[start...end]
        }
    }
}

extension AttributeServer.View {
    /// Handles and types, all types of the same length (Vol 3, Part F, 3.4.3.1).
    func find(_ request: ATT.FindInformationRequest) throws(AttributeServer.Halt) -> ATT.FindInformationResponse {
        var entries: [ATT.FindInformationResponse.Entry] = []
        for attribute in try attributes(from: request.start, to: request.end) {
            let isShort = attribute.type.uuid16 != nil
            if let first = entries.first, isShort != (first.type.uuid16 != nil) { break }
            if 2 + (entries.count + 1) * (isShort ? 4 : 18) > bearer.mtu { break }
            entries.append(.init(handle: attribute.handle, type: attribute.type))
        }
        if entries.isEmpty { throw .error(.attributeNotFound, request.start) }
        return ATT.FindInformationResponse(entries: entries)
    }

    /// Groups with the given value; unreadable attributes are skipped (Vol 3, Part F, 3.4.3.3).
    func find(_ request: ATT.FindByTypeValueRequest) throws(AttributeServer.Halt) -> ATT.FindByTypeValueResponse {
        var groups: [ATT.FindByTypeValueResponse.Group] = []
        let type = UUID(UInt32(request.type))
        for attribute in try attributes(from: request.start, to: request.end) where attribute.type == type {
            if 1 + (groups.count + 1) * 4 > bearer.mtu { break }
            guard attribute.kind != .asked, let value = try? read(attribute), value == request.value else { continue }
            groups.append(.init(handle: attribute.handle, end: database.groupEnd(of: attribute.handle)))
        }
        if groups.isEmpty { throw .error(.attributeNotFound, request.start) }
        return ATT.FindByTypeValueResponse(groups: groups)
    }

    /// Values of one type, all of the same length (Vol 3, Part F, 3.4.4.1).
    func read(_ request: ATT.ReadByTypeRequest) throws(AttributeServer.Halt) -> ATT.ReadByTypeResponse {
        var entries: [ATT.ReadByTypeResponse.Entry] = []
        for attribute in try attributes(from: request.start, to: request.end) where attribute.type == request.type {
            let value: [UInt8]
            do throws(AttributeServer.Halt) {
                value = try read(attribute)
            } catch {
                // An error at the first attribute is returned; a later error ends the list.
                if case .error = error, !entries.isEmpty { break }
                throw error
            }
            let part = Array(value.prefix(min(bearer.mtu - 4, 253)))
            if let first = entries.first, first.value.count != part.count { break }
            if 2 + (entries.count + 1) * (2 + part.count) > bearer.mtu { break }
            entries.append(.init(handle: attribute.handle, value: part))
        }
        if entries.isEmpty { throw .error(.attributeNotFound, request.start) }
        return ATT.ReadByTypeResponse(entries: entries)
    }

    /// Services with their UUIDs, all of the same length (Vol 3, Part F, 3.4.4.9).
    func read(_ request: ATT.ReadByGroupTypeRequest) throws(AttributeServer.Halt) -> ATT.ReadByGroupTypeResponse {
        let range = try attributes(from: request.start, to: request.end)
        guard [.primaryService, .secondaryService].contains(request.type) else {
            throw .error(.unsupportedGroupType, request.start)
        }
        var groups: [ATT.ReadByGroupTypeResponse.Group] = []
        for attribute in range where attribute.type == request.type {
            if let first = groups.first, first.value.count != attribute.value.count { break }
            if 2 + (groups.count + 1) * (4 + attribute.value.count) > bearer.mtu { break }
            groups.append(
                .init(
                    handle: attribute.handle, end: database.groupEnd(of: attribute.handle), value: attribute.value))
        }
        if groups.isEmpty { throw .error(.attributeNotFound, request.start) }
        return ATT.ReadByGroupTypeResponse(groups: groups)
    }
}
