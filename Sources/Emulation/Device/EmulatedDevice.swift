package import Bluetooth
package import Bytes
package import Host
package import PluginKit
package import Profile

/// A device of a plugin on a controller: a twin that decides how the device behaves, and a host that serves the
/// attributes of its profile.
///
/// A value type without I/O or clock. Controller packets, stimuli and elapsed time go in; packets and events come out.
package struct EmulatedDevice: Sendable, HostDriver {
    package enum Input: Hashable, Sendable {
        /// A controller is available and is brought up. The first one powers the device on.
        case start
        /// A packet from the controller, its packet indicator first.
        case packet([UInt8])
        case stimulus(Stimulus)
        /// The links to all clients are lost, without a disconnect request.
        case dropLink
        /// The device disconnects all clients.
        case disconnect
        /// A device with a `ProfileTwin` performs an action, as in a reaction.
        case act(EmulationDefinition.Reaction.Action)
        /// The device has this fault from now on.
        case fault(ValueFault)
        /// The device has other attribute handles from now on.
        case changeServices
        case forgetBonds
        /// Time has passed; expected when `deadline` is reached.
        case time
    }

    var twin: any DeviceTwin
    var host: Host
    private(set) var plan: AttributePlan
    /// Characteristics whose requests the twin answers.
    let answered: Set<String>
    /// Whether a read that the twin answers is an event.
    let reportsReads: Bool
    /// Characteristics of the reads that the twin has not answered yet.
    var openReads: [TwinTicket: String] = [:]
    var events = FIFO<Host.Event>()
    var outputs: [StationOutput] = []
    var faults: FaultInjector
    /// The advertising that the twin requested; nil for none.
    var advertising: TwinAdvertising?
    /// Whether the controller is up.
    var isUp = false
    private var hasPower = false
    var clients: Set<ConnectionHandle> = []
    private var alarm = RateLimitedTimer()

    package struct Settings: Sendable {
        package var dialect: String?
        package var addressing = Host.Configuration.Addressing.public
        /// Seed of the host's random numbers and of the faults.
        package var seed: UInt64 = 1
        /// Whether a read that the twin answers is an event, as a write is.
        package var reportsReads = false

        package init() {}
    }

    /// Creates a device with a profile's attributes and a twin's behavior. Throws if the attributes cannot be served.
    package init(
        _ profile: CompiledProfile, twin: any DeviceTwin, _ settings: Settings = Settings()
    ) throws(AttributeDatabase.DefinitionError) {
        let definition = profile.profile
        let declared = twin as? ProfileTwin
        answered = twin.answered
        reportsReads = settings.reportsReads
        plan = try AttributePlan(
            definition, dialect: settings.dialect,
            name: twin.deviceName ?? definition.emulation?.name ?? definition.header.title,
            answered: answered, encrypted: twin.encrypted, authenticated: twin.authenticated,
            lengths: declared?.lengths ?? [:])
        var configuration = Host.Configuration()
        configuration.addressing = settings.addressing
        let characteristics = definition.services(of: settings.dialect).flatMap(\.characteristics)
        if !twin.authenticated.isEmpty || characteristics.contains(where: { $0.security == .authenticated }) {
            configuration.pairing = .displayingPasskey
        }
        configuration.clientMTU = nil
        if let mtu = definition.header.mtu.flatMap(UInt16.init(exactly:)) { configuration.serverLimits.mtu = mtu }
        host = Host(configuration, database: plan.database, random: .seeded(settings.seed))
        faults = FaultInjector(seed: settings.seed)
        self.twin = twin
    }

    /// The time at which `.time` is to be passed in; nil if the device waits for no time.
    package var deadline: Timestamp? {
        [host.deadline, twinDeadline, faults.deadline].compactMap { $0 }.min()
    }

    /// Whether no external answer is pending, so that time may run at any speed.
    package var isSettled: Bool { isUp && host.deadline == nil }

    private var twinDeadline: Timestamp? { alarm.due(twin.deadline) }

    /// The public address that the device requires; nil for any.
    package var address: Address? { twin.address }

    /// The device's non-volatile storage, as JSON; nil if it has none.
    package var storage: [UInt8]? { twin.storage }
    /// The contents of the device's display as lines of text; nil if it has no display.
    package var display: [String]? { twin.display }
    /// The energy used until now; nil if the twin does not model it.
    package func energy(at now: Timestamp) -> EnergyUse? { twin.energy(at: now) }

    /// Handles an input; returns the resulting outputs.
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

    /// Reports elapsed time to the twin, if its deadline is reached.
    private mutating func expire(at now: Timestamp) {
        guard hasPower, let deadline = twinDeadline, deadline <= now else { return }
        feed(.time, at: now)
        alarm.fired(at: now, next: twin.deadline)
    }

    mutating func feed(_ input: TwinInput, at now: Timestamp) {
        for action in twin.handle(input, at: now) { perform(action, at: now) }
    }

    /// Handles a controller that came up: the first one powers the device on; after a later one, advertising resumes.
    mutating func started(at now: Timestamp) {
        isUp = true
        if hasPower { return advertise(at: now) }
        hasPower = true
        feed(.powerOn, at: now)
    }
}
