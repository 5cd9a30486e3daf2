import ModelRuntime
import StoreProtocol

/// An object that this context and another save both changed.
public struct MergeConflict: Sendable {
  /// The kind of the two changes.
  public enum Kind: String, Sendable {
    /// Both changed the object.
    case changedOnBothSides
    /// The object was changed here, and its row no longer exists.
    case deletedThere
    /// The object was deleted here, and its row was changed.
    case deletedHere
  }

  /// A property of the object, its values in their stored form.
  public struct Property: Sendable {
    /// The property's name.
    public let name: String
    /// The value before the changes, or `nil` if it was not loaded.
    public let base: StoreValue?
    /// The value that this context is to store, or `nil` if it was not loaded or the object is
    /// deleted.
    public let mine: StoreValue?
    /// The stored value, or `nil` if the row no longer exists or the value was not read.
    public let theirs: StoreValue?
    /// Whether this context set the property.
    public let isChangedHere: Bool
    /// Whether the stored value differs from the base.
    public let isChangedThere: Bool
  }

  /// The object.
  public let identifier: PersistentIdentifier
  /// The kind of the two changes.
  public let kind: Kind
  /// The properties of the object in the order of its entity.
  ///
  /// Properties that are not stored, and those that the rows of related objects determine, are left
  /// out.
  public let properties: [Property]

  /// The name of the object's entity.
  public var entity: String { identifier.entityName }

  /// The property with a name.
  public subscript(name: String) -> Property? { properties.first { $0.name == name } }

  /// The values of an attribute, or `nil` for a key path that is not of the object.
  public subscript<T: PersistentModel, Value>(
    keyPath: KeyPath<T, Value>
  ) -> MergeValues<Value>? {
    guard let name = ModelLayout.of(T.self).propertyName(of: keyPath), let property = self[name]
    else { return nil }
    let reader = ColumnReader<Value>()
    return MergeValues(
      base: property.base.flatMap(reader.value(of:)),
      mine: property.mine.flatMap(reader.value(of:)),
      theirs: property.theirs.flatMap(reader.value(of:))
    )
  }
}

/// The three values of an attribute in a conflict.
public struct MergeValues<Value> {
  /// The value before the changes, or `nil` if it was not loaded.
  public let base: Value?
  /// The value that this context is to store, or `nil` if the object is deleted here.
  public let mine: Value?
  /// The stored value, or `nil` if the row no longer exists.
  public let theirs: Value?
}

extension MergeValues: Sendable where Value: Sendable {}

extension MergeConflict: CustomStringConvertible {
  /// The object with the names of the properties that were changed, and no values.
  public var description: String {
    func names(_ isIncluded: (Property) -> Bool) -> String {
      let names = properties.filter(isIncluded).map(\.name)
      return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }
    return switch kind {
    case .changedOnBothSides:
      "\(identifier): \(names(\.isChangedHere)) changed here, \(names(\.isChangedThere)) there"
    case .deletedThere: "\(identifier): \(names(\.isChangedHere)) changed here, deleted there"
    case .deletedHere: "\(identifier): deleted here, \(names(\.isChangedThere)) changed there"
    }
  }
}

/// The conflicts of a save, as the cause of its error.
struct MergeConflicts: Error, CustomStringConvertible {
  let conflicts: [MergeConflict]

  var description: String { conflicts.map(\.description).joined(separator: "; ") }

  /// The error of a save that was refused.
  var error: DataStoreError {
    let first = conflicts.first
    let isGone = first?.kind == .deletedThere
    let others = conflicts.count > 1 ? " and \(conflicts.count - 1) others" : ""
    let object = first.map { "\($0.identifier)" } ?? "an object"
    return DataStoreError(
      .conflict,
      isGone
        ? "\(object)\(others) was deleted by another save, and nothing was saved; roll back or "
          + "refresh the object"
        : "another save changed \(object)\(others) first, and nothing was saved; refresh the object "
          + "and change it again, or set a merge policy",
      entity: first?.entity,
      property: first?.properties.first { $0.isChangedHere && $0.isChangedThere }?.name,
      cause: self
    )
  }
}

extension DataStoreError {
  /// The objects that another save changed or deleted first, with their values.
  ///
  /// It is empty for errors of other kinds.
  public var mergeConflicts: [MergeConflict] { (cause as? MergeConflicts)?.conflicts ?? [] }
}
