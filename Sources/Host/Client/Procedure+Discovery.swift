import Bluetooth
import Bytes

/// Discovers all attributes of a server (Vol 3, Part G, 4.4.1, 4.5.1, 4.6.1 and 4.7.1).
///
/// Discovers characteristics across all services at once, which takes fewer requests than service by service.
struct Discovery: Procedure {
    private enum State {
        case hash
        case services
        case includes
        /// Reading the declaration of an included service, because an include declaration omits 128-bit UUIDs.
        case declaration(ATT.ReadByTypeResponse.Entry, rest: [ATT.ReadByTypeResponse.Entry], next: Handle?)
        case characteristics
        case descriptors
    }

    /// Whether discovery continues after a response that violates the specification.
    private let isTolerant: Bool
    private var faults: [String] = []
    private var state = State.hash
    private var table = GATT.Table()
    private var hash: [UInt8]?
    /// First handle of the last range requested.
    private var start = Handle(1)
    /// Ranges that may contain descriptors; the next one is last.
    private var gaps: [ClosedRange<Handle>] = []

    init(isTolerant: Bool = false) {
        self.isTolerant = isTolerant
    }

    /// Records a violation in a response. Ends the procedure unless it is tolerant, in which case it returns nil.
    private mutating func fault(_ text: String) -> ProcedureStep? {
        guard isTolerant else { return .fail(.invalidResponse(text)) }
        if !faults.contains(text) { faults.append(text) }
        return nil
    }

    /// The entries whose handles increase, from the first requested handle on.
    private func rising<Entry>(_ entries: [Entry], _ handle: (Entry) -> Handle) -> [Entry] {
        var last: Handle?
        return entries.filter { entry in
            guard last.map({ handle(entry) > $0 }) ?? (handle(entry) >= start) else { return false }
            last = handle(entry)
            return true
        }
    }

    mutating func begin(with client: inout AttributeClient) -> ProcedureStep {
        .request(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: .databaseHash))
    }

    mutating func proceed(with answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch state {
        case .hash: hashRead(answer, of: &client)
        case .services: servicesFound(answer, of: &client)
        case .includes: includesFound(answer, of: &client)
        case .declaration(let entry, let rest, let next): declarationRead(answer, of: &client, entry, rest, next)
        case .characteristics: characteristicsFound(answer, of: &client)
        case .descriptors: descriptorsFound(answer, of: &client)
        }
    }

    private mutating func hashRead(_ answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.ReadByTypeResponse>(answer, to: .readByTypeRequest) {
        case .response(let response):
            hash = response.entries.first?.value
            if let hash, hash == client.databaseHash, !client.table.isEmpty { return .succeed(.table(client.table)) }
        case .refused: break
        case .invalid(let failure): return .fail(failure)
        }
        return askForServices(from: 1)
    }

    // MARK: - Services

    private mutating func askForServices(from handle: Handle) -> ProcedureStep {
        state = .services
        start = handle
        return .request(ATT.ReadByGroupTypeRequest(start: handle, end: 0xFFFF, type: .primaryService))
    }

    private mutating func servicesFound(_ answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.ReadByGroupTypeResponse>(answer, to: .readByGroupTypeRequest) {
        case .response(let response):
            let groups = rising(response.groups, \.handle).filter { $0.handle <= $0.end }
            if groups.count < response.groups.count || groups.isEmpty,
                let step = fault("services whose handles do not increase")
            {
                return step
            }
            guard let last = groups.last else { return askForIncludes(of: &client) }
            for group in groups {
                guard let type = group.service else {
                    if let step = fault("a service's UUID of \(group.value.count) bytes") { return step }
                    continue
                }
                _ = table.learn(GATT.Table.Service(start: group.handle, end: group.end, type: type))
            }
            return last.end == 0xFFFF ? askForIncludes(of: &client) : askForServices(from: last.end.next)
        case .refused(.attributeNotFound, _): return askForIncludes(of: &client)
        case .refused(let code, let handle): return .fail(.refused(code, handle))
        case .invalid(let failure): return .fail(failure)
        }
    }

    // MARK: - Included services

    private mutating func askForIncludes(
        from handle: Handle? = nil, of client: inout AttributeClient
    ) -> ProcedureStep {
        guard let first = table.services.first, let last = table.services.last, handle ?? first.start <= last.end
        else { return finish(&client) }
        state = .includes
        start = handle ?? first.start
        return .request(ATT.ReadByTypeRequest(start: start, end: last.end, type: .include))
    }

    private mutating func includesFound(_ answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        switch Reply<ATT.ReadByTypeResponse>(answer, to: .readByTypeRequest) {
        case .response(let response):
            guard let last = risingEnd(of: response.entries.map(\.handle), from: start) else {
                return .fail(.invalidResponse("included services whose handles do not increase"))
            }
            return learn(response.entries, next: last == 0xFFFF ? nil : last.next, of: &client)
        case .refused: return askForCharacteristics(of: &client)
        case .invalid(let failure): return .fail(failure)
        }
    }

    private mutating func learn(
        _ entries: [ATT.ReadByTypeResponse.Entry], next: Handle?, of client: inout AttributeClient
    ) -> ProcedureStep {
        for (index, entry) in entries.enumerated() {
            guard let include = try? GATT.IncludeDeclaration(decoding: entry.value), include.start <= include.end
            else { return .fail(.invalidResponse("an include of \(entry.value.count) bytes")) }
            if table.service(at: include.start)?.start == include.start { continue }
            guard let type = include.service else {
                state = .declaration(entry, rest: Array(entries[(index + 1)...]), next: next)
                return .request(ATT.ReadRequest(handle: include.start))
            }
            _ = table.learn(GATT.Table.Service(start: include.start, end: include.end, type: type))
        }
        guard let next, next <= table.services.last?.end ?? 0 else { return askForCharacteristics(of: &client) }
        return askForIncludes(from: next, of: &client)
    }

    private mutating func declarationRead(
        _ answer: [UInt8], of client: inout AttributeClient, _ entry: ATT.ReadByTypeResponse.Entry,
        _ rest: [ATT.ReadByTypeResponse.Entry], _ next: Handle?
    ) -> ProcedureStep {
        switch Reply<ATT.ReadResponse>(answer, to: .readRequest) {
        case .response(let response):
            if let include = try? GATT.IncludeDeclaration(decoding: entry.value), let type = UUID(wire: response.value)
            {
                _ = table.learn(GATT.Table.Service(start: include.start, end: include.end, type: type))
            }
        case .refused: break
        case .invalid(let failure): return .fail(failure)
        }
        return learn(rest, next: next, of: &client)
    }

    // MARK: - Characteristics

    private mutating func askForCharacteristics(
        from handle: Handle? = nil, of client: inout AttributeClient
    ) -> ProcedureStep {
        guard let first = table.services.first, let last = table.services.last else { return finish(&client) }
        state = .characteristics
        start = handle ?? first.start
        guard start <= last.end else { return askForDescriptors(of: &client) }
        return .request(ATT.ReadByTypeRequest(start: start, end: last.end, type: .characteristic))
    }

    private mutating func characteristicsFound(
        _ answer: [UInt8], of client: inout AttributeClient
    ) -> ProcedureStep {
        switch Reply<ATT.ReadByTypeResponse>(answer, to: .readByTypeRequest) {
        case .response(let response):
            let entries = rising(response.entries, \.handle)
            if entries.count < response.entries.count || entries.isEmpty,
                let step = fault("characteristics whose handles do not increase")
            {
                return step
            }
            guard let last = entries.last?.handle else { return askForDescriptors(of: &client) }
            for entry in entries {
                guard let declaration = try? GATT.CharacteristicDeclaration(decoding: entry.value) else {
                    if let step = fault("a characteristic of \(entry.value.count) bytes") { return step }
                    continue
                }
                guard declaration.valueHandle > entry.handle else {
                    let text = "a characteristic at \(entry.handle) whose value is at \(declaration.valueHandle)"
                    if let step = fault(text) { return step }
                    continue
                }
                _ = table.learn(
                    GATT.Table.Characteristic(
                        declaration: entry.handle, value: declaration.valueHandle,
                        properties: declaration.properties, type: declaration.type))
            }
            return last == 0xFFFF
                ? askForDescriptors(of: &client) : askForCharacteristics(from: last.next, of: &client)
        case .refused(.attributeNotFound, _): return askForDescriptors(of: &client)
        case .refused(let code, let handle): return .fail(.refused(code, handle))
        case .invalid(let failure): return .fail(failure)
        }
    }

    // MARK: - Descriptors

    private mutating func askForDescriptors(of client: inout AttributeClient) -> ProcedureStep {
        let declarations = table.characteristics
        for (index, characteristic) in declarations.enumerated() {
            guard characteristic.value < 0xFFFF,
                let service = table.service(at: characteristic.declaration)
            else { continue }
            var end = service.end
            if index + 1 < declarations.count, declarations[index + 1].declaration <= end {
                end = Handle(declarations[index + 1].declaration.rawValue - 1)
            }
            if characteristic.value.next <= end { gaps.append(characteristic.value.next...end) }
        }
        gaps.reverse()
        return askForNextDescriptors(of: &client)
    }

    private mutating func askForNextDescriptors(of client: inout AttributeClient) -> ProcedureStep {
        guard let gap = gaps.last else { return finish(&client) }
        state = .descriptors
        return .request(ATT.FindInformationRequest(start: gap.lowerBound, end: gap.upperBound))
    }

    private mutating func descriptorsFound(_ answer: [UInt8], of client: inout AttributeClient) -> ProcedureStep {
        guard let gap = gaps.popLast() else { return finish(&client) }
        switch Reply<ATT.FindInformationResponse>(answer, to: .findInformationRequest) {
        case .response(let response):
            start = gap.lowerBound
            let entries = rising(response.entries, \.handle)
            if entries.count < response.entries.count || entries.isEmpty,
                let step = fault("descriptors whose handles do not increase")
            {
                return step
            }
            guard let last = entries.last?.handle else { break }
            for entry in entries {
                _ = table.learn(GATT.Table.Descriptor(handle: entry.handle, type: entry.type))
            }
            if last < gap.upperBound { gaps.append(last.next...gap.upperBound) }
        case .refused: break
        case .invalid(let failure): return .fail(failure)
        }
        return askForNextDescriptors(of: &client)
    }

    private func finish(_ client: inout AttributeClient) -> ProcedureStep {
        client.table = table
        client.databaseHash = hash
        client.discoveryFaults = faults
        return .succeed(.table(table))
    }
}
