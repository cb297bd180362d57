package enum AssignedNumbers {
    package static func service(_ uuid: UUID) -> String? { nil }
    package static func attribute(_ uuid: UUID) -> String? { nil }
}
