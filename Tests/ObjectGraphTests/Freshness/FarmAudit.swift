import OpenSwiftData

/// What a save must do to objects that are related to those that it deletes, whoever stored them.
struct FarmAudit {
  /// The stored animals of deleted farmers, which go with them.
  private var animals: [PersistentIdentifier] = []
  /// A stored debt because of which a deletion must be refused.
  private var debt: PersistentIdentifier?

  /// Looks at what a context is about to delete.
  init(of context: ModelContext, beside fresh: ModelContext) throws {
    let deleted = Set(
      context.deletedModelsArray.filter { $0 is Farmer && !$0.persistentModelID.isTemporary }
        .map(\.persistentModelID)
    )
    guard !deleted.isEmpty else { return }
    for farmer in try fresh.all(Farmer.self) where deleted.contains(farmer.persistentModelID) {
      animals += farmer.animals.filter { !Self.isChanged($0, in: context) }
        .map(\.persistentModelID)
      debt = debt ?? farmer.debts.first { !Self.isChanged($0, in: context) }?.persistentModelID
    }
  }

  /// Whether the context has itself changed or deleted what is stored.
  private static func isChanged(_ model: any PersistentModel, in context: ModelContext) -> Bool {
    context.registered(model)?.hasChanges ?? false
  }

  /// Looks at what is stored after the save.
  func check(after fresh: ModelContext) throws {
    if let debt { throw Difference("a farmer was deleted in spite of \(debt)") }
    let left = Set(try fresh.all(Animal.self).map(\.persistentModelID)).intersection(animals)
    if let animal = left.first { throw Difference("\(animal) of a deleted farmer is left") }
  }

  /// Checks that both ends of the stored relationships agree.
  static func check(_ fresh: ModelContext) throws {
    for stall in try fresh.all(Stall.self) {
      if let farmer = stall.farmer, farmer.stall !== stall {
        throw Difference("\(stall.persistentModelID) refers to a farmer who has another")
      }
    }
    for farmer in try fresh.all(Farmer.self) {
      if let stall = farmer.stall, stall.farmer !== farmer {
        throw Difference("\(farmer.persistentModelID) refers to a stall that has another")
      }
      for medal in farmer.medals where !medal.farmers.contains(where: { $0 === farmer }) {
        throw Difference("\(medal.persistentModelID) lacks \(farmer.persistentModelID)")
      }
    }
    for medal in try fresh.all(Medal.self) {
      for farmer in medal.farmers where !farmer.medals.contains(where: { $0 === medal }) {
        throw Difference("\(farmer.persistentModelID) lacks \(medal.persistentModelID)")
      }
    }
  }
}
