import CommandLineSupport

/// `storectl adopt`: writes a package in which the models and tests of an Xcode app run on Linux.
enum AdoptCommand {
  private static let app = Argument("APP", "The folder of the app, or its Xcode project.")
  private static let output = Option(
    "output",
    short: "o",
    value: "DIR",
    "The folder to write; by default APP/Linux."
  )
  private static let package = Option(
    "package",
    value: "LOCATION",
    "The checkout or URL of OpenSwiftData; by default the one of this program."
  )

  static let command = command(tool: .swift)

  /// Returns the command with the program that builds and tests packages.
  static func command(tool: PackageTool) -> Command {
    Command(
      "adopt",
      "Writes a package in which the models and tests of an Xcode app run on Linux.",
      discussion: """
        Reads the targets and settings of the Xcode project, builds the package until
        all of it compiles, and runs the tests. Files that need a module of Apple's are
        left out, each with the reason. No file of the app is changed: the package has
        links to them. Run it again after changes.
        Exits with status 1 if no test runs.
        """,
      options: [output, package, InfoCommand.format],
      arguments: [app]
    ) { invocation, console in
      var adoption = try Adoption(
        of: try invocation.required(app),
        to: invocation.text(output),
        location: try invocation.text(package).map(PackageLocation.init) ?? .ofProgram(),
        tool: tool,
        progress: { console.printError($0) }
      )
      let report = try adoption.run()
      try InfoCommand.report(report, invocation, to: console) { report.print(to: console) }
      guard report.tests.run > 0 else {
        throw CommandFailure("no test of \(try invocation.required(app)) runs on Linux")
      }
    }
  }
}
