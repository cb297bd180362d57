package import Bluetooth

extension Profile {
    /// The form of an action that a device of this profile does outside of a reaction: `set`, `notify`, `send`, `advertise`
    /// and `pair` as reactions have them. `set` and `notify` also take one field: `{set: status.level, value: 60}`.
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

    /// The keys that tell such an action from other actions.
    package static let deviceActions = ["set", "notify", "send", "advertise", "pair"]
}

extension CompiledProfile {
    /// The same; values that are longer than those of attributes are refused.
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

    /// Bytes of a value; nil where its type cannot hold it, and where it is not known before.
    package func length(of source: EmulationDefinition.ValueSource) -> Int? {
        switch source {
        case .bytes(let bytes): bytes.count
        case .value(let value, let type): value.requestPaths.isEmpty ? (try? types[type]?.encode(value))?.count : nil
        case .generated: nil
        }
    }
}

extension ATT {
    /// What is wrong with a value of this length, which is above that of an attribute.
    package static func lengthFault(_ length: Int) -> String {
        "expected a value of \(maximumValueLength) bytes at most, found \(length)"
    }
}

extension EmulationForms {
    /// The field of a characteristic's value that an action changes.
    struct Target {
        /// `set` or `notify`.
        let key: String
        let characteristic: String
        /// The path of the field.
        let field: String
    }

    /// A change of one field; the value's other fields stay as they are.
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
