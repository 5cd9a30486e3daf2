import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// `storectl import`: brings the objects of an export into a store.
enum ImportCommand {
  private static let file = Argument("FILE", "An export; - is standard input.")

  static let command = Command(
    "import",
    "Adds the objects of an export to a store, all of them or none.",
    discussion: """
      A store that is not there is made with the schema of the export. Every line is
      checked first, with all references, and told where it is wrong; then all objects
      are stored in one save, so that memory grows with the file. Objects get keys of
      the store's own, in the order of their keys in the file. One with the unique
      values of a stored object updates that object.
      """,
    arguments: [file, OpenedStore.argument]
  ) { invocation, console in
    let url = try invocation.required(OpenedStore.argument)
    let path = try invocation.required(file)
    let existing = try isThere(url) ? OpenedStore(url, forWriting: true) : nil
    var rows = try ImportedRows(path: path, schemaOfStore: existing?.store.schema.storeSchema)
    if rows.problems.isEmpty { rows.check() }
    for problem in rows.problems { console.printError(problem.description.visible) }
    guard rows.problems.isEmpty else {
      throw CommandFailure("nothing was imported; mend the lines above")
    }
    let opened = try existing ?? OpenedStore(url, making: Schema(storeSchema: rows.schema))
    let result = try opened.store.apply(
      StoreChanges(inserted: records(rows), editingState: EditingState(author: "storectl import"))
    )
    let count = rows.rows.count
    console.print("Imported \(count) \(count == 1 ? "object" : "objects").")
    if !result.merged.isEmpty {
      console.print("\(result.merged.count) of them had unique values of others and updated these.")
    }
  }

  /// Whether a store of files has its main file.
  private static func isThere(_ url: String) throws -> Bool {
    FileManager.default.fileExists(atPath: try StoreURL(url).path)
  }

  /// The rows under temporary identifiers, references included.
  private static func records(_ rows: ImportedRows) -> [DefaultSnapshot] {
    // Where nothing else decides, objects are ordered by their keys: the new ones keep that order.
    let sorted = rows.rows.sorted { ($0.content.key, $0.line) < ($1.content.key, $1.line) }
    let identifiers = sorted.map { temporary(of: $0.content.entity) }
    let places = Dictionary(
      zip(sorted.map { Place($0.content) }, identifiers),
      uniquingKeysWith: { first, _ in first }
    )
    return zip(sorted, identifiers).map { row, identifier in
      let entity = row.content.entity
      var values = entity.properties.map { property in
        property.isToMany && !property.isDerivedToMany ? StoreValue.identifiers([]) : .null
      }
      for (index, content) in row.content.values {
        values[index] = value(content, of: entity.properties[index], rows.schema, places)
      }
      return DefaultSnapshot(persistentIdentifier: identifier, entity: entity, values: values)
    }
  }

  /// A row by the root of its entity and its key.
  private struct Place: Hashable {
    let root: String
    let key: Int64

    init(root: String, key: Int64) { (self.root, self.key) = (root, key) }

    init(_ row: RowText.Row) { self.init(root: row.entity.root, key: row.key) }
  }

  private static func temporary(of entity: StoreEntity) -> PersistentIdentifier {
    PersistentIdentifier(
      scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: entity.name),
      key: .temporary(PersistentIdentifier.nextTemporaryNumber())
    )
  }

  private static func value(
    _ content: RowText.Content,
    of property: StoreProperty,
    _ schema: StoreSchema,
    _ places: [Place: PersistentIdentifier]
  ) -> StoreValue {
    let destination = property.relationship?.destination ?? ""
    let root = schema.entity(named: destination)?.root ?? destination
    switch content {
    case .value(let value): return value
    case .key(let key):
      return places[Place(root: root, key: key)].map(StoreValue.identifier) ?? .null
    case .keys(let keys):
      return .identifiers(keys.compactMap { places[Place(root: root, key: $0)] })
    }
  }
}
