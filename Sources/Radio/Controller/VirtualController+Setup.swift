import Bluetooth

/// Commands for setting up the controller.
extension VirtualController {
    mutating func setEventMask(_ command: Command) throws(Refusal) -> Returned {
        state.eventMask = try command.decode(HCI.SetEventMask.self).mask
        return .success
    }

    /// Accepted without effect: this controller sends no events of page 2.
    func setEventMaskPage2(_ command: Command) throws(Refusal) -> Returned {
        _ = try command.values()
        return .success
    }

    mutating func setLEEventMask(_ command: Command) throws(Refusal) -> Returned {
        state.leEventMask = try command.decode(HCI.LESetEventMask.self).mask
        return .success
    }

    func readLEHostSupport() -> Returned {
        .values(["le_supported_host": .number(state.hostSupportsLE), "le_simultaneous_host": 0])
    }

    mutating func writeLEHostSupport(_ command: Command) throws(Refusal) -> Returned {
        state.hostSupportsLE = try command.values().number("le_supported_host")
        return .success
    }

    func readLocalVersion() -> Returned {
        let version = HCI.Value.number(UInt64(configuration.version.rawValue))
        return .values([
            "hci_vers_nr": version, "hci_subversion": 0, "lmp_vers_nr": version,
            "comp_id": .number(UInt64(configuration.company)), "lmp_sub_vers_nr": 0,
        ])
    }

    func readSupportedCommands() -> Returned {
        .values(["local_supported_cmds": .bytes(commands.supported.bytes)])
    }

    /// BR/EDR Not Supported and LE Supported (Controller) (Vol 2, Part C, 3.3).
    func readSupportedFeatures() -> Returned {
        .values(["lmp_features": .number(1 << 37 | 1 << 38)])
    }

    /// Reports the LE buffers, as there are none for BR/EDR.
    func readBufferSize() -> Returned {
        .values([
            "max_data_length_acl": .number(UInt64(configuration.aclPacketLength)), "max_data_length_sco": 0,
            "max_data_num_acl": .number(UInt64(configuration.aclPacketCount)), "max_data_num_sco": 0,
        ])
    }

    func readAddress() -> Returned {
        .parameters(HCI.ReadBDADDR.Returned(address: configuration.address))
    }

    func readLEBufferSize() -> Returned {
        .parameters(
            HCI.LEReadBufferSize.Returned(
                packetLength: configuration.aclPacketLength, packetCount: configuration.aclPacketCount))
    }

    func readLEBufferSizeV2() -> Returned {
        .values([
            "le_acl_data_pkt_len": .number(UInt64(configuration.aclPacketLength)),
            "le_total_num_acl_data_pkts": .number(UInt64(configuration.aclPacketCount)),
            "iso_data_pkt_len": 0, "total_num_iso_data_pkts": 0,
        ])
    }

    func readLEFeatures() -> Returned {
        .values(["le_features": .number(configuration.features.bits)])
    }

    /// All combinations of advertising, scanning, initiating and connections.
    func readSupportedStates() -> Returned {
        .values(["le_states": 0x03FF_FFFF_FFFF])
    }

    func readTransmitPower() -> Returned {
        .values([
            "min_tx_power": .number(UInt64(UInt8(bitPattern: -40))),
            "max_tx_power": .number(UInt64(UInt8(bitPattern: 20))),
        ])
    }

    /// Rejected while the address is in use by legacy advertising, scanning or initiating (Vol 4, Part E, 7.8.4).
    mutating func setRandomAddress(_ command: Command) throws(Refusal) -> Returned {
        let address = try command.decode(HCI.LESetRandomAddress.self).address
        if state.legacySet.isEnabled || state.scanning.isEnabled || state.initiating != nil { throw .disallowed }
        state.randomAddress = address
        return .success
    }
}
