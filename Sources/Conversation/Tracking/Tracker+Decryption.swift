import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys

// Decryption of the PDUs of connections on the air.
extension Tracker {
    /// Opens a PDU whose packet counter is near the expected one, and corrects its direction. Its plain text is in
    /// `plain`.
    mutating func open(
        _ bytes: [UInt8], _ payload: Range<Int>, _ header: LL.DataHeader, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index
    ) -> LinkDecryption.Outcome {
        guard payload.count == header.length, payload.count > CCM.codeSize else { return .closed }
        return decrypt(bytes, payload, header, isSearch: false, &metadata, connection)
    }

    /// Tracks a PDU that is ciphertext and did not open near the expected counter; returns whether a search opens it.
    mutating func followCiphertext(
        _ outcome: LinkDecryption.Outcome, _ bytes: [UInt8], _ payload: Range<Int>, _ header: LL.DataHeader,
        _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) -> Bool {
        let isRetransmission = metadata.notes.contains(.retransmission)
        var reason: ClosedReason?
        if payload.count < header.length {
            reason = keys.isEmpty ? .noKey : .unsupported
        } else if case .unconfirmed = outcome {
            reason = .unconfirmed
        } else if !isRetransmission, !keys.isEmpty {
            switch decrypt(bytes, payload, header, isSearch: true, &metadata, connection) {
            case .opened(let opening):
                accept(opening, &metadata, connection, &reassembly)
                return true
            case .unconfirmed: reason = .unconfirmed
            case .closed: break
            }
        }
        metadata.notes.insert(.encrypted)
        let closed = reason ?? openConnections[connection].decryption.reason(keys)
        metadata.closed = closed
        if !isRetransmission { decryption.countClosed(closed, in: openConnections[connection].decryption.summary) }
        return false
    }

    private mutating func decrypt(
        _ bytes: [UInt8], _ payload: Range<Int>, _ header: LL.DataHeader, isSearch: Bool,
        _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index
    ) -> LinkDecryption.Outcome {
        plain.removeAll(keepingCapacity: true)
        searchBudget.frame = currentFrame
        let pdu = SealedPDU(bytes.span.extracting(payload), header: header.firstByte, metadata.direction)
        let outcome =
            isSearch
            ? openConnections[connection].decryption.search(pdu, keys, &searchBudget, to: &plain)
            : openConnections[connection].decryption.open(pdu, keys, &searchBudget, to: &plain)
        if case .opened(let opening) = outcome, opening.direction != metadata.direction {
            metadata.direction = opening.direction
            openConnections[connection].directions.correct(to: opening.direction)
            metadata.sender = summaries[connection, opening.direction].sender
            metadata.receiver = summaries[connection, opening.direction].receiver
        }
        return outcome
    }

    /// Records that a key has opened a PDU.
    mutating func accept(
        _ opening: LinkDecryption.Opening, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        metadata.plain = reassembly.addPlain(plain)
        metadata.notes.insert(.decrypted)
        openConnections[connection].encryption.noteDecrypted(opening.direction)
        openConnections[connection].record.isEncrypted = true
        if opening.isAfterGap {
            metadata.notes.insert(.missed)
            openConnections[connection].lastLoss = metadata.packet.number
            lose(opening.direction, connection)
        }
        guard !opening.isRepetition, let candidate = openConnections[connection].decryption.session?.candidate else {
            return
        }
        openConnections[connection].decryption.summary = countOpened(
            in: openConnections[connection].decryption.summary, candidate, of: metadata.connection)
    }

    /// Counts a PDU that a key has opened; returns the number of its session, which is a new one if `session` is nil.
    mutating func countOpened(
        in session: Int?, _ candidate: LinkSession.Candidate, of connection: Int32
    ) -> Int {
        let key = keys.keys[candidate.key]
        let session =
            session
            ?? decryption.add(
                DecryptionSummary.Session(
                    connection: connection, key: key.kind, origin: key.origin, isReversed: candidate.isReversed))
        decryption.countOpened(in: session)
        return session
    }

    /// Addresses of the central and of the peripheral of a connection on the air, by their identity where it is known.
    func addresses(of connection: OpenConnection.Index) -> (Address?, Address?) {
        func address(_ direction: Direction) -> Address? {
            let device = device(of: connection, sendingIn: direction)
            return device >= 0 ? devices[device].address?.address : nil
        }
        return (address(.sent), address(.received))
    }
}

extension LL.DataHeader {
    /// The first byte of the PDU.
    fileprivate var firstByte: UInt8 { UInt8(truncatingIfNeeded: bits) }
}
