import CommandLineSupport
import OpenSwiftData

/// `storectl export`: writes all objects of a store as lines of JSON.
enum ExportCommand {
  private static let entity = Option(
    "entity",
    value: "NAME",
    "Export only this entity; repeatable.",
    isRepeatable: true
  )
  private static let bare = Option.flag("no-schema", "Omit the first line, the schema.")
  private static let format = Option(
    "format",
    value: "FORM",
    "The format of the output, which import reads; list has other formats.",
    choices: ["ndjson"],
    default: "ndjson"
  )

  static let command = Command(
    "export",
    "Writes all objects as lines of JSON without loss, for import and other programs.",
    discussion: """
      The first line is the schema, each other line an object: its entity ($entity),
      its key ($id), and its values as in a JSON store. References are keys. The
      to-one side of a relationship is always written, the to-many side only if its
      order differs from the order of keys.
      """,
    options: [entity, bare, format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let opened = try OpenedStore(try invocation.required(OpenedStore.argument))
    let named = invocation.texts(entity)
    let entities = try named.isEmpty ? opened.entities : named.map(opened.entity(named:))
    // Every entity is read separately; a save by others in between would make the export
    // inconsistent.
    let watch = try opened.store.watch()
    _ = try watch?.newSaves()
    if !invocation.isSet(bare) {
      let schema = opened.store.schema.storeSchema
      let header = try ExportHeader(schema: schema, nextKey: opened.store.nextKey())
      console.write(try JSONText.line(header))
    }
    for entity in entities {
      let query = StoreQuery(entity: entity.name, includesSubentities: false)
      try opened.forEachObject(query) { console.print(ObjectText.line(exported($0))) }
    }
    if try watch?.newSaves() != nil {
      throw CommandFailure(
        "the store was changed during the export; make a backup with storectl backup and export "
          + "that"
      )
    }
  }

  /// Returns the object without lists that are in the order of their elements' keys.
  private static func exported(_ object: StoredObject) -> StoredObject {
    var object = object
    for (index, property) in object.entity.properties.enumerated() where property.isDerivedToMany {
      guard case .identifiers(let list) = object.values[index] else { continue }
      let isNatural = zip(list, list.dropFirst()).allSatisfy { $0 < $1 }
      if isNatural { object.values[index] = .null }
    }
    return object
  }
}
