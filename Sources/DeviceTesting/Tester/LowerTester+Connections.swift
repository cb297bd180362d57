import Bluetooth
import Bytes
import Host
import PluginKit
import Profile

/// Device search, connection, pairing and discovery.
extension LowerTester {
    /// Waits until the tester's controller is ready.
    private func start() throws {
        if isReady { return }
        guard try wait(until: now + .seconds(10), for: { isReady }) else {
            throw TestStop.inconclusive("the tester's controller does not answer")
        }
    }

    /// Whether the device sends connectable advertising within a time.
    package func isAdvertising(within limit: Duration) throws -> Bool {
        try start()
        candidate = nil
        search.begin()
        var settings = Host.ScanSettings()
        settings.filtersDuplicates = false
        try bed.perform(.scan(settings), host: host)
        let isFound = try wait(until: now + limit) { candidate != nil }
        // Other devices may match as well.
        let isChoosing = isFound && !hasChosen && !bed.isVirtual && device.address == nil
        if isChoosing { try wait(Self.choosingTime) }
        try bed.perform(.stopScanning, host: host)
        try wait(.milliseconds(20))
        let fitting = search.fitting
        if isChoosing, fitting.count > 1 {
            throw AmbiguousDevice(devices: fitting, plugin: device.plugin.isGeneral ? nil : device.plugin.id)
        }
        hasChosen = hasChosen || isFound
        if isFound { address = candidate }
        return isFound
    }

    /// Time to search for other matching devices, if the user has not selected one.
    private static let choosingTime = Duration.seconds(1)

    /// Finds the device, connects, and discovers its attributes unless they are known. Exchanges the MTU if one is
    /// given and it has not been exchanged on this connection.
    package func connect(mtu: UInt16? = nil, within limit: Duration = searchTime) throws {
        try openLink(offering: mtu, within: limit)
        if let mtu, !hasExchangedMTU { try exchangeMTU(mtu) }
        if table == nil { try discover() }
        if device.needsPairing { try pair() }
    }

    /// Connects without sending a request to the device's server. If the device initiates an MTU exchange, the response
    /// offers `mtu`.
    package func openLink(offering mtu: UInt16? = nil, within limit: Duration = searchTime) throws {
        if connection != nil { return }
        try bed.perform(.offerMTU(mtu ?? Self.longestMTU), host: host)
        let limit = searchLimit.map { min($0, limit) } ?? limit
        let end = now + limit
        try start()
        // A known device is connected directly; it is searched for only if that fails.
        if let address { try establish(address) }
        while connection == nil {
            guard try findDevice(within: max(.seconds(1), end - now)), let candidate else {
                isMissing = true
                throw TestStop.failed(
                    expected: "advertising that can be connected to, within \(limit.words)",
                    observed: bed.isVirtual ? "none" : "none of the device; seen: \(search.seen)")
            }
            try establish(candidate)
            if connection == nil, now >= end {
                throw TestStop.failed(expected: "a connection within \(limit.words)", observed: "none")
            }
        }
        isMissing = false
        received = []
        written = WrittenValues()
    }

    /// Time to search for a device before it is woken, if it can be.
    private static let patience = Duration.seconds(8)

    /// Searches for the device, and wakes it if it is not found.
    private func findDevice(within limit: Duration) throws -> Bool {
        if wake.isEmpty || limit <= Self.patience { return try isAdvertising(within: limit) }
        if try isAdvertising(within: Self.patience) { return true }
        do {
            for action in wake { try bed.perform(action) }
        } catch TestStop.notApplicable {
            // There is no means to wake it; it may wake by itself.
        }
        return try isAdvertising(within: limit - Self.patience)
    }

    private func establish(_ address: DeviceAddress) throws {
        connectFailure = nil
        var settings = Host.ConnectSettings(address)
        settings.timeout = .seconds(5)
        try bed.perform(.connect(settings), host: host)
        try wait(until: now + .seconds(6)) { connection != nil || connectFailure != nil }
    }

    /// Ends the connection with a regular disconnect procedure.
    package func disconnect() throws {
        guard let connection else { return }
        try bed.perform(.disconnect(connection, .remoteUserTerminatedConnection), host: host)
        try wait(until: now + .seconds(10)) { self.connection == nil }
        // The device resumes advertising once it has noticed the disconnection.
        try wait(.milliseconds(50))
    }

    /// Drops the link without a disconnect procedure: the device notices by its supervision timeout.
    package func loseLink() throws {
        lossCountdown = nil
        isReady = false
        endLink()
        try bed.perform(.start, host: host)
        try start()
        try wait(Self.supervisionTimeout)
    }

    /// Time for the device to detect the lost link.
    private static let supervisionTimeout = Duration.seconds(6)

    /// Drops the link after this number of further ATT PDUs from the device.
    package func loseLink(after count: Int) { lossCountdown = count }

    /// Encrypts the connection with the bond, or pairs with the passkey or without user interaction. Pairs again if the
    /// device has lost its bond.
    private func pair() throws {
        guard let connection, !isEncrypted else { return }
        try encrypt(.secure(connection))
        if encryptionFailure == .pinOrKeyMissing, self.connection != nil {
            if let address { try bed.perform(.deleteBond(address), host: host) }
            try encrypt(.pair(connection))
        }
        if isEncrypted { return }
        if self.connection == nil {
            throw TestStop.failed(expected: "an encrypted connection", observed: "the connection was lost")
        }
        if let pairingFailure {
            let advice =
                device.isUserMissing ? "; the device may want a passkey: --passkey gives it, or run at a terminal" : ""
            throw TestStop.inconclusive("pairing failed: \(pairingFailure)\(advice)")
        }
        throw TestStop.failed(
            expected: "an encrypted connection within \(Self.pairingTime.words)",
            observed: encryptionFailure.map { $0.name ?? "\($0.rawValue)" } ?? "none")
    }

    private static let pairingTime = Duration.seconds(30)

    var isEncrypted: Bool { (security?.level ?? .open) > .open }

    /// Whether the connection is encrypted with a bond: the device then keeps subscriptions across connections (Vol 3,
    /// Part G, 3.3.3.3).
    var isBonded: Bool { bondKey != nil }

    /// The key of the bond that encrypts the connection; nil for none. Pairing again changes it.
    var bondKey: Bond.EncryptionKey? {
        guard isEncrypted, connection != nil, let address else { return nil }
        return bed.host(host).bonds.bond(at: address)?.peerKey
    }

    private func encrypt(_ request: Host.Request) throws {
        (pairingFailure, encryptionFailure, pairingPrompt) = (nil, nil, nil)
        try bed.perform(request, host: host)
        // Both sides have a bond once all keys are distributed, which is after encryption starts.
        var isBonding: Bool { connection.map(bed.host(host).isPairing) == true }
        var hasEnded: Bool {
            isEncrypted && !isBonding || pairingFailure != nil || encryptionFailure != nil || connection == nil
        }
        let end = now + Self.pairingTime
        while try wait(until: end, for: { hasEnded || pairingPrompt != nil }), !hasEnded {
            try answerPrompt()
        }
    }

    /// Answers a pairing prompt with the given passkey, or by asking the user at the terminal.
    private func answerPrompt() throws {
        guard let (handle, prompt) = pairingPrompt else { return }
        pairingPrompt = nil
        if case .enterPasskey = prompt, let passkey = device.passkey {
            return try bed.perform(.answerPairing(handle, .passkey(passkey)), host: host)
        }
        let answer = try bed.answer(prompt, within: Self.pairingTime)
        if case .display = prompt { return }
        try bed.perform(.answerPairing(handle, answer ?? .no), host: host)
    }

    /// Exchanges the MTU. An MTU offered to the device in an exchange that the device initiated holds in both
    /// directions (Vol 3, Part F, 3.4.2.2).
    package func exchangeMTU(_ mtu: UInt16) throws {
        hasExchangedMTU = true
        let server = bed.host(host).server
        let isAgreed = try server.hasExchangedMTU(with: connected())
        if !isAgreed { try bed.perform(.offerMTU(mtu), host: host) }
        _ = try run(.exchangeMTU(isAgreed ? server.limits.mtu : mtu), "Exchange MTU")
    }

    private static let longestMTU: UInt16 = 517

    package func discover() throws {
        guard case .table(let table) = try run(.survey, "discovery") else { return }
        self.table = table
        discoveryFaults = client?.discoveryFaults ?? []
        discoveryEnd = discoveryEnd ?? bed.packets.count
    }
}
