/// One step from a schema to another: the change, its location, and its requirements.
package struct SchemaStep: Hashable, Sendable, CustomStringConvertible {
  /// The requirements of a step.
  enum Effort: Hashable, Sendable {
    /// The step is always possible.
    case always
    /// The step is possible if the rows satisfy the condition in the string.
    case ifRowsAllow(String)
    /// The step cannot be inferred, for the reason in the string.
    ///
    /// A custom stage must convert the values.
    case needsCode(String)
  }

  /// The kind of change.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An entity is added, removed, or inherits from another entity.
    case entityAdded, entityRemoved, superentityChanged
    /// A property is added, removed, renamed, or declared by a superentity.
    case propertyAdded, propertyRemoved, propertyRenamed, propertyMoved
    /// The values of a property have another type, become required, or become optional.
    case typeChanged, madeRequired, madeOptional
    /// A relationship refers to another entity, changes between to-one and to-many, or has another
    /// inverse or delete rule.
    case destinationChanged, cardinalityChanged, inverseChanged, deleteRuleChanged
    /// An option of an attribute is added or removed.
    case optionsChanged
    /// A uniqueness constraint or an index is added or removed.
    case constraintAdded, constraintRemoved, indexAdded, indexRemoved
  }

  /// The kind of change.
  package let kind: Kind
  /// The entity, by its name in the newer schema if it has one.
  package let entity: String
  /// The property, by its name in the newer schema if it has one.
  package let property: String?
  /// The change, as a sentence without the location and the period.
  let change: String
  /// The requirements of the step.
  let effort: Effort

  init(
    _ kind: Kind,
    _ entity: String,
    _ property: String? = nil,
    _ change: String,
    _ effort: Effort = .always
  ) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.change = change
    self.effort = effort
  }

  /// The location, the change and the requirements, such as `Trip.name: renamed from title`.
  package var description: String { description(of: change) }

  /// The description of a step that was refused: what it would do.
  var refusedDescription: String {
    switch kind {
    case .entityAdded, .entityRemoved, .propertyAdded, .propertyRemoved, .propertyRenamed,
      .propertyMoved:
      description(of: "would be \(change)")
    default: description
    }
  }

  private func description(of change: String) -> String {
    let qualifiedName = property.map { "\(entity).\($0)" } ?? entity
    switch effort {
    case .always: return "\(qualifiedName): \(change)"
    case .ifRowsAllow(let condition): return "\(qualifiedName): \(change), if \(condition)"
    case .needsCode(let reason):
      return "\(qualifiedName): \(change), which needs a custom stage: \(reason)"
    }
  }
}
