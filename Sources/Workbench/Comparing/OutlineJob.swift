package import Bluetooth
package import Captures
package import Conversation
package import Keys
package import Output

/// Reads a capture and makes the outline of its connections that is compared with another capture's.
package struct OutlineJob: Sendable {
    package var plugins = PluginSet.none
    /// Attribute tables imported by the user.
    package var importedTables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()

    package init() {}

    /// Reads all packets of `source`, twice if possible: a late discovery then names earlier frames too. Calls `goesOn`
    /// after every batch, with the number of frames in the pass so far.
    package func run(_ source: any PacketSource, goesOn: (Int) -> Bool) async throws -> CaptureOutline {
        var follower = ConversationTracker(plugins, imported: importedTables, keys: keys)
        if source.isSeekable {
            let first = follower
            try await BatchStages([{ first.follow(&$0) }]).run(source, goesOn: goesOn)
            try source.rewind()
            follower = first.restarted()
        }
        let (tracker, recorder) = (follower, ProcedureRecorder(file: source.name, plugins: plugins))
        try await BatchStages([{ tracker.follow(&$0) }, { recorder.add($0) }]).run(source, goesOn: goesOn)
        return recorder.finish(tracker)
    }
}
