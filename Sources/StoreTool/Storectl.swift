import CommandLineSupport

/// The tool `storectl`: inspects, maintains and copies any store, without the models' source.
package enum Storectl {
  static let command: Command = Command(
    "storectl",
    "Looks into stores of any kind, looks after them, and copies them.",
    discussion: """
      A store is a URL: sqlite:FILE or json:FILE. The schema is read from the store.
      Exit codes: 0 done, 1 failed, 64 wrong use.
      """,
    version: "0.1.0",
    commands: [
      InfoCommand.command, StoresCommand.command, CountCommand.command, ListCommand.command,
      ShowCommand.command,
      StatsCommand.command, HistoryCommand.command, SchemaCommand.command, DiffCommand.command,
      CopyCommand.command, ExportCommand.command, ImportCommand.command, VerifyCommand.command,
      RepairCommand.command, MergeCommand.command, CompactCommand.command, BackupCommand.command,
      EraseCommand.command,
      ServeCommand.command, ConformanceCommand.command, CompletionsCommand.command,
    ]
  )

  /// Runs the program with its arguments, and ends it.
  package static func main() async {
    await command.main()
  }
}
