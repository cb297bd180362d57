package import Bluetooth
package import Bytes

/// The LE signaling channel of one connection (Vol 3, Part A, 4).
package struct SignalingChannel: Sendable {
    /// An action for the owner to perform, in order.
    package enum Action: Hashable, Sendable {
        /// A command to the peer.
        case send([UInt8])
        /// The peripheral's requested timing was accepted: the controller must apply it.
        case update(HCI.ConnectionTiming)
        /// The central's answer to this device's request; nil if it timed out or could not process the request.
        case answered(Bool?)
    }

    /// Maximum command length in bytes: the MTU of the channel on LE (Vol 3, Part A, 4).
    static let mtu = 23
    /// Response timeout (Vol 3, Part A, 6.2.1).
    static let responseTimeout = Duration.seconds(30)

    private let role: HCI.Role
    /// Whether this device, as central, accepts timing changes.
    package var acceptsUpdates = true
    /// Identifier of the pending request.
    private var pending: UInt8?
    private var nextIdentifier: UInt8 = 1
    package private(set) var deadline: Timestamp?

    package init(role: HCI.Role) {
        self.role = role
    }

    /// Requests a timing change from the central; does nothing while an earlier request is pending.
    package mutating func requestUpdate(_ timing: HCI.ConnectionTiming, at now: Timestamp) -> [Action] {
        guard role == .peripheral, pending == nil else { return [] }
        let identifier = nextIdentifier
        nextIdentifier = nextIdentifier == .max ? 1 : nextIdentifier + 1
        pending = identifier
        deadline = now + Self.responseTimeout
        let request = L2CAP.ConnectionParameterUpdateRequest(
            minimumInterval: timing.intervalMin, maximumInterval: timing.intervalMax, latency: timing.maxLatency,
            timeout: timing.supervisionTimeout)
        return [.send(L2CAP.encode(request, identifier: identifier))]
    }

    /// Handles a response timeout.
    package mutating func tick(at now: Timestamp) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        return end(nil)
    }

    /// Handles a frame of the channel.
    package mutating func handle(_ frame: [UInt8]) -> [Action] {
        var reader = ByteReader(frame.span)
        guard let header = try? L2CAP.CommandHeader(reading: &reader), header.identifier != 0 else { return [] }
        if frame.count > Self.mtu {
            return reject(header, .signalingMTUExceeded, .maximumMTU(UInt16(Self.mtu)))
        }
        // On LE, a frame contains exactly one command.
        var whole = ByteReader(frame.span)
        guard let signal = try? L2CAP.readSignal(&whole), whole.isAtEnd, signal.trailing == 0 else {
            return isResponse(header.code) ? [] : reject(header, .commandNotUnderstood)
        }
        switch signal.command {
        case let request as L2CAP.ConnectionParameterUpdateRequest where role == .central:
            return answer(request, header.identifier)
        case let response as L2CAP.ConnectionParameterUpdateResponse where header.identifier == pending:
            return end(response.result == .accepted)
        case is L2CAP.CommandReject where header.identifier == pending: return end(nil)
        case is L2CAP.LECreditBasedConnectionRequest:
            // This device has no protocol on credit-based channels.
            let refusal = L2CAP.LECreditBasedConnectionResponse(
                destination: .null, mtu: 0, mps: 0, initialCredits: 0, result: .spsmNotSupported)
            return [.send(L2CAP.encode(refusal, identifier: header.identifier))]
        default: return isResponse(header.code) ? [] : reject(header, .commandNotUnderstood)
        }
    }

    private func answer(_ request: L2CAP.ConnectionParameterUpdateRequest, _ identifier: UInt8) -> [Action] {
        let timing = HCI.ConnectionTiming(
            intervalMin: request.minimumInterval, intervalMax: request.maximumInterval, maxLatency: request.latency,
            supervisionTimeout: request.timeout)
        let isAccepted = acceptsUpdates && timing.isValid
        let response = L2CAP.ConnectionParameterUpdateResponse(result: isAccepted ? .accepted : .rejected)
        return [.send(L2CAP.encode(response, identifier: identifier))] + (isAccepted ? [.update(timing)] : [])
    }

    private mutating func end(_ isAccepted: Bool?) -> [Action] {
        pending = nil
        deadline = nil
        return [.answered(isAccepted)]
    }

    private func isResponse(_ code: L2CAP.CommandCode) -> Bool {
        code == .commandReject || code == .flowControlCredit
            || L2CAP.CommandCode.table.rows.contains { $0.response == code }
    }

    private func reject(
        _ header: L2CAP.CommandHeader, _ reason: L2CAP.RejectReason, _ details: L2CAP.CommandReject.Details = .other([])
    ) -> [Action] {
        if isResponse(header.code) { return [] }
        let reject = L2CAP.CommandReject(reason: reason, details: details)
        return [.send(L2CAP.encode(reject, identifier: header.identifier))]
    }
}

extension HCI.ConnectionTiming {
    /// Whether the values are within their ranges and consistent with each other (Vol 4, Part E, 7.8.12).
    package var isValid: Bool {
        (6...3200).contains(intervalMin) && (intervalMin...3200).contains(max(intervalMin, intervalMax))
            && intervalMin <= intervalMax && maxLatency <= 499 && (10...3200).contains(supervisionTimeout)
            && Int(supervisionTimeout) * 4 > (1 + Int(maxLatency)) * Int(intervalMax)
    }
}
