import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import PluginKit
import Profile

/// The statistics of a capture as JSON: the content of the text report, without row limits.
extension StatisticsReport {
    package mutating func json() -> String {
        let statistics = outcome.statistics
        let attributes = attributes
        return JSONValue.members([
            "file": .string(file),
            "format": .string(format),
            "frames": .integer(statistics.frames),
            "bytes": .integer(statistics.bytes),
            "start": statistics.first.map { .time($0) },
            "end": statistics.first.map { _ in .time(statistics.last) },
            "quality": .object(of: findings.map { ($0.name, .integer($0.count)) }),
            "traffic": .array((frameCounters + pduCounters).map(Self.counter)),
            "response_time": statistics.responses == 0
                ? nil
                : .members([
                    "mean": .milliseconds(statistics.latencyMean),
                    "longest": .milliseconds(statistics.latencyMaximum),
                ]),
            "merged": merged,
            "devices": .array(devices.map { json($0.device, match: outcome.match($0.number)) }),
            "connections": .array(outcome.tracker.connections.enumerated().map { json($1, number: $0 + 1) }),
            "decryption": decryption,
            "streams": .array(outcome.tracker.streams.enumerated().map { json($1, number: $0 + 1) }),
            "attributes": .array(attributes),
        ]).text
    }

    /// What of a merged capture is in several of its inputs; nil for other captures.
    private var merged: JSONValue? {
        let (counts, inputs) = (outcome.statistics.merged, mergedInputs)
        if counts.isEmpty, inputs.isEmpty { return nil }
        return .members([
            "sent": .integer(counts.common + counts.sentOnly),
            "heard": .integer(counts.common),
            "heard_only": .integer(counts.heardOnly),
            "sent_only": .integer(counts.sentOnly),
            "inputs": .array(
                inputs.map { input in
                    .members([
                        "name": .string(input.name),
                        "reference": .boolean(input.clock.isReference),
                        "offset": input.clock.isReference ? nil : .number(input.clock.offset.seconds),
                        "drift_ppm": input.clock.isReference ? nil : .number(input.clock.drift),
                        "aligned_by": input.clock.isReference ? nil : .integer(input.clock.common),
                        "spread_ms": input.clock.isReference ? nil : .number(input.clock.spread),
                    ])
                }),
        ])
    }

    private static func counter(_ counter: (name: String, count: Int)) -> JSONValue {
        .members(["name": .string(counter.name), "count": .integer(counter.count)])
    }

    private func json(_ device: Device, match: PluginMatch) -> JSONValue {
        let ids = outcome.plugins.plugins.map(\.id)
        return .members([
            "address": device.address.map { .string("\($0.address)") },
            "address_type": device.address.map { .string("\($0.kind)") },
            "adapter": device.adapter.map { .integer(Int($0)) },
            "name": device.name.isEmpty ? nil : .string(device.name),
            "connections": .integer(Int(device.connections)),
            "advertisements": .integer(Int(device.advertisements)),
            "rssi": device.strongestRSSI == 127
                ? nil : .array([.integer(Int(device.weakestRSSI)), .integer(Int(device.strongestRSSI))]),
            "plugin": match.plugin < 0 ? nil : .string(ids[match.plugin]),
            "dialect": match.dialect.map { .string($0) },
            "rivals": match.rivals.isEmpty ? nil : .array(match.rivals.map { .string(ids[$0]) }),
        ])
    }

    private func title(_ device: Int32) -> JSONValue? {
        device < 0 ? nil : .string(outcome.tracker.devices[device].title)
    }

    private static func json(_ key: ConnectionRecord.Key) -> (handle: JSONValue?, accessAddress: JSONValue?) {
        switch key {
        case .handle(_, let handle): (.integer(Int(handle.rawValue)), nil)
        case .accessAddress(let address): (nil, .integer(Int(address)))
        }
    }

    private func json(_ stream: AirStream, number: Int) -> JSONValue {
        let (handle, accessAddress) = Self.json(stream.key)
        return .members([
            "number": .integer(number),
            "type": .string(stream.kind.name),
            "handle": handle,
            "access_address": accessAddress,
            "sender": title(stream.sender),
            "receiver": title(stream.receiver),
            "connection": stream.connection < 0 ? nil : .integer(Int(stream.connection) + 1),
            "group": stream.group.map { .integer(Int($0)) },
            "index": stream.index == 0 && stream.group == nil ? nil : .integer(Int(stream.index)),
            "start": .time(stream.start),
            "end": .time(stream.end),
            "interval": stream.interval == .zero ? nil : .milliseconds(stream.interval),
            "packets": .integer(stream.packets),
            "missed": .integer(stream.missed),
            "lost": .integer(stream.lost),
            "encrypted": .boolean(stream.isEncrypted),
        ])
    }

    private func json(_ connection: ConnectionRecord, number: Int) -> JSONValue {
        let (handle, accessAddress) = Self.json(connection.key)
        return .members([
            "number": .integer(number),
            "handle": handle,
            "access_address": accessAddress,
            "sender": title(connection.sender),
            "receiver": title(connection.receiver),
            "start": .time(connection.start),
            "end": .time(connection.end),
            "frames": .integer(connection.frames),
            "mtu": .integer(Int(connection.mtu)),
            "interval": connection.parameters.timing.map { .number($0.milliseconds) },
            "latency": connection.parameters.timing.map { .integer(Int($0.latency)) },
            "timeout": connection.parameters.timing.map { .integer(10 * Int($0.timeout)) },
            "encrypted": .boolean(connection.isEncrypted),
            "beginning_captured": .boolean(connection.isBeginningKnown),
            "reason": connection.reason.map { .integer(Int($0)) },
            "changes": .array(connection.changes.map(Self.json)),
        ])
    }

    private static func json(_ record: LinkChange.Record) -> JSONValue {
        var members: [(String, JSONValue?)] = [
            ("time", .time(record.time)), ("frame", .integer(record.frame)),
            ("text", .string("\(record.change)")),
        ]
        switch record.change {
        case .timing(let timing):
            members += [
                ("interval", .number(timing.milliseconds)), ("latency", .integer(Int(timing.latency))),
                ("timeout", .integer(10 * Int(timing.timeout))),
            ]
        case .subrate(let subrate, let latency, let timeout):
            members += [
                ("subrate_factor", .integer(Int(subrate.factor))),
                ("continuation_number", .integer(Int(subrate.continuationNumber))),
                ("latency", .integer(Int(latency))), ("timeout", .integer(10 * Int(timeout))),
            ]
        case .dataLength(let length):
            members += [
                ("sent_octets", .integer(Int(length.sent))), ("received_octets", .integer(Int(length.received))),
            ]
        case .phys(let phys):
            members += [
                ("sent_phy", phys.sentName.map { .string($0) }),
                ("received_phy", phys.receivedName.map { .string($0) }),
            ]
        case .remoteFeatures(let features):
            members.append(("remote_features", .string("0x\(String(hex: features, digits: 16))")))
        case .power(let power):
            members.append((power.isRemote ? "remote_power" : "local_power", .integer(Int(power.level))))
        case .mtu(let mtu): members.append(("mtu", .integer(Int(mtu))))
        case .encryption(let isOn): members.append(("encrypted", .boolean(isOn)))
        }
        return .object(of: members.compactMap { name, value in value.map { (name, $0) } })
    }

    private var attributes: [JSONValue] {
        mutating get {
            var rows: [(name: String, json: JSONValue)] = []
            for (key, counts) in outcome.statistics.usage.totals {
                let names = [
                    key.service.map { serviceName($0) }, key.characteristic.map { attributeName($0) },
                    key.descriptor.map { attributeName($0) }, key.handle.map { "\($0)" },
                ]
                let json = JSONValue.members([
                    "service": names[0].map { .string($0) },
                    "characteristic": names[1].map { .string($0) },
                    "descriptor": names[2].map { .string($0) },
                    "handle": key.handle.map { .integer(Int($0.rawValue)) },
                    "reads": .integer(counts[AttributeUsage.Operation.read.rawValue]),
                    "writes": .integer(counts[AttributeUsage.Operation.write.rawValue]),
                    "commands": .integer(counts[AttributeUsage.Operation.writeCommand.rawValue]),
                    "notified": .integer(counts[AttributeUsage.Operation.notification.rawValue]),
                    "indicated": .integer(counts[AttributeUsage.Operation.indication.rawValue]),
                ])
                rows.append((names.compactMap { $0 }.joined(separator: " / "), json))
            }
            return rows.sorted { $0.name < $1.name }.map(\.json)
        }
    }
}

extension JSONValue {
    /// A point in time as text.
    fileprivate static func time(_ time: Timestamp) -> JSONValue { .string(TimeText.iso8601(time)) }

    fileprivate static func milliseconds(_ span: TimeSpan) -> JSONValue { .number(Double(span.nanoseconds) / 1e6) }
}
