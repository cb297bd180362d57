extension TransportSpec {
    /// Parses a SPEC, such as `tap(a.pcapng,tcp-client:localhost:6402)`.
    package init(_ text: String) throws(SpecError) {
        var parser = SpecParser(text)
        self = try parser.spec()
        try parser.expectEnd()
    }
}

/// Recursive descent parser for a SPEC.
struct SpecParser {
    private let text: String
    private let characters: [Character]
    private var position = 0
    private var depth = 0

    /// Maximum nesting of decorators.
    private static let maximumDepth = 8
    /// Transport names before the colon, with the syntax after it.
    private static let forms = [
        "tcp-client": "HOST:PORT", "tcp-server": "HOST:PORT", "unix": "PATH", "unix-server": "PATH", "pty": "[PATH]",
        "serial": "PATH[,BAUD]", "hci-socket": "N", "radio": "",
    ]

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    func error(_ message: String, at position: Int? = nil) -> SpecError {
        SpecError(text: message, spec: text, position: position ?? self.position)
    }

    func expectEnd() throws(SpecError) {
        if position < characters.count {
            throw error("expected the end here, but “\(String(characters[position...]))” follows")
        }
    }

    mutating func spec() throws(SpecError) -> TransportSpec {
        let start = position
        let name = take { $0.isLetter || $0 == "-" }
        switch next {
        case "(": return try decorator(name, start)
        case ":":
            position += 1
            return try transport(name, start)
        default:
            if name.isEmpty { throw error("expected a transport, as tcp-client:HOST:PORT") }
            throw error(try unknown(name, start) ?? "expected “:” after “\(name)”: \(name):\(Self.forms[name] ?? "")")
        }
    }

    private var next: Character? { position < characters.count ? characters[position] : nil }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = position
        while let character = next, condition(character) { position += 1 }
        return String(characters[start..<position])
    }

    /// Throws an error for an unknown transport name; returns nil for a known one.
    private func unknown(_ name: String, _ start: Int) throws(SpecError) -> String? {
        if Self.forms[name] != nil { return nil }
        let known = Self.forms.keys.sorted() + ["tap(FILE,SPEC)", "fault(KIND=VALUE,SPEC)"]
        throw error("unknown transport “\(name)”; there are \(known.joined(separator: ", "))", at: start)
    }

    // MARK: - Transports

    private mutating func transport(_ name: String, _ start: Int) throws(SpecError) -> TransportSpec {
        _ = try unknown(name, start)
        let begin = position
        let argument = depth == 0 ? take { _ in true } : take { $0 != ")" }
        switch name {
        case "tcp-client", "tcp-server":
            let (host, port) = try endpoint(argument, begin, isServer: name == "tcp-server")
            return name == "tcp-server"
                ? .tcpServer(host: host == "_" ? nil : host, port: port)
                : .tcpClient(host: host == "_" ? "127.0.0.1" : host, port: port)
        case "unix", "unix-server":
            if argument.isEmpty { throw error("expected the path of a socket: \(name):PATH", at: begin) }
            return name == "unix" ? .unix(path: argument) : .unixServer(path: argument)
        case "pty": return .pty(path: argument.isEmpty ? nil : argument)
        case "serial": return try serial(argument, begin)
        case "hci-socket":
            guard let adapter = UInt16(argument) else {
                throw error("expected the number of an adapter, as hci-socket:0 for hci0", at: begin)
            }
            return .hciSocket(adapter: adapter)
        default:
            if !argument.isEmpty { throw error("radio: has no arguments", at: begin) }
            return .radio
        }
    }

    private func endpoint(
        _ argument: String, _ begin: Int, isServer: Bool
    ) throws(SpecError) -> (host: String, port: UInt16) {
        guard let colon = argument.lastIndex(of: ":") else {
            throw error("expected HOST:PORT, as localhost:6402", at: begin)
        }
        var host = String(argument[..<colon])
        let portText = String(argument[argument.index(after: colon)...])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.isEmpty { throw error("expected a host; _ is this machine alone", at: begin) }
        guard let port = UInt16(portText), isServer || port > 0 else {
            let place = begin + argument.distance(from: argument.startIndex, to: colon) + 1
            throw error("expected a port, \(isServer ? 0 : 1) to 65535", at: place)
        }
        return (host, port)
    }

    private func serial(_ argument: String, _ begin: Int) throws(SpecError) -> TransportSpec {
        let parts = argument.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let path = parts.first, !path.isEmpty else {
            throw error("expected the path of a serial port: serial:PATH[,BAUD]", at: begin)
        }
        if parts.count == 1 { return .serial(path: path, baud: 1_000_000) }
        guard let baud = UInt32(parts[1]), SerialSpeed.all.contains(baud) else {
            let speeds = SerialSpeed.all.map(String.init).joined(separator: ", ")
            throw error("expected one of the speeds \(speeds)", at: begin + path.count + 1)
        }
        return .serial(path: path, baud: baud)
    }

    // MARK: - Decorators

    private mutating func decorator(_ name: String, _ start: Int) throws(SpecError) -> TransportSpec {
        guard name == "tap" || name == "fault" else {
            throw error("unknown “\(name)(…)”; known are tap(FILE,SPEC) and fault(KIND=VALUE,SPEC)", at: start)
        }
        depth += 1
        if depth > Self.maximumDepth { throw error("more than \(Self.maximumDepth) decorators", at: start) }
        position += 1
        let result: TransportSpec
        if name == "tap" {
            let begin = position
            let file = take { $0 != "," && $0 != ")" }
            if file.isEmpty { throw error("expected the file to record to: tap(FILE,SPEC)", at: begin) }
            try expect(",", "tap(FILE,SPEC)")
            result = .tap(file: file, try spec())
        } else {
            let plan = try faultPlan()
            result = .fault(plan, try spec())
        }
        try expect(")", "\(name)(…)")
        depth -= 1
        return result
    }

    private mutating func expect(_ character: Character, _ form: String) throws(SpecError) {
        guard next == character else { throw error("expected “\(character)”: \(form)") }
        position += 1
    }

    /// Any number of `KIND=VALUE,`.
    private mutating func faultPlan() throws(SpecError) -> FaultPlan {
        var plan = FaultPlan()
        var isEmpty = true
        while true {
            let start = position
            let kind = take { $0.isLetter || $0 == "-" }
            guard next == "=" else {
                position = start
                if isEmpty { throw error("expected a fault: fault(KIND=VALUE,SPEC); \(FaultPlan.help)") }
                return plan
            }
            position += 1
            let begin = position
            let value = take { $0 != "," && $0 != ")" }
            do throws(FaultPlan.Fault) {
                try plan.set(kind, value)
            } catch {
                throw self.error(error.text, at: error.isAboutKind ? start : begin)
            }
            try expect(",", "fault(KIND=VALUE,SPEC)")
            isEmpty = false
        }
    }
}
