import Bluetooth

/// Reads a value, with Read Blob requests if it exceeds one response (Vol 3, Part G, 4.8.1 and 4.8.3).
struct Reading: Procedure {
    var handle: Handle
    private var value: [UInt8] = []

    init(handle: Handle) {
        self.handle = handle
    }

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep {
        .request(ATT.ReadRequest(handle: handle))
    }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        let part: [UInt8]
        if value.isEmpty {
            switch Reply<ATT.ReadResponse>(answer, to: .readRequest) {
            case .response(let response): part = response.value
            case .refused(let code, let handle): return .fail(.refused(code, handle))
            case .invalid(let failure): return .fail(failure)
            }
        } else {
            switch Reply<ATT.ReadBlobResponse>(answer, to: .readBlobRequest) {
            case .response(let response): part = response.value
            // The value ended with the previous response.
            case .refused(.attributeNotLong, _), .refused(.invalidOffset, _): return .succeed(.value(value))
            case .refused(let code, let handle): return .fail(.refused(code, handle))
            case .invalid(let failure): return .fail(failure)
            }
        }
        value += part
        if part.count < client.mtu - 1 || value.count == ATT.maximumValueLength {
            return .succeed(.value(value))
        }
        guard value.count < ATT.maximumValueLength else {
            return .fail(.invalidResponse("a value has 512 bytes at most, not \(value.count) or more"))
        }
        return .request(ATT.ReadBlobRequest(handle: handle, offset: UInt16(value.count)))
    }
}

/// Reads the values of a type (Vol 3, Part G, 4.8.2).
struct ReadingByType: Procedure {
    var type: UUID
    var range: ClosedRange<Handle>
    private var entries: [ATT.ReadByTypeResponse.Entry] = []

    init(type: UUID, range: ClosedRange<Handle>) {
        self.type = type
        self.range = range
    }

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep { request(from: range.lowerBound) }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.ReadByTypeResponse>(answer, to: .readByTypeRequest) {
        case .response(let response):
            guard let last = risingEnd(of: response.entries.map(\.handle), from: next) else {
                return .fail(.invalidResponse("handles that do not increase within the range"))
            }
            entries += response.entries
            return last >= range.upperBound ? .succeed(.values(entries)) : request(from: last.next)
        case .refused(.attributeNotFound, _): return .succeed(.values(entries))
        case .refused(let code, let handle):
            return entries.isEmpty ? .fail(.refused(code, handle)) : .succeed(.values(entries))
        case .invalid(let failure): return .fail(failure)
        }
    }

    private var next: Handle { entries.last.map(\.handle.next) ?? range.lowerBound }

    private func request(from start: Handle) -> ProcedureStep {
        .request(ATT.ReadByTypeRequest(start: start, end: range.upperBound, type: type))
    }
}

/// The last of handles that increase from `start` on; nil if they do not.
func risingEnd(of handles: [Handle], from start: Handle) -> Handle? {
    guard let first = handles.first, first >= start,
        zip(handles, handles.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    return handles.last
}

/// Writes values: a short value with one request, others in parts (Vol 3, Part G, 4.9.3 to 4.9.5).
struct Writing: Procedure {
    private enum State {
        case writing
        /// Index of the part that the server must echo.
        case preparing(Int)
        case executing
        /// An echoed part differed, so the queue is being cancelled.
        case cancelling
    }

    private var values: [AttributeClient.ValueToWrite]
    private let isReliable: Bool
    private var parts: [ATT.PrepareWriteRequest] = []
    private var state = State.writing

    init(values: [AttributeClient.ValueToWrite], isReliable: Bool) {
        self.values = values
        self.isReliable = isReliable
    }

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep {
        if !isReliable, let value = values.first, value.value.count <= client.mtu - 3 {
            return .request(ATT.WriteRequest(handle: value.handle, value: value.value))
        }
        let size = client.mtu - 5
        for value in values {
            guard value.value.count <= ATT.maximumValueLength else {
                return .fail(.refused(.invalidAttributeValueLength, value.handle))
            }
            for start in stride(from: 0, to: max(1, value.value.count), by: size) {
                let part = Array(value.value[start..<min(start + size, value.value.count)])
                parts.append(ATT.PrepareWriteRequest(handle: value.handle, offset: UInt16(start), value: part))
            }
        }
        return prepare(0)
    }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch state {
        case .writing:
            switch Reply<ATT.WriteResponse>(answer, to: .writeRequest) {
            case .response: return .succeed(.written)
            case .refused(let code, let handle): return .fail(.refused(code, handle))
            case .invalid(let failure): return .fail(failure)
            }
        case .preparing(let index):
            switch Reply<ATT.PrepareWriteResponse>(answer, to: .prepareWriteRequest) {
            case .response(let response):
                let part = parts[index]
                let isSame =
                    response.handle == part.handle && response.offset == part.offset && response.value == part.value
                if isSame || !isReliable { return prepare(index + 1) }
                state = .cancelling
                return .request(ATT.ExecuteWriteRequest(flags: 0))
            case .refused(let code, let handle): return .fail(.refused(code, handle))
            case .invalid(let failure): return .fail(failure)
            }
        case .executing:
            switch Reply<ATT.ExecuteWriteResponse>(answer, to: .executeWriteRequest) {
            case .response: return .succeed(.written)
            case .refused(let code, let handle): return .fail(.refused(code, handle))
            case .invalid(let failure): return .fail(failure)
            }
        case .cancelling:
            return .fail(.invalidResponse("the server repeated a different part"))
        }
    }

    private mutating func prepare(_ index: Int) -> ProcedureStep {
        guard index < parts.count else {
            state = .executing
            return .request(ATT.ExecuteWriteRequest(flags: 1))
        }
        state = .preparing(index)
        return .request(parts[index])
    }
}
