/// Why a mutation that no rule detects leaves a session that a puck and a phone may have: looked at one by one, for the
/// session and the seed of `MutationTable`.
enum Harmlessness {
    static func reason(of mutation: ProtocolMutation) -> String? {
        switch (mutation.frame, mutation.kind) {
        case (47, .swap): "the two PDUs are the same, Write Response"
        case (55, .change): "what follows the NUL is undefined (Q-05)"
        case (59, .change): "the description bounds no tare"
        case (61, .change): "the reserved bytes give back what a client wrote last"
        case (68, .delay), (68, .swap): "nothing says when in an evaluation the battery level comes"
        case (81, .change): "another record, received before the capture, may be the one to delete"
        case (82, .delay): "within the 5 s that a confirmation has"
        case (83, .drop), (83, .delay): "the connection ends before the response is overdue"
        case (84, .swap): "it comes after the end of the connection, as of one whose beginning was not captured"
        case (84, .change): "the total falls by a drink that was deleted, whichever it is"
        default: nil
        }
    }
}
