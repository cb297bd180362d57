package enum RecordSchema { package static func text(of profile: Profile) -> String { "" } }
