import CommandLineSupport

/// The tool `storectl`: inspects, maintains and copies any store, without the models' source.
package enum Storectl {
  static let command: Command = Command(
    "storectl",
    "Inspects, maintains and copies stores of any kind.",
    discussion: """
      A store is a URL: sqlite:FILE, json:FILE, or
      postgres://HOST/DATABASE?schema=NAME. coredata:FILE reads a file of Core Data
      or SwiftData. The schema is read from the store.
      Exit codes: 0 success, 1 failure, 64 wrong usage.
      """,
    version: "0.1.0",
    commands: [
      InfoCommand.command, StoresCommand.command, MoveCommand.command, CountCommand.command,
      ListCommand.command, ShowCommand.command,
      StatsCommand.command, HistoryCommand.command, SchemaCommand.command, DiffCommand.command,
      CopyCommand.command, ExportCommand.command, ImportCommand.command, VerifyCommand.command,
      RepairCommand.command, MergeCommand.command, CompactCommand.command, BackupCommand.command,
      EraseCommand.command,
      ServeCommand.command, AdoptCommand.command, ConformanceCommand.command,
      CompletionsCommand.command,
    ]
  )

  /// Runs the program with its arguments, and ends it.
  package static func main() async {
    await command.main()
  }
}
