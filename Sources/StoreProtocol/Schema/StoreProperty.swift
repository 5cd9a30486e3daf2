/// A property as stores see it: an attribute, a to-one relationship, or a to-many relationship.
public struct StoreProperty: Codable, Equatable, Sendable {
  /// The kinds of properties.
  public enum Kind: Codable, Hashable, Sendable {
    /// A value of a type.
    case attribute(AttributeType)
    /// A reference to one object.
    case toOne(StoreRelationship)
    /// References to many objects, in order.
    case toMany(StoreRelationship)
  }

  /// The property's name, unique in its entity.
  public let name: String
  /// The name in the previous schema, for a rename.
  package let originalName: String
  /// The kind of this property.
  public let kind: Kind
  /// Whether the value may be absent.
  public let isOptional: Bool
  /// Whether the values are unique among the objects of the entity.
  package let isUnique: Bool
  /// The names of the attribute's other options, such as `preserveValueOnDeletion`.
  public let options: [String]
  /// The initial value in the declaration, for rows that were stored before the property existed.
  ///
  /// It is not stored with the schema and is not compared, because a declaration such as `UUID()`
  /// returns another value each time: a migration then gives each row its own.
  package private(set) var defaultValue: StoreValue?

  /// The expression in the declaration for the initial value.
  private var expression: InitialValue?

  private enum CodingKeys: String, CodingKey {
    case name, originalName, kind, isOptional, isUnique, options
  }

  /// Creates a property.
  package init(
    name: String,
    originalName: String? = nil,
    kind: Kind,
    isOptional: Bool = false,
    isUnique: Bool = false,
    options: [String] = [],
    defaultValue: StoreValue? = nil
  ) {
    self.name = name
    self.originalName = originalName ?? name
    self.kind = kind
    self.isOptional = isOptional
    self.isUnique = isUnique
    self.options = options
    self.defaultValue = defaultValue
  }

  /// Creates an attribute whose declaration has an expression for its initial value.
  package init(
    name: String,
    originalName: String?,
    type: AttributeType,
    isOptional: Bool,
    isUnique: Bool,
    options: [String],
    initialValue: InitialValue?
  ) {
    self.init(
      name: name,
      originalName: originalName,
      kind: .attribute(type),
      isOptional: isOptional,
      isUnique: isUnique,
      options: options,
      defaultValue: initialValue?()
    )
    if defaultValue != nil { expression = initialValue }
  }

  /// Returns the initial value of each row, or `nil` if all rows get the same one.
  ///
  /// No literal is a UUID or a date. Other expressions count as literals if they return the same value
  /// many times: two values of `Bool.random()` are equal every other time. Evaluating it so often is
  /// too slow for each opening, so that only migrations ask.
  package func makeInitialValue() -> InitialValue? {
    guard let expression, case .attribute(let type) = kind else { return nil }
    let mayDiffer =
      type == .uuid || type == .date
      || (0..<Self.evaluations).contains { _ in expression() != defaultValue }
    return mayDiffer ? expression : nil
  }

  private static let evaluations = 1_000

  /// Returns the property with other rules.
  func with(isOptional: Bool, isUnique: Bool) -> StoreProperty {
    var made = StoreProperty(
      name: name,
      originalName: originalName,
      kind: kind,
      isOptional: isOptional,
      isUnique: isUnique,
      options: options,
      defaultValue: defaultValue
    )
    made.expression = expression
    return made
  }

  /// The options that determine the form or the rules of the stored values.
  ///
  /// `codable` does neither: attributes of other types are stored in encoded form in any case.
  var formOptions: [String] { options.filter { $0 != "codable" } }

  /// Compares all members except the default value and the option `codable`.
  public static func == (lhs: StoreProperty, rhs: StoreProperty) -> Bool {
    lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.kind == rhs.kind
      && lhs.isOptional == rhs.isOptional && lhs.isUnique == rhs.isUnique
      && lhs.formOptions == rhs.formOptions
  }

  /// The attribute's type, or `nil` for a relationship.
  package var attributeType: AttributeType? {
    if case .attribute(let type) = kind { return type }
    return nil
  }

  /// The relationship, or `nil` for an attribute.
  public var relationship: StoreRelationship? {
    switch kind {
    case .attribute: nil
    case .toOne(let relationship), .toMany(let relationship): relationship
    }
  }

  /// Whether this is a to-one relationship.
  package var isToOne: Bool {
    if case .toOne = kind { return true }
    return false
  }

  /// Whether this is a to-many relationship.
  public var isToMany: Bool {
    if case .toMany = kind { return true }
    return false
  }

  /// Whether changes are tracked but never stored; an entity has no such property.
  var isEphemeral: Bool { options.contains("ephemeral") }

  /// Whether the value may be stored beside the store instead of in the row.
  package var isExternal: Bool { options.contains("externalStorage") }
}

/// The expression of an initial value in a declaration, such as `UUID()`.
// Unchecked: the closure is not marked Sendable. It contains an expression of a declaration, which
// captures nothing.
package struct InitialValue: @unchecked Sendable {
  private let make: () -> StoreValue?

  /// Creates the value of a closure that captures nothing.
  package init(_ make: @escaping () -> StoreValue?) { self.make = make }

  /// Evaluates the expression.
  package func callAsFunction() -> StoreValue? { make() }
}

/// The destination, the inverse and the delete rule of a relationship.
public struct StoreRelationship: Codable, Hashable, Sendable {
  /// The name of the destination entity, which includes rows of its subentities.
  public let destination: String
  /// The name of the inverse property of the destination, or `nil` if there is none.
  public let inverse: String?
  /// Whether the inverse is a to-one relationship.
  package let inverseIsToOne: Bool
  /// The name of the delete rule.
  public let deleteRule: String

  /// Creates a relationship.
  package init(
    destination: String,
    inverse: String? = nil,
    inverseIsToOne: Bool = false,
    deleteRule: String = "nullify"
  ) {
    self.destination = destination
    self.inverse = inverse
    self.inverseIsToOne = inverseIsToOne
    self.deleteRule = deleteRule
  }
}

extension StoreProperty {
  /// Whether the related objects of this to-many relationship are determined by the destination's
  /// rows.
  ///
  /// Then the related objects are the rows whose inverse refers to the owner; the value stored at
  /// this end contains only their order. See `RecordStore`.
  public var isDerivedToMany: Bool {
    guard case .toMany(let relationship) = kind else { return false }
    return relationship.inverse != nil && relationship.inverseIsToOne
  }

  /// Whether the rows at both ends store the relationship: one-to-one and many-to-many.
  package var isKeptByBothEnds: Bool {
    switch kind {
    case .toOne(let relationship): relationship.inverse != nil && relationship.inverseIsToOne
    case .toMany(let relationship): relationship.inverse != nil && !relationship.inverseIsToOne
    case .attribute: false
    }
  }
}
