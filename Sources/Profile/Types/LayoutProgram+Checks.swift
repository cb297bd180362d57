import Bytes

// Checks of values. A violation is a diagnostic and does not prevent reading.
extension LayoutProgram {
    /// Checks a number against its constant, its range and its enumeration.
    func check(_ raw: UInt64, of step: Instruction, _ offset: Int, _ diagnostics: inout DiagnosticList) {
        let check = checks[Int(step.plan)]
        if let constant = check.constant, raw != constant {
            return diagnostics.add(
                diagnostic(.warning, step, offset, "\(plans[Int(step.plan)].text(raw)); expected \(constant)"))
        }
        if check.isEnumeration {
            if raw < 64 ? check.known >> raw & 1 == 1 : plans[Int(step.plan)].names[raw] != nil { return }
            return diagnostics.add(diagnostic(.note, step, offset, "\(raw) has no name here"))
        }
        if isInside(raw, check, step) || plans[Int(step.plan)].names[raw] != nil { return }
        diagnostics.add(
            diagnostic(
                .warning, step, offset,
                "\(plans[Int(step.plan)].text(raw)) is outside of \(plans[Int(step.plan)].rangeText)"))
    }

    private func isInside(_ raw: UInt64, _ check: Check, _ step: Instruction) -> Bool {
        if let reals = check.reals {
            let number =
                step.operation == .medical
                ? MedicalFormat.double(raw, bytes: Int(step.size)) : FloatFormat.double(raw, bytes: Int(step.size))
            return reals.contains(number)
        }
        if !step.isSigned, raw > UInt64(Int64.max) { return check.upper == .max }
        let bits = step.operation == .part ? Int(step.size) : 8 * Int(step.size)
        let shift = step.isSigned ? Int64(64 - bits) : 0
        let number = Int64(bitPattern: raw << UInt64(shift)) >> shift
        return number >= check.lower && number <= check.upper
    }

    /// Checks that bits outside all parts are zero.
    func checkReserved(_ raw: UInt64, of step: Instruction, _ offset: Int, _ diagnostics: inout DiagnosticList) {
        let set = raw & (checks[Int(step.plan)].constant ?? 0)
        if set == 0 { return }
        diagnostics.add(diagnostic(.warning, step, offset, "reserved bits are set: 0x" + String(set, radix: 16)))
    }

    /// Checks a checksum over the bytes in `range`.
    func checkSum(
        _ raw: UInt64, of step: Instruction, over whole: RawSpan, _ range: Range<Int>, _ offset: Int,
        _ recorder: FieldRecorder?, _ diagnostics: inout DiagnosticList
    ) {
        let plan = plans[Int(step.plan)]
        guard case .checksum(let algorithm) = plan.kind else { return }
        let expected = algorithm.compute(whole.extracting(range))
        if let status = plan.status { recorder?.addGenerated(status, value: raw == expected ? 1 : 0) }
        if raw == expected { return }
        let digits = 2 * Int(step.size)
        let (seen, computed) = (String(hex: raw, digits: digits), String(hex: expected, digits: digits))
        diagnostics.add(diagnostic(.warning, step, offset, "is 0x\(seen); the bytes have 0x\(computed)"))
    }

    private func diagnostic(
        _ severity: Diagnostic.Severity, _ step: Instruction, _ offset: Int, _ text: String
    ) -> Diagnostic {
        Diagnostic(severity, step.field.name, offset: offset, "\(step.field.label): \(text)")
    }
}

extension FieldPlan {
    /// A number with its unit.
    func text(_ raw: UInt64) -> String {
        let number: String
        switch kind {
        case .float: number = String(FloatFormat.shortest(raw, bytes: size))
        case .medical: number = String(MedicalFormat.double(raw, bytes: size))
        default:
            if let scale {
                number = String(scale.value(of: self.number(raw)))
            } else {
                number = isSigned ? String(Int64(bitPattern: extended(raw))) : String(raw)
            }
        }
        return unit.map { "\(number) \($0)" } ?? number
    }

    /// The range stated in the profile.
    var rangeText: String {
        guard let range else { return "its range" }
        return "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))" + (unit.map { " \($0)" } ?? "")
    }

    private static func text(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? String(number)
    }
}
