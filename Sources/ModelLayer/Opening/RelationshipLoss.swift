import ModelRuntime
import StoreProtocol

/// The relationships whose values a change of the structure cannot migrate, so that a stage's code
/// must set them.
struct RelationshipLoss {
  private struct Lost {
    let entity: String
    let property: String
    let count: Int
    let example: PersistentIdentifier?
  }

  private let difference: SchemaDifference
  private var lost: [Lost] = []

  /// Counts the rows that have related objects before the structure changes.
  init(of step: MigrationPath.Step, in configuration: any DataStoreConfiguration) throws {
    difference = SchemaDifference(from: step.old, to: step.new)
    let relationships = difference.obstacles.compactMap { step in
      step.property.flatMap { name in Self.older(name, of: step.entity, difference) }
        .map { (step.entity, step.property ?? "", $0) }
    }
    guard !relationships.isEmpty else { return }
    let core = try Self.core(configuration, step.old)
    for (entity, property, before) in relationships
    where !lost.contains(where: { $0.entity == entity && $0.property == property }) {
      let store = try core.store(keeping: entity)
      var query = Self.related(by: before, entity)
      let count = try store.countRows(of: query)
      query.limit = 1
      let example = try store.rowIdentifiers(of: query).first
      lost.append(Lost(entity: entity, property: property, count: count, example: example))
    }
    lost.removeAll { $0.count == 0 }
  }

  /// Checks that the code has set the relationships that the change of the structure emptied.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with a relationship that no row has any more.
  func check(_ configuration: any DataStoreConfiguration) throws {
    guard !lost.isEmpty else { return }
    let core = try Self.core(configuration, difference.new)
    for loss in lost {
      guard
        let property = difference.new.entity(named: loss.entity)?.property(named: loss.property),
        try core.store(keeping: loss.entity).countRows(of: Self.related(by: property, loss.entity))
          == 0
      else { continue }
      let rows = loss.count == 1 ? "1 row has" : "\(loss.count) rows have"
      throw DataStoreError(
        .schemaMismatch,
        "\(rows) related objects before the stage, and no row has any after it; restore them in "
          + "the "
          + "stage's migrate or didMigrate, or remove them in its willMigrate; nothing was "
          + "changed; "
          + difference.sentence,
        entity: loss.entity,
        property: loss.property,
        identifiers: loss.example.map { [$0] } ?? []
      )
    }
  }

  /// Returns the older form of a property that is a relationship in both schemas.
  private static func older(
    _ name: String,
    of entity: String,
    _ difference: SchemaDifference
  ) -> StoreProperty? {
    guard let before = difference.old.entity(named: entity),
      let after = difference.new.entity(named: entity),
      let index = after.properties.firstIndex(where: { $0.name == name }),
      after.properties[index].relationship != nil
    else { return nil }
    let older = PropertyMatch(old: before, new: after).source(of: index)
    return older?.relationship == nil ? nil : older
  }

  /// Returns a query for the rows that have related objects.
  private static func related(by property: StoreProperty, _ entity: String) -> StoreQuery {
    let value = QueryExpression.property(.element(0), property.name)
    let filter: QueryExpression =
      property.isToMany
      ? .not(.aggregate(.isEmpty, value)) : .compare(.notEqual, value, .constant(.null))
    return StoreQuery(entity: entity, filter: filter)
  }

  private static func core(
    _ configuration: any DataStoreConfiguration,
    _ schema: StoreSchema
  ) throws -> ContainerCore {
    try ContainerCore(opening: [configuration], for: Schema(storeSchema: schema))
  }
}
