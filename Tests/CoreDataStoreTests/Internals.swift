import CoreDataFiles
import OpenSwiftData

@testable import CoreDataStore

/// What several tests need to know that the store's interface does not offer.
extension CoreDataStore {
  /// The rows that statements have returned since the store opened.
  var rowsRead: Int { content.rowsRead }

  /// The model of the file.
  var model: ManagedModel { content.model }

  /// The model that the schema and the tables result in.
  var modelOfSchema: ManagedModel { ManagedModel(content.schema, content.tables) }

  /// The name of an attribute's column in a table that several entities share.
  static func column(
    of attribute: Int,
    in entity: ManagedModel.Entity,
    among entities: [(ManagedModel.Entity, Int64)]
  ) -> String? {
    let names = ColumnNames(entities)
    guard case .column(let name) = names.columns(of: entity.attributes[attribute], in: entity.name)
    else { return nil }
    return name
  }
}
