import CommandLineSupport
import Foundation
import OpenSwiftData

/// `flights import`: reads the files into a store.
enum ImportCommand {
  static let data = Option("data", value: "DIR", "A folder with the full set of files.")
  static let limit = Option("limit", value: "N", "Read the first N flights only.")
  static let batch = Option(
    "batch",
    value: "N",
    "The number of rows that are saved together.",
    default: "1000"
  )
  static let verbose = Option.flag("verbose", short: "v", "Tell on standard error what is saved.")

  static let command = Command(
    "import",
    "Reads airlines, airports, planes, weather and flights into a store.",
    discussion: """
      Without --data the month that comes with the program is read: January 2013. Rows that the
      store already has are passed over, so an import that was interrupted is completed by
      running it again.
      """,
    options: [StoreOption.store, data, limit, batch, verbose]
  ) { invocation, console in
    let container = try StoreOption.open(try invocation.required(StoreOption.store))
    var table = TextTable([
      .text("Table"), .number("Rows read"), .number("Added"), .number("In the store"),
    ])
    for (file, count) in try run(invocation, into: container, console) {
      table.append([file.name, "\(count.read)", "\(count.added)", "\(count.stored)"])
    }
    console.write(table.text(width: console.width))
  }

  /// Reads the files that an invocation names.
  static func run(
    _ invocation: Invocation,
    into container: ModelContainer,
    _ console: Console
  ) throws -> [(file: ImportedFile, count: FileImporter.Count)] {
    let importer = FileImporter(
      container: container,
      folder: try folder(invocation.text(data)),
      batchSize: try invocation.integer(batch, in: 1...100_000) ?? 1000,
      isVerbose: invocation.isSet(verbose),
      console: console
    )
    let files = ImportedFile.all(flightLimit: try invocation.integer(limit))
    return try files.map { ($0, try importer.run($0)) }
  }

  /// The folder to read: the given one, or the one that comes with the program.
  private static func folder(_ given: String?) throws -> URL {
    guard let given else { return Bundle.module.bundleURL.appending(path: "Data") }
    let folder = URL(filePath: given, directoryHint: .isDirectory)
    let flights = folder.appending(path: "flights.csv").path
    let packed = flights + ".zip"
    let files = FileManager.default
    if !files.fileExists(atPath: flights), files.fileExists(atPath: packed) {
      throw CommandFailure("\(packed) is packed; unpack it first")
    }
    return folder
  }
}
