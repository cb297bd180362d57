import ATT

extension [TrafficInterest] {
    /// ATT PDUs of these kinds.
    static func att(_ kinds: ATT.PDUKind...) -> Self {
        ATT.Opcode.table.rows.filter { kinds.contains($0.shape.kind) }.map { .att($0.opcode) }
    }

    /// All that a client sends.
    static var attFromClient: Self { att(.request, .command, .confirmation) }
    /// All that a server sends.
    static var attFromServer: Self { att(.response, .notification, .indication) }
}
