import CoreDataStore
import Foundation
import OpenSwiftData

/// The report of an import of a store of Core Data.
struct CoreDataReport: Encodable {
  /// A value that was left out.
  struct Value: Encodable {
    /// The address that Core Data gave the object, `Entity/p4`.
    let object: String
    let property: String
    let kind: UnreadableValue.Kind
    let reason: String
  }

  /// The file that was read.
  let source: String
  let identifier: String
  let frameworkVersion: Int?
  /// Where the model comes from.
  let model: String
  let modelVersion: String
  /// The store that has the objects now, or `nil` if nothing was imported.
  var target: String?
  /// Whether the objects have the keys that they have in the source.
  var keepsKeys: Bool?
  let objects: [String: Int]
  let references: [String: Int]
  let changed: [String]
  let unknown: [String]
  let leftOut: [String]
  /// Rows and references that belong to nothing.
  let lost: [String]
  /// The values that could not be read, at most ten thousand.
  let lostValues: [Value]
  let lostValueCount: Int

  init(_ survey: CoreDataSurvey, _ configuration: CoreDataStoreConfiguration) {
    source = configuration.url.path
    identifier = survey.storeIdentifier
    frameworkVersion = survey.frameworkVersion
    model = survey.modelSource
    modelVersion = survey.modelVersion
    objects = survey.objects
    references = survey.references
    let names = configuration.modelChanges.names.sorted { $0.key < $1.key }
    changed =
      names.map { "\($0.key): renamed to \($0.value), as requested" }
      + survey.absentAttributes.sorted().map {
        "\($0): optional, because some objects have no value"
      }
      + survey.changes
    unknown = survey.unknowns
    leftOut = survey.leftOut
    lost = survey.losses
    lostValues = survey.problems.map { problem in
      let key = (problem.identifier.integerKey ?? 0) & ((1 << 44) - 1)
      return Value(
        object: "\(problem.identifier.entityName)/p\(key)",
        property: problem.property,
        kind: problem.kind,
        reason: problem.reason
      )
    }
    lostValueCount = survey.problemCount
  }

  /// Whether values were lost because their files are missing.
  var lacksFiles: Bool { lostValues.contains { $0.kind == .externalFile } }

  /// The name of the folder of a store's external files.
  var externalFolder: String {
    ".\(URL(filePath: source).deletingPathExtension().lastPathComponent)_SUPPORT"
  }

  /// The report as lines for people.
  var lines: [String] {
    let writer = frameworkVersion.map { ", written by version \($0) of the framework" } ?? ""
    var lines = [
      "\(URL(filePath: source).lastPathComponent)\(writer)",
      "The model is from \(model), version \(modelVersion).", "", "read",
    ]
    for (entity, count) in objects.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(entity): \(Self.count(count, "object"))")
      for (property, count) in references.sorted(by: { $0.key < $1.key })
      where property.hasPrefix(entity + ".") {
        lines.append(
          "    \(property.dropFirst(entity.count + 1)): \(Self.count(count, "reference"))"
        )
      }
    }
    func add(_ title: String, _ sentences: [String]) {
      if !sentences.isEmpty { lines += ["", title] + sentences.map { "  \($0)" } }
    }
    add("changed", changed)
    add("unknown from the file", unknown)
    add("left out", leftOut)
    let values = lostValues.map { "\($0.object) \($0.property): \($0.reason)" }
    let more = lostValueCount - lostValues.count
    add("lost", lost + values + (more > 0 ? ["and \(more) more values"] : []))
    lines.append("")
    if let target {
      let total = objects.values.reduce(0, +)
      lines.append("Imported \(Self.count(total, "object")) into \(target) and compared them.")
      if keepsKeys == false {
        lines.append("They have new keys, in the order of the keys in the file.")
      }
    } else {
      lines.append("Nothing was written.")
    }
    return lines
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
