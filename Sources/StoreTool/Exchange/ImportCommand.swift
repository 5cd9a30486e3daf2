import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// `storectl import`: brings the objects of an export, or a store of Core Data, into a store.
enum ImportCommand {
  private static let file = Argument(
    "FILE",
    "An export; - is standard input; coredata:FILE is a store of Core Data."
  )
  private static let url = Argument("URL", OpenedStore.argument.summary, count: .optional)
  private static let into = Option("into", value: "URL", "The store to fill, as the argument URL.")

  static let command = Command(
    "import",
    "Imports all objects of an export or a Core Data store into a store, or none.",
    discussion: """
      A missing store is created with the schema of the export, and appears when it
      has all objects. All lines and references are checked first, and errors are
      reported. Then all objects are stored in one save, so memory use grows with the
      file. In a new store objects keep their keys; a store that once had objects
      assigns new keys, in the order of the keys in the file. An object with the
      unique values of a stored object updates it.
      A store of Core Data or Apple's SwiftData is read once before anything is
      written. The report lists what was read, changed, unknown from the file, and
      lost. Exits with status 1 if anything was lost.
      """,
    options: [into] + CoreDataImport.options + [InfoCommand.format],
    arguments: [file, url]
  ) { invocation, console in
    let path = try invocation.required(file)
    let isRehearsal = invocation.isSet(CoreDataImport.dryRun)
    if isRehearsal, invocation.text(url) == nil, !invocation.isSet(into) {
      return try CoreDataImport(path, to: nil, invocation).run(console)
    }
    let url = try OpenedStore.named(url, or: into, invocation)
    if (try? StoreURL(path))?.scheme == CoreDataImport.scheme {
      return try CoreDataImport(path, to: url, invocation).run(console)
    }
    if let option = CoreDataImport.options.first(where: invocation.isSet) {
      throw UsageError("--\(option.name) is for stores of Core Data, as coredata:FILE")
    }
    try importExport(path, into: url, invocation, console)
  }

  private static func importExport(
    _ path: String,
    into url: String,
    _ invocation: Invocation,
    _ console: Console
  ) throws {
    guard
      (try? StoreURL(url)) != nil
        || (try? StoreURL(path)) == nil && !FileManager.default.fileExists(atPath: url)
    else {
      throw UsageError("the file must precede the store: storectl import FILE URL")
    }
    let existing = try OpenedStore.isMissingFile(url) ? nil : OpenedStore(url, forWriting: true)
    var rows = try ImportedRows(path: path, schemaOfStore: existing?.store.schema.storeSchema)
    if rows.problems.isEmpty { rows.check() }
    for problem in rows.problems { console.printError(problem.description.visible) }
    guard rows.problems.isEmpty else {
      throw CommandFailure("nothing was imported; fix the lines above")
    }
    let sorted = rows.rows.sorted { ($0.content.key, $0.line) < ($1.content.key, $1.line) }
    let imported: (merged: Int, keepsKeys: Bool)
    if let existing {
      imported = try store(sorted, rows, in: existing)
    } else {
      let staged = try StagedStore(url)
      let made = try OpenedStore(staged.url, making: Schema(storeSchema: rows.schema))
      imported = try store(sorted, rows, in: made)
      try staged.publish(made.store)
    }
    let outcome = Outcome(
      objects: rows.rows.count,
      merged: imported.merged,
      keepsKeys: imported.keepsKeys
    )
    try InfoCommand.report(outcome, invocation, to: console) { outcome.print(to: console) }
  }

  /// Stores the rows in one save, under their own keys if the store accepts them.
  private static func store(
    _ sorted: [ImportedRows.Row],
    _ rows: ImportedRows,
    in opened: OpenedStore
  ) throws -> (merged: Int, keepsKeys: Bool) {
    var changes = StoreChanges(
      inserted: records(sorted, rows.schema),
      editingState: EditingState(author: "storectl import"),
      origin: .copy
    )
    let keepsKeys = try canKeepKeys(sorted, in: opened)
    if keepsKeys {
      for (row, record) in zip(sorted, changes.inserted) {
        changes.keys[record.persistentIdentifier] = row.content.key
      }
      changes.nextKey = rows.nextKey
    }
    return (try opened.store.apply(changes).merged.count, keepsKeys)
  }

  /// Returns whether no key may have been in use in the store, and all keys of the rows are
  /// distinct.
  private static func canKeepKeys(
    _ sorted: [ImportedRows.Row],
    in opened: OpenedStore
  ) throws -> Bool {
    guard let next = try opened.store.nextKey() else { return false }
    return sorted.allSatisfy { $0.content.key >= next }
      && zip(sorted, sorted.dropFirst()).allSatisfy { $0.content.key < $1.content.key }
  }

  /// The output of `--format json`.
  private struct Outcome: Encodable {
    let objects: Int
    let merged: Int
    let keepsKeys: Bool

    func print(to console: Console) {
      console.print("Imported \(objects) \(objects == 1 ? "object" : "objects").")
      if merged > 0 {
        console.print(
          "\(merged) of them had the unique values of stored objects and updated those."
        )
      }
      if !keepsKeys { console.print("They have new keys, in the order of the keys in the file.") }
    }
  }

  /// Returns the rows under temporary identifiers, references included.
  ///
  /// If nothing else determines their order, objects are ordered by their keys: the new ones keep
  /// that order.
  private static func records(
    _ sorted: [ImportedRows.Row],
    _ schema: StoreSchema
  ) -> [DefaultSnapshot] {
    let identifiers = sorted.map { PersistentIdentifier.temporary(of: $0.content.entity.name) }
    let identifiersByKey = Dictionary(
      firstOf: zip(sorted.map { ObjectKey($0.content) }, identifiers)
    )
    return zip(sorted, identifiers).map { row, identifier in
      let entity = row.content.entity
      var values = entity.properties.map { property in
        property.isToMany && !property.isDerivedToMany ? StoreValue.identifiers([]) : .null
      }
      for (index, value) in row.content.values {
        guard entity.properties[index].relationship != nil else {
          values[index] = value
          continue
        }
        values[index] = value.mappingReferences { row in
          let root = schema.entity(named: row.entityName)?.root ?? row.entityName
          return row.integerKey.flatMap { identifiersByKey[ObjectKey(root: root, key: $0)] }
        }
      }
      return DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
    }
  }

  /// A row by the root of its entity and its key.
  private struct ObjectKey: Hashable {
    let root: String
    let key: Int64

    init(root: String, key: Int64) { (self.root, self.key) = (root, key) }

    init(_ row: RowText.Row) { self.init(root: row.entity.root, key: row.key) }
  }
}
