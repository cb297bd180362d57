import Bluetooth
import Bytes
import PluginKit
import Profile

/// Cases for the profile's `reply` rules: the tester subscribes, writes the request, and expects the reply in time.
enum ReplyCases {
    /// A `reply` rule for a write and the value that the device sends in reply.
    struct Reply {
        var rule: RuleDefinition
        var request: EventPattern
        var answer: EventPattern
        var limit: Duration

        init?(_ rule: RuleDefinition) {
            guard case .reply(let request, let answer, let seconds) = rule.kind, rule.role != .client,
                request.subject == .value, request.operation == .write, answer.subject == .value,
                answer.operation == .notify || answer.operation == .indicate
            else { return nil }
            (self.rule, self.request, self.answer, limit) = (rule, request, answer, .seconds(seconds))
        }
    }

    static func all(of device: TestedDevice) -> [TestCase] {
        device.replies.map { reply in
            TestCase.connected(
                "reply.\(reply.rule.id)", reply.rule.text, source: "profile, rule \(reply.rule.id)",
                tags: ["reply", reply.request.characteristic], mtu: 247
            ) { tester in
                try replies(reply, tester)
            }
        }
    }

    /// Maximum number of requests written in one case.
    private static let limit = 20

    private static func replies(_ reply: Reply, _ tester: LowerTester) throws {
        let name = reply.request.characteristic
        guard let definition = tester.device.definition(of: name) else { return }
        let requests = WriteCases.vectors(of: definition, tester.device).filter { bytes in
            reply.request.condition.map { tester.holds($0, for: bytes, .write, name) } ?? true
        }
        guard !requests.isEmpty else {
            throw TestStop.notApplicable("the profile has no sample value of \(name) that the rule is about")
        }
        try tester.subscribeToReplies(to: name)
        let handle = try tester.handle(of: name)
        for bytes in requests.prefix(limit) {
            tester.forgetReceived()
            tester.coverage.add(.write, of: name)
            // A device may reject a request because of its content.
            if try tester.write(handle, bytes) != nil { continue }
            let answer = reply.answer
            let found = try tester.next(answer.operation, of: answer.characteristic, within: reply.limit) { value in
                // The rule itself compares fields of the request.
                guard let condition = answer.condition, condition.requestFields.isEmpty else { return true }
                return tester.holds(condition, for: value.bytes, value.operation, answer.characteristic)
            }
            tester.expect(
                found != nil,
                "\(answer.operation?.rawValue ?? "any") \(answer.characteristic) within \(reply.limit.words) of a write of "
                    + name, observed: tester.connection == nil ? "the connection was lost" : "none", bytes: bytes)
            // A late reply must not count for the next request.
            if found == nil { try tester.wait(lateTime) }
        }
    }

    /// Additional time to wait for a missing reply.
    private static let lateTime = Duration.seconds(3)
}

extension TestedDevice {
    /// The `reply` rules that apply to this device.
    var replies: [ReplyCases.Reply] {
        plugin.profile.profile.rules.filter { $0.dialect == nil || $0.dialect == dialect }.compactMap {
            ReplyCases.Reply($0)
        }
        .filter {
            definition(of: $0.request.characteristic) != nil && definition(of: $0.answer.characteristic) != nil
        }
    }
}

extension LowerTester {
    /// Subscribes to the characteristics that reply to a write: the written one, if it notifies or indicates, and those
    /// of the profile's rules.
    func subscribeToReplies(to name: String) throws {
        var names: Set<String> = []
        if let definition = device.definition(of: name), definition.sends { names.insert(name) }
        for reply in device.replies where reply.request.characteristic == name {
            if device.definition(of: reply.answer.characteristic)?.sends == true {
                names.insert(reply.answer.characteristic)
            }
        }
        for name in names.sorted() where (try? handle(of: name)) != nil { try subscribe(name) }
    }

    /// Whether a condition holds for a value of a characteristic.
    func holds(_ condition: Expression, for bytes: [UInt8], _ operation: OperationKind, _ name: String) -> Bool {
        condition.holds(over: bytes.span.rawBytes, in: ValueScope(fields(of: bytes, operation, name) ?? .absent))
    }
}

extension CharacteristicDefinition {
    /// Whether the device notifies or indicates subscribed clients.
    var sends: Bool { !properties.isDisjoint(with: [.notify, .indicate]) && hasConfiguration }
}
