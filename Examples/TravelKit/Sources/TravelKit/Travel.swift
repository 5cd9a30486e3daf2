import ModelLayer

/// What the library does with journeys, in a store that its user chooses.
///
/// ```swift
/// let container = try ModelContainer(for: Schema(Travel.models + [Receipt.self]), store: "sqlite:log.db")
/// let travel = Travel(container)
/// ```
public struct Travel: Sendable {
  /// The models of the library, to be part of the schema of a container.
  public static var models: [any PersistentModel.Type] { [Journey.self, Leg.self] }

  private let container: ModelContainer

  /// Takes a container whose schema has the library's models, alone or among others.
  ///
  /// - Throws: `DataStoreError.schemaMismatch` where one of them is missing.
  public init(_ container: ModelContainer) throws {
    for model in Schema(Self.models).entities
    where container.schema.entitiesByName[model.name] == nil {
      throw DataStoreError(
        .schemaMismatch,
        "the container lacks a model of TravelKit; make its schema with Travel.models",
        entity: model.name
      )
    }
    self.container = container
  }

  /// Adds a leg at the end of a journey, which is made where there is none of that name.
  ///
  /// - Returns: A copy of the journey with its legs.
  /// - Throws: What the store throws.
  @discardableResult
  public func add(
    to name: String,
    from origin: String,
    to destination: String,
    length: Double
  ) throws -> ModelSnapshot<Journey> {
    let context = ModelContext(container)
    let journey = try find(name, in: context) ?? Journey(name: name)
    context.insert(journey)
    journey.legs.append(Leg(from: origin, to: destination, length: length))
    try context.save()
    return try journey.snapshot(including: \.legs)
  }

  /// The journeys that are at least as long as a number of kilometres, by name.
  ///
  /// - Throws: What the store throws.
  public func journeys(atLeast length: Double = 0) throws -> [ModelSnapshot<Journey>] {
    let descriptor = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.name)])
    return try ModelContext(container).fetch(descriptor)
      .filter { $0.length >= length }
      .map { try $0.snapshot(including: \.legs) }
  }

  private func find(_ name: String, in context: ModelContext) throws -> Journey? {
    try context.fetch(FetchDescriptor<Journey>(predicate: #Predicate { $0.name == name })).first
  }
}
