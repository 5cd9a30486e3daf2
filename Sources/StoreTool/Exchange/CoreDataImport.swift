import CommandLineSupport
import CoreDataStore
import Foundation
import OpenSwiftData

/// `storectl import coredata:FILE`: takes a store of Core Data or Apple's SwiftData over.
///
/// The store is read once before anything is written, which tells what will be lost. Then it is copied
/// into a store beside its place and compared, and the copy gets its place when it is whole.
struct CoreDataImport {
  static let scheme = "coredata"

  private static let entity = Option(
    "entity",
    value: "NAME",
    "Import only this entity and its hierarchy; repeatable.",
    isRepeatable: true
  )
  private static let rename = Option(
    "rename",
    value: "OLD=NEW",
    "Rename an entity, or a property as Entity.old=new; repeatable.",
    isRepeatable: true
  )
  private static let keepURIs = Option.flag(
    "keep-uris",
    "Keep the address of each object, x-coredata://…, in the property coreDataURI."
  )
  private static let missingFiles = Option(
    "missing-files",
    value: "WHAT",
    "How to import values whose file is missing: fail, or use nil.",
    choices: ["fail", "nil"],
    default: "fail"
  )
  private static let rawTransformables = Option.flag(
    "raw-transformables",
    "Keep the bytes of transformable attributes instead of decoding them."
  )
  private static let model = Option(
    "model",
    value: "PATH",
    "The model, for a store that contains none: .mom, .momd, .xcdatamodel(d)."
  )
  private static let schema = Option(
    "schema",
    value: "FILE",
    "The schema of the store, as JSON from 'storectl schema show'."
  )
  private static let report = Option("report", value: "FILE", "Write the report as JSON to a file.")
  static let dryRun = Option.flag("dry-run", "Only read and report, without creating a store.")

  static let options = [
    entity, rename, keepURIs, missingFiles, rawTransformables, model, schema, report, dryRun,
  ]

  private let source: String
  private let target: String?
  private var configuration: CoreDataStoreConfiguration
  private let needsFiles: Bool
  private let reportPath: String?
  private let isJSON: Bool

  /// Reads what a command line asks for.
  ///
  /// - Parameters:
  ///   - source: The URL of the store of Core Data.
  ///   - target: The URL of the store to fill, or `nil` to report alone.
  ///   - invocation: The command line.
  /// - Throws: `UsageError` for options that contradict each other, and what reading the URL throws.
  init(_ source: String, to target: String?, _ invocation: Invocation) throws {
    guard
      var configuration = try StoreScheme.configuration(for: source) as? CoreDataStoreConfiguration
    else { throw UsageError("--dry-run is for stores of Core Data, as coredata:FILE") }
    configuration.unreadableValues = .omit
    if invocation.isSet(Self.keepURIs) { configuration.keepsURIs = true }
    if invocation.isSet(Self.rawTransformables) { configuration.decodesTransformables = false }
    if let path = invocation.text(Self.model) { configuration.modelURL = URL(filePath: path) }
    configuration.modelChanges.entities = invocation.texts(Self.entity)
    if let path = invocation.text(Self.schema) { configuration.schemaURL = URL(filePath: path) }
    for text in invocation.texts(Self.rename) {
      let names = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else {
        throw UsageError("--rename takes OLD=NEW or Entity.old=new, not '\(text)'")
      }
      configuration.modelChanges.names[names[0]] = names[1]
    }
    self.source = source
    self.target = invocation.isSet(Self.dryRun) ? nil : target
    self.configuration = configuration
    needsFiles = try invocation.required(Self.missingFiles) == "fail"
    reportPath = invocation.text(Self.report)
    isJSON = try InfoCommand.isJSON(invocation)
  }

  /// Rehearses, copies and reports.
  ///
  /// - Throws: `CommandFailure` if anything is lost, after the report.
  func run(_ console: Console) throws {
    var bar: ProgressBar?
    func progress(_ title: String) -> (Int, Int) -> Void {
      bar?.finish()
      bar = nil
      return { done, total in
        if bar == nil { bar = ProgressBar(title, total: total, console: console) }
        bar?.advance(to: done)
      }
    }
    defer { bar?.finish() }
    let survey = try CoreDataStore(configuration).survey(progress: progress("read"))
    var report = CoreDataReport(survey, configuration)
    let lacksFiles = needsFiles && report.lacksFiles
    if let target, !lacksFiles {
      report.keepsKeys = try copy(to: target, survey, progress: progress("copy"))
      report.target = target
    }
    bar?.finish()
    bar = nil
    if let reportPath {
      try Data(JSONText.encoding(report).utf8).write(to: URL(filePath: reportPath))
    }
    if isJSON {
      console.write(try JSONText.encoding(report))
    } else {
      for line in report.lines { console.print(line.visible) }
    }
    guard !lacksFiles else {
      throw CommandFailure(
        "nothing was imported, because files of values are missing; put the folder "
          + "'\(report.externalFolder)' beside the store, or use --missing-files nil"
      )
    }
    guard survey.isComplete else {
      throw CommandFailure("not everything could be imported; see 'lost' above")
    }
  }

  /// Copies the store.
  ///
  /// - Returns: Whether all objects keep their keys.
  private func copy(
    to target: String,
    _ survey: CoreDataSurvey,
    progress: (Int, Int) -> Void
  ) throws -> Bool {
    var configuration = configuration
    configuration.modelChanges.optionalAttributes = survey.absentAttributes
    let schema = try CoreDataStore(configuration).schema
    let origin = try ModelContainer(for: schema, configurations: [configuration])
    return try origin.copy(schema, toNewOrEmpty: target, progress: progress).keepsKeys
  }
}
