import ArgumentParser

/// Whether what goes by is judged: the options of live commands that can.
struct JudgingArguments: ParsableArguments {
    @Flag(help: "Check the traffic: print findings as they occur and a summary at the end.")
    var check = false

    @OptionGroup var arguments: CheckArguments

    func validate() throws {
        if !check, arguments.isAsked {
            throw ValidationError("--role, --require, --waivers, --oracle, --strict and the reports go with --check")
        }
    }

    /// Refuses a report among frames.
    func validate(besides live: LiveArguments) throws {
        if arguments.takesOutput, !live.quiet {
            throw ValidationError("a report on standard output goes with -q; frames are printed there without it")
        }
    }

    /// How it is judged; nil where it is not.
    var checking: CheckArguments? { check ? arguments : nil }
}
