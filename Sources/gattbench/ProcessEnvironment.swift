import Glibc

/// The environment variables that the program was started with.
enum ProcessEnvironment {
    /// Names of those that mean something to it.
    private static let names = ["GATTBENCH_PLUGINS", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]

    static var variables: [String: String] {
        var variables: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables
    }
}
