package import Bluetooth
package import Bytes
package import Host
package import PluginKit
package import Profile

/// A device of a plugin on a controller: a twin that says what the device does, and a host that serves the attributes of
/// its profile.
///
/// It is a value that does no I/O and owns no clock. Packets of the controller, what happens to the device and the
/// passing of time go in; packets and events come out.
package struct EmulatedDevice: Sendable, HostOwner {
    /// What goes in.
    package enum Input: Hashable, Sendable {
        /// A controller is there: it is brought up, and with the first one the device gets its power.
        case start
        /// A packet of the controller, its packet indicator first.
        case packet([UInt8])
        case stimulus(Stimulus)
        /// The links to all clients are lost, without a word.
        case dropLink
        /// The device disconnects all clients.
        case disconnect
        /// A device that is nothing but its profile does something, as in a reaction.
        case act(EmulationDefinition.Reaction.Action)
        /// The device has a fault from now on.
        case fault(ValueFault)
        /// The device has other attribute handles from now on.
        case changeServices
        /// The device loses its bonds.
        case forgetBonds
        /// Time has passed; due when `deadline` is reached.
        case time
    }

    var twin: any DeviceTwin
    var host: Host
    private(set) var plan: AttributePlan
    /// Characteristics that the twin answers for.
    let answered: Set<String>
    var events = FIFO<Host.Event>()
    var outputs: [StationOutput] = []
    var faults: FaultInjector
    /// What the twin wants to advertise; nil for nothing.
    var advertising: TwinAdvertising?
    /// Whether the controller is up.
    var isUp = false
    private var hasPower = false
    /// Connections with clients.
    var clients: Set<ConnectionHandle> = []
    private var alarm = RateLimitedTimer()

    /// What a device is made with.
    package struct Settings: Sendable {
        package var dialect: String?
        package var addressing = Host.Configuration.Addressing.public
        /// Seed of the host's random numbers and of faults.
        package var seed: UInt64 = 1

        package init() {}
    }

    /// A device of a profile that behaves as the twin says. Throws what keeps the profile's attributes from being served.
    package init(
        _ profile: CompiledProfile, twin: any DeviceTwin, _ settings: Settings = Settings()
    ) throws(AttributeDatabase.DefinitionError) {
        let definition = profile.profile
        let declared = twin as? ProfileTwin
        answered = twin.answered
        plan = try AttributePlan(
            definition, dialect: settings.dialect,
            name: twin.deviceName ?? definition.emulation?.name ?? definition.header.title,
            answered: answered, lengths: declared?.lengths ?? [:])
        var configuration = Host.Configuration()
        configuration.addressing = settings.addressing
        let characteristics = definition.services(of: settings.dialect).flatMap(\.characteristics)
        if characteristics.contains(where: { $0.security == .authenticated }) {
            configuration.pairing = .displayingPasskey
        }
        configuration.clientMTU = nil
        if let mtu = definition.header.mtu.flatMap(UInt16.init(exactly:)) { configuration.serverLimits.mtu = mtu }
        host = Host(configuration, database: plan.database, random: .seeded(settings.seed))
        faults = FaultInjector(seed: settings.seed)
        self.twin = twin
    }

    /// When the device wants to be told that time has passed; nil when nothing waits for it.
    package var deadline: Timestamp? {
        [host.deadline, twinDeadline, faults.deadline].compactMap { $0 }.min()
    }

    /// Whether nobody outside owes it an answer, so that time may pass as fast as one likes.
    package var isSettled: Bool { isUp && host.deadline == nil }

    private var twinDeadline: Timestamp? { alarm.due(twin.deadline) }

    /// The public address that the device wants; nil where any will do.
    package var address: Address? { twin.address }

    /// What the device keeps without power, as JSON; nil when it keeps nothing.
    package var storage: [UInt8]? { twin.storage }
    /// The energy that it has used until now; nil where its twin does not know.
    package func energy(at now: Timestamp) -> EnergyUse? { twin.energy(at: now) }

    /// Takes what has come, and tells what is to be done.
    package mutating func handle(_ input: Input, at now: Timestamp) -> [StationOutput] {
        expire(at: now)
        switch input {
        case .start:
            isUp = false
            faults.reset()
            run(.request(.start), at: now)
        case .packet(let packet): run(.packet(packet), at: now)
        case .stimulus(let stimulus): feed(.stimulus(stimulus), at: now)
        case .dropLink: dropLink(at: now)
        case .disconnect:
            for client in clients { run(.request(.disconnect(client, .remoteUserTerminatedConnection)), at: now) }
        case .act(let action):
            guard var declared = twin as? ProfileTwin else { break }
            let actions = declared.act(action)
            twin = declared
            for action in actions { perform(action, at: now) }
        case .fault(let fault):
            faults.add(fault)
            if fault.kind == .refuse {
                let handle = fault.characteristic.flatMap { plan.handles[$0] }
                run(.request(.refuse(handle, ATT.ErrorCode(rawValue: fault.code), count: fault.count)), at: now)
            }
        case .changeServices: changeServices(at: now)
        case .forgetBonds: for bond in host.bonds.all { run(.request(.deleteBond(bond.peer)), at: now) }
        case .time: run(.time, at: now)
        }
        return faults.pass(finish(at: now), at: now)
    }

    private mutating func changeServices(at now: Timestamp) {
        plan.move(host.server.database)
        run(.request(.replaceDatabase(plan.database)), at: now)
    }

    /// Tells the twin of time that has passed.
    private mutating func expire(at now: Timestamp) {
        guard hasPower, let deadline = twinDeadline, deadline <= now else { return }
        feed(.time, at: now)
        alarm.fired(at: now, next: twin.deadline)
    }

    mutating func feed(_ input: TwinInput, at now: Timestamp) {
        for action in twin.handle(input, at: now) { perform(action, at: now) }
    }

    /// The controller is up: the device gets its power with the first one, and goes on with a later one.
    mutating func started(at now: Timestamp) {
        isUp = true
        if hasPower { return advertise(at: now) }
        hasPower = true
        feed(.powerOn, at: now)
    }
}
