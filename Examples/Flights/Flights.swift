import CommandLineSupport

/// Flight records: a year of departures from New York City, in any store.
package enum Flights {
  static let command = Command(
    "flights",
    "Keeps flight records in a store of your choice and asks questions about them.",
    discussion: """
      A store is a URL: sqlite:FILE, json:FILE, postgres://HOST/DATABASE?schema=NAME, or memory: for
      one that ends with the program.

      EXAMPLES:
        flights import --store sqlite:flights.db
        flights report --store sqlite:flights.db
        flights copy --from sqlite:flights.db --to json:flights.json
      """,
    version: "0.1.0",
    commands: [ImportCommand.command, ReportCommand.command, CopyCommand.command]
  )

  /// Does what the program's arguments say, and ends the program.
  package static func main() async {
    await command.main()
  }
}
