import OpenSwiftData
import RowChanges

/// All problems of a store, and the fixes of those that have only one.
struct StoreCheck {
  /// A value to write, and the reason.
  struct Repair {
    let identifier: PersistentIdentifier
    let index: Int
    let value: StoreValue
    let description: String
  }

  private(set) var problems: [StoreProblem] = []
  private(set) var repairs: [Repair] = []

  private let opened: OpenedStore
  private var schema: StoreSchema { opened.store.schema.storeSchema }

  /// Checks everything.
  ///
  /// - Throws: Errors of reading if the store cannot be read completely.
  init(_ opened: OpenedStore) throws {
    self.opened = opened
    if let store = opened.store as? any MaintainableStore { problems = try store.verify() }
    var relationships = try RelationshipCheck(opened)
    try relationships.run()
    func key(_ problem: StoreProblem) -> PropertyKey {
      PropertyKey(identifier: problem.identifier, property: problem.property)
    }
    let reported = Set(problems.map(key))
    repairs = relationships.repairs
    problems += relationships.problems.filter { !reported.contains(key($0)) }
    if opened.store.capabilities.uniqueness != .native {
      problems += try UniquenessCheck.problems(opened)
    }
    try repairLists(of: reported)
  }

  private struct PropertyKey: Hashable {
    let identifier: PersistentIdentifier?
    let property: String?
  }

  /// Repairs relationships whose lost references the store itself skips: the elements that it reads
  /// are written back.
  private mutating func repairLists(of reported: Set<PropertyKey>) throws {
    let repaired = Set(repairs.map { "\($0.identifier).\($0.index)" })
    for key in reported {
      guard let identifier = key.identifier, let name = key.property,
        let entity = schema.entity(named: identifier.entityName),
        let index = entity.indexByName[name], !repaired.contains("\(identifier).\(index)"),
        entity.properties[index].canLoseObjects,
        let object = try opened.object(identifier)
      else { continue }
      repairs.append(
        Repair(
          identifier: identifier,
          index: index,
          value: object.values[index],
          description: "\(identifier).\(name): references to missing objects are removed"
        )
      )
    }
    repairs.sort { ($0.identifier, $0.index) < ($1.identifier, $1.index) }
  }
}

extension StoreProperty {
  /// Whether the property is a relationship that does not require an object.
  var canLoseObjects: Bool { relationship != nil && (isToMany || isOptional) }
}

/// Finds duplicates of unique values, in stores that do not enforce uniqueness.
enum UniquenessCheck {
  static func problems(_ opened: OpenedStore) throws -> [StoreProblem] {
    var problems: [StoreProblem] = []
    let schema = opened.store.schema.storeSchema
    for entity in opened.entities {
      for constraint in schema.constraints(of: entity) where constraint.entity == entity.name {
        var owners: [UniqueValues: PersistentIdentifier] = [:]
        let names = constraint.properties
        let wanted = WantedProperties(names: Set(names), readsFiles: true)
        try opened.forEachObject(StoreQuery(entity: entity.name), wanted) { object in
          guard let values = object.uniqueValues(of: constraint),
            let other = owners.updateValue(object.identifier, forKey: values)
          else { return }
          let properties = names.joined(separator: ", ")
          problems.append(
            StoreProblem(
              "\(other) has the same unique \(properties)",
              identifier: object.identifier,
              property: names.count == 1 ? properties : nil
            )
          )
        }
      }
    }
    return problems
  }
}
