import Bluetooth

/// Interval, latency and timeout of connections (Vol 4, Part E, 7.8.18, 7.8.31 and 7.8.32; Vol 6, Part B, 5.1.1 and
/// 5.1.7).
extension VirtualController {
    /// Starts a connection update as central, or a connection parameters request as peripheral.
    mutating func updateConnection(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LEConnectionUpdate.self)
        let index = try index(of: parameters.handle)
        let wanted = parameters.timing
        let timing = try LinkTiming(
            wanted.intervalMin, wanted.intervalMax, wanted.maxLatency, wanted.supervisionTimeout)
        if state.connections[index].role == .central {
            try begin(.timing(timing), at: index)
        } else {
            guard configuration.features.contains(.connectionParameterRequest) else { throw .disallowed }
            try begin(
                .parameters(
                    LL.ConnectionParameters(
                        intervalMinimum: wanted.intervalMin, intervalMaximum: wanted.intervalMax,
                        latency: wanted.maxLatency, timeout: wanted.supervisionTimeout, preferredPeriodicity: 0,
                        referenceEventCount: 0, offsets: [UInt16](repeating: 0xFFFF, count: 6))), at: index)
        }
        return .success
    }

    /// Handles the peripheral's request: the central's host decides if it has enabled the event.
    mutating func receive(_ request: LL.ConnectionParamReq, at index: Int) {
        let connection = state.connections[index]
        let parameters = request.parameters
        let refusal: ControllerError? =
            if connection.role != .central { .linkLayerProcedureCollision } else if case .timing? = connection.procedure
            {
                .linkLayerProcedureCollision
            } else if !wants(.remoteConnectionParameterRequest) { .unsupportedRemoteFeature } else { nil }
        if let refusal {
            return sendControl(LL.RejectExtInd(rejectOpcode: .connectionParamReq, errorCode: refusal), at: index)
        }
        state.connections[index].asksForParameters = true
        send(
            HCI.LERemoteConnectionParameterRequest(
                handle: connection.handle, intervalMin: parameters.intervalMinimum,
                intervalMax: parameters.intervalMaximum, maxLatency: parameters.latency,
                supervisionTimeout: parameters.timeout))
    }

    /// The host accepts the peripheral's request with its own parameters.
    mutating func acceptParameters(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let index = try askedConnection(values)
        let timing = try LinkTiming(values)
        try begin(.timing(timing), at: index)
        state.connections[index].asksForParameters = false
        return .handle(values.handle)
    }

    mutating func refuseParameters(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let index = try askedConnection(values)
        state.connections[index].asksForParameters = false
        sendControl(
            LL.RejectExtInd(
                rejectOpcode: .connectionParamReq, errorCode: ControllerError(rawValue: values.integer("reason"))),
            at: index)
        return .handle(values.handle)
    }

    private func askedConnection(_ values: CommandValues) throws(Refusal) -> Int {
        let index = try index(of: values.handle)
        guard state.connections[index].asksForParameters else { throw .disallowed }
        return index
    }

    /// Applies a change that both ends have agreed on.
    mutating func apply(_ change: LinkChange, to link: LinkID) {
        guard let index = index(of: link) else { return }
        switch change {
        case .timing(let timing): apply(timing, at: index)
        case .phys(let update): apply(update, at: index)
        case .channelMap(let update):
            state.connections[index].channelMap = update.channelMap
            if case .channelMap? = state.connections[index].procedure { finishProcedure(at: index) }
        }
    }

    /// Applies a timing. A host that requested it always gets the event, the other one only on a change.
    private mutating func apply(_ timing: LinkTiming, at index: Int) {
        let hasChanged = state.connections[index].timing != timing
        state.connections[index].timing = timing
        let isOwn =
            switch state.connections[index].procedure {
            case .timing?, .parameters?: true
            default: false
            }
        if isOwn || hasChanged {
            send(
                HCI.LEConnectionUpdateComplete(
                    handle: state.connections[index].handle, interval: timing.interval, latency: timing.latency,
                    supervisionTimeout: timing.timeout))
        }
        if isOwn { finishProcedure(at: index) }
    }
}
