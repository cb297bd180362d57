package import Bluetooth

extension Profile {
    /// The form of an action performed outside a reaction: `set`, `notify`, `send`, `advertise` and `pair`, with the
    /// syntax of reactions. `set` and `notify` also accept a single field: `{set: status.level, value: 60}`.
    fileprivate var deviceAction: Form<EmulationDefinition.Reaction.Action> {
        var values = ValueForms(TypeIndex(types), wrongTypes: [])
        values.leavesOutChecksums = true
        let forms = EmulationForms(values: values, services: services, advertising: advertising, messages: messages)
        return Form("an action of the device") { node, faults in
            guard case .mapping(let entries) = node.content else { return forms.action.read(node, faults) }
            for key in ["set", "notify"] {
                guard let entry = entries.first(where: { $0.key.text == key }), let target = entry.value.scalar?.text
                else { continue }
                let parts = target.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
                let known = services.flatMap(\.characteristics).map(\.name)
                guard known.contains(String(parts[0])) else {
                    let meant = Advice.meant(String(parts[0]), among: known)
                    faults.add("\(key): there is no characteristic \"\(parts[0])\"\(meant)", at: entry.value.place)
                    return nil
                }
                guard parts.count == 2 else { continue }
                let field = EmulationForms.Target(
                    key: key, characteristic: String(parts[0]), field: String(parts[1]))
                return forms.change(of: field).read(node, faults)
            }
            return forms.action.read(node, faults)
        }
    }

    /// The keys that identify a device action.
    package static let deviceActions = ["set", "notify", "send", "advertise", "pair"]
}

extension CompiledProfile {
    /// As in `Profile`, but rejects values longer than an attribute value may be.
    package var deviceAction: Form<EmulationDefinition.Reaction.Action> {
        let form = profile.deviceAction
        return Form("an action of the device") { node, faults in
            let action = form.read(node, faults)
            switch action {
            case .set(let name, let source)?, .notify(let name, let source?)?:
                guard let length = length(of: source), length > ATT.maximumValueLength else { return action }
                faults.add("\(name): \(ATT.lengthFault(length))", at: node.place)
                return nil
            default: return action
            }
        }
    }

    /// Encoded length of a value, in bytes; nil if its type cannot encode it, or if it is not known in advance.
    package func length(of source: EmulationDefinition.ValueSource) -> Int? {
        switch source {
        case .bytes(let bytes): bytes.count
        case .value(let value, let type): value.requestPaths.isEmpty ? (try? types[type]?.encode(value))?.count : nil
        case .generated: nil
        }
    }
}

extension ATT {
    /// The error text for a value that exceeds the maximum length of an attribute value.
    package static func lengthFault(_ length: Int) -> String {
        "expected a value of \(maximumValueLength) bytes at most, found \(length)"
    }
}

extension EmulationForms {
    struct Target {
        /// `set` or `notify`.
        let key: String
        let characteristic: String
        /// The path of the field.
        let field: String
    }

    /// A change of one field that preserves the value's other fields.
    func change(of target: Target) -> Form<EmulationDefinition.Reaction.Action> {
        Form(mapping: "a field and its value") { keys in
            _ = keys.take(target.key, .path)
            let name = target.characteristic
            let type = self.type(of: name, target.key == "notify" ? .notify : .read)
            guard let form = type.flatMap({ values.element(at: target.field, in: $0) }) else {
                keys.report("\(name) has no field \"\(target.field)\"", at: target.key)
                keys.passOver()
                return nil
            }
            guard let value = keys.require("value", form) else { return nil }
            let source = EmulationDefinition.ValueSource.generated(.init(field: target.field, form: .cycle([value])))
            return target.key == "set" ? .set(characteristic: name, source) : .notify(characteristic: name, source)
        }
    }
}
