/// A managed object model as plain values.
///
/// It is what Core Data's `NSManagedObjectModel` describes: entities with their properties, in the
/// order of their names.
package struct ManagedModel: Hashable, Sendable {
  /// An entity with its own properties; those that it inherits belong to its superentity.
  package struct Entity: Hashable, Sendable {
    package var name: String
    /// The name of the class, or `nil` if it is the entity's.
    package var className: String?
    package var superentity: String?
    /// Whether the entity has no rows of its own.
    package var isAbstract = false
    package var attributes: [Attribute] = []
    package var relationships: [Relationship] = []
    /// The lists of properties whose values are unique together.
    package var uniquenessConstraints: [[String]] = []
    /// The properties of each fetch index; an expression has a name that no property has.
    package var indices: [[String]] = []
    /// The name in the version before, or `nil` if it is the same.
    package var originalName: String?

    package init(name: String) {
      self.name = name
    }
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var type: AttributeType
    package var isOptional = false
    /// Whether the value is never stored.
    package var isTransient = false
    /// Whether the value may be in a file beside the store.
    package var allowsExternalStorage = false
    /// Whether deletions keep the value in the history.
    package var preservesValueOnDeletion = false
    package var defaultValue: ArchivedValue?
    package var transformerName: String?
    /// The elements of a composite.
    package var elements: [Attribute] = []
    /// Whether SwiftData made the composite of an enumeration.
    package var isEnumeration = false
    /// The names of the cases of such an enumeration without raw values.
    package var cases: [String] = []
    package var originalName: String?

    package init(name: String, type: AttributeType) {
      self.name = name
      self.type = type
    }
  }

  /// The type of an attribute, by the numbers of `NSAttributeType`.
  package enum AttributeType: Int, Sendable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100
  }

  package struct Relationship: Hashable, Sendable {
    /// The effect on the other end when an object is deleted, by the numbers of `NSDeleteRule`.
    package enum DeleteRule: Int, Sendable {
      case noAction, nullify, cascade, deny
    }

    package var name: String
    package var destination: String
    package var inverse: String?
    package var isToMany = false
    package var isOrdered = false
    package var isOptional = false
    /// Whether the relationship is never stored.
    package var isTransient = false
    package var minimumCount = 0
    /// The maximum number of objects; 0 means that there is no limit.
    package var maximumCount = 0
    package var deleteRule = DeleteRule.nullify
    package var originalName: String?

    package init(name: String, destination: String) {
      self.name = name
      self.destination = destination
    }
  }

  /// The entities, in the order of their names.
  package var entities: [Entity]
  /// The identifiers that the developer assigned to the version, such as `1.0.0`.
  package var versionIdentifiers: [String]

  package init(entities: [Entity], versionIdentifiers: [String] = []) {
    self.entities = entities.sorted { $0.name < $1.name }
    self.versionIdentifiers = versionIdentifiers
  }

  /// Returns the entity with a name, or `nil` if there is none.
  package func entity(named name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}
