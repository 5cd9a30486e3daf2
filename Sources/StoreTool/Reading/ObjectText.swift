import CommandLineSupport
import JSONFileStore
import OpenSwiftData

/// Objects as JSON.
enum ObjectText {
  /// Returns the object on one line, without a line break: all properties, or those of some
  /// columns.
  static func line(_ object: StoredObject, columns: [StoreProperty]? = nil) -> String {
    let indices =
      columns?.compactMap { object.entity.indexByName[$0.name] }
      ?? Array(object.values.indices)
    let values = indices.map { (index: $0, value: object.values[$0]) }
    return RowText.line(of: object.identifier, object.entity, values).visibleJSON
  }
}
