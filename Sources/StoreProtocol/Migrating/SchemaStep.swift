/// One step from a schema to another: what changes, where, and what it takes.
public struct SchemaStep: Hashable, Sendable, CustomStringConvertible {
  /// What a step takes.
  public enum Effort: Hashable, Sendable {
    /// It can always be done, whatever is stored.
    case always
    /// It is done where the rows allow it; the sentence says what must hold for them.
    case ifRowsAllow(String)
    /// It cannot be inferred; the sentence says why. A custom stage brings the values over.
    case needsCode(String)
  }

  /// What a step changes.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An entity comes or goes, or inherits from another.
    case entityAdded, entityRemoved, superentityChanged
    /// A property comes, goes, has another name, or is declared by an entity above.
    case propertyAdded, propertyRemoved, propertyRenamed, propertyMoved
    /// The values of a property are of another type, or may be or must not be absent.
    case typeChanged, madeRequired, madeOptional
    /// A relationship leads to another entity, to one or to many, or has another inverse or rule.
    case destinationChanged, cardinalityChanged, inverseChanged, deleteRuleChanged
    /// An option of an attribute comes or goes.
    case optionsChanged
    /// A uniqueness constraint or an index comes or goes.
    case constraintAdded, constraintRemoved, indexAdded, indexRemoved
  }

  /// What changes.
  public let kind: Kind
  /// The entity, by its name in the newer schema where it has one.
  public let entity: String
  /// The property, by its name in the newer schema where it has one.
  public let property: String?
  /// What changes, as a sentence without its place and its end.
  public let change: String
  /// What it takes.
  public let effort: Effort

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

  /// The place, the change, and what it takes: `Trip.name: renamed from title`.
  public var description: String {
    let place = property.map { "\(entity).\($0)" } ?? entity
    switch effort {
    case .always: return "\(place): \(change)"
    case .ifRowsAllow(let condition): return "\(place): \(change), where \(condition)"
    case .needsCode(let reason): return "\(place): \(change), which needs a custom stage: \(reason)"
    }
  }
}
