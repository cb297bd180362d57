import Bluetooth

/// Exchanges of capabilities: versions, features, data lengths (Vol 6, Part B, 5.1.4, 5.1.5 and 5.1.9).
extension VirtualController {
    mutating func sendVersion(at index: Int) {
        state.connections[index].hasSentVersion = true
        sendControl(
            LL.VersionInd(version: configuration.version, company: configuration.company, subversion: 0), at: index)
    }

    /// Handles the peer's version. Each end sends its version once per connection.
    mutating func receive(_ version: LL.VersionInd, at index: Int) {
        state.connections[index].peerVersion = version
        if !state.connections[index].hasSentVersion { sendVersion(at: index) }
        if case .version? = state.connections[index].procedure { sendRemoteVersion(at: index) }
    }

    mutating func sendRemoteVersion(at index: Int) {
        guard let version = state.connections[index].peerVersion else { return }
        send(
            .readRemoteVersionInformationComplete,
            [
                "status": 0, "connection_handle": .number(UInt64(state.connections[index].handle.rawValue)),
                "lmp_vers_nr": .number(UInt64(version.version.rawValue)), "comp_id": .number(UInt64(version.company)),
                "lmp_sub_vers_nr": .number(UInt64(version.subversion)),
            ])
        finishProcedure(at: index)
    }

    /// Responds to a feature request.
    mutating func receiveFeatureRequest(_ features: LinkLayerFeatures, at index: Int) {
        state.connections[index].peerFeatures = features
        sendControl(LL.FeatureRsp(features: configuration.features), at: index)
    }

    mutating func receive(_ response: LL.FeatureRsp, at index: Int) {
        state.connections[index].peerFeatures = response.features
        guard case .features? = state.connections[index].procedure else { return }
        send(
            .readRemoteFeaturesComplete,
            [
                "status": 0, "connection_handle": .number(UInt64(state.connections[index].handle.rawValue)),
                "le_features": .number(response.features.bits),
            ])
        finishProcedure(at: index)
    }
}

extension VirtualController {
    mutating func setDataLength(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LESetDataLength.self)
        let index = try index(of: parameters.handle)
        guard (27...251).contains(parameters.txOctets), (328...17040).contains(parameters.txTime) else {
            throw .invalidParameters
        }
        state.connections[index].ownLengths.maxTxOctets = parameters.txOctets
        state.connections[index].ownLengths.maxTxTime = parameters.txTime
        let connection = state.connections[index]
        // The update in progress, started by the controller or an earlier command, may already request these lengths.
        if case .dataLength(let lengths)? = connection.procedure, lengths == connection.ownLengths,
            !connection.waiting.contains(where: { $0.isSameKind(as: .dataLength(lengths)) })
        {
            return .handle(parameters.handle)
        }
        try begin(.dataLength(connection.ownLengths), at: index)
        return .handle(parameters.handle)
    }

    func readSuggestedDataLength() -> Returned {
        .values([
            "suggested_max_tx_octets": .number(UInt64(state.suggestedDataLength.octets)),
            "suggested_max_tx_time": .number(UInt64(state.suggestedDataLength.time)),
        ])
    }

    mutating func writeSuggestedDataLength(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let octets: UInt16 = values.integer("le_suggested_max_tx_octets")
        let time: UInt16 = values.integer("le_suggested_max_tx_time")
        guard (27...251).contains(octets), (328...17040).contains(time) else { throw .invalidParameters }
        state.suggestedDataLength = (octets, time)
        return .success
    }

    func readMaximumLinkDataLength() -> Returned {
        .values([
            "suggested_max_tx_octets": 251, "suggested_max_tx_time": 17040, "suggested_max_rx_octets": 251,
            "suggested_max_rx_time": 17040,
        ])
    }

    mutating func receive(_ request: LL.LengthReq, at index: Int) {
        sendControl(LL.LengthRsp(lengths: state.connections[index].ownLengths), at: index)
        agree(on: state.connections[index].ownLengths, with: request.lengths, at: index)
    }

    mutating func receive(_ response: LL.LengthRsp, at index: Int) {
        guard case .dataLength(let requested)? = state.connections[index].procedure else { return }
        agree(on: requested, with: response.lengths, at: index)
        finishProcedure(at: index)
    }

    /// Applies the effective lengths in each direction and reports changes to the host.
    private mutating func agree(on own: LL.DataLengths, with peer: LL.DataLengths, at index: Int) {
        let connection = state.connections[index]
        let lengths = LL.DataLengths(
            maxRxOctets: max(27, min(own.maxRxOctets, peer.maxTxOctets)),
            maxRxTime: max(328, min(own.maxRxTime, peer.maxTxTime)),
            maxTxOctets: max(27, min(own.maxTxOctets, peer.maxRxOctets)),
            maxTxTime: max(328, min(own.maxTxTime, peer.maxRxTime)))
        if lengths == connection.lengths { return }
        state.connections[index].lengths = lengths
        send(
            HCI.LEDataLengthChange(
                handle: connection.handle, maxTxOctets: lengths.maxTxOctets, maxTxTime: lengths.maxTxTime,
                maxRxOctets: lengths.maxRxOctets, maxRxTime: lengths.maxRxTime))
    }
}
