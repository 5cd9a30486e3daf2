import Foundation
import OpenSwiftData

/// A run of a random program of bulk changes on one store.
final class HarborRun {
  private let container: ModelContainer
  /// Whether the contexts have all objects in memory.
  private let isRegistered: Bool
  private var contexts: [ModelContext] = []
  private var objects: [[any PersistentModel]] = []

  /// Creates a run of two contexts, the second of which may have a container of its own.
  init(_ container: ModelContainer, _ other: ModelContainer? = nil, isRegistered: Bool) throws {
    self.container = container
    self.isRegistered = isRegistered
    for store in container.stores { try (store as? any RecordStore)?.erase() }
    try fill()
    for number in 0..<2 {
      contexts.append(ModelContext(number == 1 ? other ?? container : container))
      objects.append([])
      try register(number)
    }
  }

  private func fill() throws {
    let context = ModelContext(container)
    let quays = (1...HarborProgram.population).map(Quay.init)
    for (index, quay) in quays.enumerated() {
      let number = index + 1
      context.insert(quay)
      // Some have nothing that forbids their deletion, and some have several of a kind.
      let bale = Bale(number, quays[index / 2])
      context.insert(bale)
      if number > 2 { context.insert(Warden(number, quays[number % 2])) }
      if number == 2 { context.insert(Mooring(number, quays[3])) }
      if number > 3 { context.insert(Permit(number, quays[1])) }
      if number == 1 { context.insert(Tally(number, bale)) }
      let beacon = Beacon(number)
      context.insert(beacon)
      beacon.quays = Array(quays[..<index])
    }
    try context.save()
    for kind in HarborKind.allCases { try setWeights(of: kind.type, in: context) }
    try context.save()
  }

  private func setWeights<T: HarborItem>(of type: T.Type, in context: ModelContext) throws {
    for item in try context.fetch(FetchDescriptor<T>()) { item.weight = item.number * 2 }
  }

  private func register(_ number: Int) throws {
    guard isRegistered else { return }
    objects[number] = try HarborKind.allCases.flatMap { try all($0.type, in: contexts[number]) }
  }

  private func all<T: HarborItem>(
    _ type: T.Type,
    in context: ModelContext
  ) throws -> [any PersistentModel] {
    try context.fetch(FetchDescriptor<T>())
  }

  /// Performs a step, and returns what comes of it.
  func perform(_ step: HarborStep) throws -> String {
    let context = contexts[step.context]
    switch step.action {
    case .rollback:
      context.rollback()
      try register(step.context)
      return ""
    case .save:
      let outcome: String
      do {
        try context.save()
        outcome = "saved"
      } catch {
        outcome = "refused"
        context.rollback()
      }
      try register(step.context)
      return "\(outcome)\n\(try contents())"
    default: return try change(step.action, in: context)
    }
  }

  private func change(_ action: HarborStep.Action, in context: ModelContext) throws -> String {
    switch action {
    case .delete(let kind, let condition): try delete(kind.type, condition, context)
    case .update(let kind, let condition, let weight, let adds):
      return "\(try update(kind.type, condition, weight, adds: adds, context))"
    case .count(let kind): return "\(try count(kind.type, context))"
    case .add(let kind, let number, let place): try add(kind, number, place, context)
    case .remove(let kind, let number):
      if let item = try find(kind.type, number, context) { erase(item, context) }
    case .weigh(let kind, let number, let weight):
      if let item = try find(kind.type, number, context) { item.weight = weight }
    case .move(let kind, let number, let place): try move(kind, number, place, context)
    case .rollback, .save: break
    }
    return ""
  }

  private func delete<T: HarborItem>(
    _ type: T.Type,
    _ condition: HarborCondition,
    _ context: ModelContext
  ) throws {
    try context.delete(model: type, where: T.predicate(condition))
  }

  private func update<T: HarborItem>(
    _ type: T.Type,
    _ condition: HarborCondition,
    _ weight: Int,
    adds: Bool,
    _ context: ModelContext
  ) throws -> Int {
    // Key paths of concrete types only have names of properties.
    func set<Item: HarborItem>(
      _ path: ReferenceWritableKeyPath<Item, Int>,
      _ sum: Expression<Item, Int>
    ) throws -> Int {
      try context.update(
        model: Item.self,
        where: Item.predicate(condition),
        set: adds ? .set(path, to: sum) : .set(path, to: weight)
      )
    }
    switch type {
    case is Quay.Type: return try set(\Quay.weight, #Expression { $0.weight + weight })
    case is Bale.Type: return try set(\Bale.weight, #Expression { $0.weight + weight })
    case is Warden.Type: return try set(\Warden.weight, #Expression { $0.weight + weight })
    case is Mooring.Type: return try set(\Mooring.weight, #Expression { $0.weight + weight })
    case is Permit.Type: return try set(\Permit.weight, #Expression { $0.weight + weight })
    case is Beacon.Type: return try set(\Beacon.weight, #Expression { $0.weight + weight })
    default: return try set(\Tally.weight, #Expression { $0.weight + weight })
    }
  }

  private func count<T: HarborItem>(_ type: T.Type, _ context: ModelContext) throws -> Int {
    try context.fetchCount(FetchDescriptor<T>())
  }

  private func find<T: HarborItem>(
    _ type: T.Type,
    _ number: Int,
    _ context: ModelContext
  ) throws -> T? {
    try context.fetch(FetchDescriptor(predicate: T.predicate(.numbered(number)))).first
  }

  private func erase<T: HarborItem>(_ item: T, _ context: ModelContext) { context.delete(item) }

  private func add(
    _ kind: HarborKind,
    _ number: Int,
    _ place: Int,
    _ context: ModelContext
  ) throws {
    let quay = try find(Quay.self, place, context)
    switch kind {
    case .quay: context.insert(Quay(number))
    case .bale: context.insert(Bale(number, quay))
    case .warden: if let quay { context.insert(Warden(number, quay)) }
    case .mooring: if let quay { context.insert(Mooring(number, quay)) }
    case .permit: context.insert(Permit(number, quay))
    case .beacon:
      let beacon = Beacon(number)
      context.insert(beacon)
      if let quay { beacon.quays = [quay] }
    case .tally:
      if let bale = try find(Bale.self, place, context) { context.insert(Tally(number, bale)) }
    }
  }

  private func move(
    _ kind: HarborKind,
    _ number: Int,
    _ place: Int,
    _ context: ModelContext
  ) throws {
    let quay = try find(Quay.self, place, context)
    switch try find(kind.type, number, context) {
    case let bale as Bale: bale.quay = quay
    case let permit as Permit: permit.quay = quay
    case let mooring as Mooring: if let quay { mooring.quay = quay }
    case let warden as Warden: if let quay { warden.quay = quay }
    case let beacon as Beacon:
      if let quay, !beacon.quays.contains(quay) { beacon.quays.append(quay) }
    case let tally as Tally:
      if let bale = try find(Bale.self, place, context) { tally.bale = bale }
    default: break
    }
  }

  /// The rows of the store, by the numbers of the objects.
  private func contents() throws -> String {
    guard let store = container.stores.first as? any RecordStore else { return "no store" }
    let rows = try HarborKind.allCases.flatMap { kind in
      try store.fetch(StoreQuery(entity: kind.rawValue.capitalized))
    }
    var names: [PersistentIdentifier.Key: String] = [:]
    for row in rows {
      names[row.persistentIdentifier.key] = "\(row.persistentIdentifier.entityName) \(number(row))"
    }
    return rows.map { row in
      let values = row.names.names.enumerated().compactMap { index, name -> String? in
        guard name != "number", !["bales", "wardens", "moorings", "permits"].contains(name) else {
          return nil
        }
        let value = row.values[index]
        if case .integer(let integer) = value { return "\(name) \(integer)" }
        let others = value.identifiers.map { names[$0.key] ?? "missing" }.sorted()
        return others.isEmpty ? nil : "\(name) \(others)"
      }
      return "\(names[row.persistentIdentifier.key] ?? ""): \(values.joined(separator: ", "))"
    }.sorted().joined(separator: "\n")
  }

  private func number(_ row: DefaultSnapshot) -> Int64 {
    if case .integer(let number)? = row["number"] { return number }
    return 0
  }
}
