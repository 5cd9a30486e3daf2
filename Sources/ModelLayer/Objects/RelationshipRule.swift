import ModelRuntime
import StoreProtocol

/// The requirements of a relationship before a save.
struct RelationshipRule {
  /// The index of the relationship.
  let index: Int
  /// Whether it must refer to an object.
  let isRequired: Bool
  /// The smallest allowed number of objects.
  let least: Int
  /// The largest allowed number of objects, or 0 for any number.
  let most: Int

  /// Whether the number of objects matters.
  var isLimited: Bool { least > 0 || most > 0 }

  /// Creates the rule from the declaration of a relationship.
  init(_ property: StoreProperty, _ declared: ModelLayout.Property, index: Int) {
    self.index = index
    isRequired = property.isToOne && !property.isOptional
    let declared = declared.metadata.metadata as? Schema.Relationship
    least = declared?.minimumModelCount ?? 0
    most = declared?.maximumModelCount ?? 0
  }
}
