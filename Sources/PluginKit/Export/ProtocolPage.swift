package enum ProtocolPage { package static func text(of profile: Profile) -> String { "" } }
