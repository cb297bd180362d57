import Bluetooth
import Bytes
import PluginKit
import Profile

/// The attributes discovered on one connection, and the handle ranges that discovery has searched (Vol 3, Part G, 4.4
/// to 4.7).
struct DiscoveryRecord {
    private(set) var table = GATT.Table()
    /// The responses that listed attributes, by handle.
    private var responses: [Handle: FrameReference] = [:]
    /// Handles searched for primary services, for characteristics, and for all attributes.
    private var services = HandleSet()
    private var characteristics = HandleSet()
    private var attributes = HandleSet()
    /// Whether discovery added something since rules were last notified of the table.
    var hasChanged = false
    /// Number of the frame of the last Service Changed.
    private var changed = 0
    /// The range of the last Service Changed until the client confirms it: until then, requests may be older than the
    /// change.
    private(set) var unconfirmed: ClosedRange<Handle>?

    /// Whether discovery has known an attribute.
    func knows(_ handle: Handle) -> Bool {
        guard let attribute = table.attribute(at: handle) else { return false }
        return attribute.kind != .unknown
    }

    /// Service Changed: the attributes in the range must be rediscovered (Vol 3, Part G, 2.5.2 and 7.1).
    mutating func forget(_ range: ClosedRange<Handle>, at frame: Int) {
        (changed, unconfirmed) = (frame, range)
        table.forget(range)
        responses = responses.filter { !range.contains($0.key) }
        // The last service may end at 0xffff until another one is added after it (Vol 3, Part G, 3.1).
        let reaching = table.services.last { $0.start < range.lowerBound && $0.end >= range.lowerBound }
        services.remove(reaching?.start ?? range.lowerBound, through: range.upperBound)
        characteristics.remove(range.lowerBound, through: range.upperBound)
        attributes.remove(range.lowerBound, through: range.upperBound)
    }

    /// The client has confirmed Service Changed.
    mutating func confirmChange() { unconfirmed = nil }

    /// Adds the response to a discovery request; an Error Response means that the range contains no further attributes.
    mutating func learn(
        _ answer: (any ATT.PDU)?, at moment: FrameReference, to request: AttributeRequest, sent: FrameReference
    ) {
        // The response to a request sent before Service Changed may describe either table.
        guard let end = request.end, request.handle <= end, sent.frame > changed else { return }
        hasChanged = true
        switch (request.opcode, answer) {
        case (.readByGroupTypeRequest, let response as ATT.ReadByGroupTypeResponse)
        where request.type == .primaryService:
            for group in response.groups {
                guard let type = group.service, group.handle <= group.end else { continue }
                learn(GATT.Table.Service(start: group.handle, end: group.end, type: type))
                if responses[group.handle] == nil { record(moment, of: group.handle) }
            }
            if let last = response.groups.last { services.insert(request.handle, through: last.end) }
        case (.readByGroupTypeRequest, is ATT.ErrorResponse) where request.type == .primaryService:
            services.insert(request.handle, through: end)
        case (.readByTypeRequest, let response as ATT.ReadByTypeResponse) where request.type == .characteristic:
            for entry in response.entries {
                guard let declaration = try? GATT.CharacteristicDeclaration(decoding: entry.value) else { continue }
                let learned = table.learn(
                    GATT.Table.Characteristic(
                        declaration: entry.handle, value: declaration.valueHandle, properties: declaration.properties,
                        type: declaration.type))
                if learned == .new { record(moment, of: entry.handle) }
            }
            if let last = response.entries.last { characteristics.insert(request.handle, through: last.handle) }
        case (.readByTypeRequest, is ATT.ErrorResponse) where request.type == .characteristic:
            characteristics.insert(request.handle, through: end)
        case (.findInformationRequest, let response as ATT.FindInformationResponse):
            for entry in response.entries {
                let learned = table.learn(GATT.Table.Descriptor(handle: entry.handle, type: entry.type))
                if learned == .new { record(moment, of: entry.handle) }
            }
            if let last = response.entries.last { attributes.insert(request.handle, through: last.handle) }
        case (.findInformationRequest, is ATT.ErrorResponse): attributes.insert(request.handle, through: end)
        default: hasChanged = false
        }
    }

    /// Records the response that listed an attribute, up to the capacity of a table.
    private mutating func record(_ response: FrameReference, of handle: Handle) {
        if responses.count < GATT.Table.capacity { responses[handle] = response }
    }

    /// Adds a service, replacing services that extended into a changed range.
    private mutating func learn(_ service: GATT.Table.Service) {
        guard table.learn(service) == .contradiction, !services.covers(service.start, through: service.start) else {
            return
        }
        for old in table.services where old.start <= service.end && old.end >= service.start {
            table.forget(old.start...old.start)
        }
        _ = table.learn(service)
    }

    /// The table for rules.
    func attributeTable(_ rules: PluginRules) -> AttributeTable {
        var known = AttributeTable()
        known.hasAllServices = services.covers(Handle(1), through: Handle(.max))
        for service in table.services {
            var entry = AttributeTable.Service(uuid: service.type, start: service.start, end: service.end)
            entry.declared = responses[service.start]
            let inside = table.characteristics.filter {
                $0.declaration >= service.start && $0.declaration <= service.end
            }
            // After a value at the service's last handle, there is no room for another characteristic.
            let last = inside.last.flatMap { $0.value >= service.end ? $0.declaration : nil } ?? service.end
            entry.hasAllCharacteristics = characteristics.coversRest(of: service.start, through: last)
            for (index, characteristic) in inside.enumerated() {
                let next = index + 1 < inside.count ? inside[index + 1].declaration.rawValue : nil
                let end = next.map { Handle($0 - 1) } ?? service.end
                entry.characteristics.append(self.entry(characteristic, end: end, rules))
            }
            known.services.append(entry)
        }
        return known
    }

    private func entry(
        _ characteristic: GATT.Table.Characteristic, end: Handle, _ rules: PluginRules
    ) -> AttributeTable.Characteristic {
        var entry = AttributeTable.Characteristic(
            uuid: characteristic.type, name: rules.index[characteristic.type].map { rules.characteristics[$0].name },
            declaration: characteristic.declaration, value: characteristic.value,
            properties: characteristic.properties)
        entry.declared = responses[characteristic.declaration]
        entry.descriptors = table.descriptors.filter { $0.handle > characteristic.value && $0.handle <= end }
            .map { descriptor in
                var entry = AttributeTable.Descriptor(uuid: descriptor.type, handle: descriptor.handle)
                entry.listed = responses[descriptor.handle]
                return entry
            }
        entry.hasAllDescriptors =
            characteristic.value >= end || attributes.coversRest(of: characteristic.value, through: end)
        return entry
    }
}

/// A set of handles, stored as ranges.
struct HandleSet {
    /// Sorted and disjoint, with gaps in between.
    private var ranges: [ClosedRange<UInt16>] = []

    /// Maximum number of ranges; beyond it, further searches are not recorded.
    private static let limit = 256

    mutating func insert(_ first: Handle, through last: Handle) {
        guard first <= last, ranges.count < Self.limit else { return }
        var (low, high) = (first.rawValue, last.rawValue)
        ranges.removeAll { range in
            let touches = Int(range.lowerBound) <= Int(high) + 1 && Int(range.upperBound) + 1 >= Int(low)
            if touches { (low, high) = (min(low, range.lowerBound), max(high, range.upperBound)) }
            return touches
        }
        ranges.append(low...high)
    }

    mutating func remove(_ first: Handle, through last: Handle) {
        ranges = ranges.flatMap { range in
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            return [(low, min(high, Int(first.rawValue) - 1)), (max(low, Int(last.rawValue) + 1), high)]
                .compactMap { $0 <= $1 ? UInt16($0)...UInt16($1) : nil }
        }
    }

    func covers(_ first: Handle, through last: Handle) -> Bool {
        ranges.contains { $0.contains(first.rawValue) && $0.contains(last.rawValue) }
    }

    /// Whether the set contains all handles after `first`, up to and including `last`.
    func coversRest(of first: Handle, through last: Handle) -> Bool {
        first >= last || covers(Handle(first.rawValue + 1), through: last)
    }
}
