import Foundation
import OpenSwiftData

/// A fetch of the random test, for the program and for the oracle.
enum Question: Hashable {
  case rankAbove(Int, limit: Int?)
  case onShip(Int)
  case withPupils
  case bearing(Int)
  case fast(Int, offset: Int)
  case skippers
  case crewAbove(Int)
  case inPort(Int)
  case rootEntries
  case withLogs

  /// The question as Swift.
  var source: String {
    switch self {
    case .rankAbove(let rank, let limit):
      ".rankAbove(\(rank), limit: \(limit.map(String.init) ?? "nil"))"
    case .onShip(let name): ".onShip(\(name))"
    case .bearing(let word): ".bearing(\(word))"
    case .fast(let knots, let offset): ".fast(\(knots), offset: \(offset))"
    case .crewAbove(let count): ".crewAbove(\(count))"
    case .inPort(let name): ".inPort(\(name))"
    case .withPupils, .skippers, .rootEntries, .withLogs: ".\(self)"
    }
  }

  /// The model that is asked for.
  var kind: Kind {
    switch self {
    case .rankAbove, .onShip, .withPupils, .bearing, .skippers: .seafarer
    case .fast: .deckhand
    case .crewAbove, .inPort: .ship
    case .rootEntries: .log
    case .withLogs: .port
    }
  }
}

// What the program asks.
extension Question {
  /// The results of a context: objects, their count and their identifiers.
  struct Results {
    let models: [any PersistentModel]
    let count: Int
    let identifiers: [PersistentIdentifier]
  }

  /// Asks a context.
  func results(in context: ModelContext) throws -> Results {
    switch self {
    case .rankAbove(let rank, let limit):
      var descriptor = FetchDescriptor<Seafarer>(
        predicate: #Predicate { ($0.rank ?? 0) > rank },
        sortBy: [SortDescriptor(\.wage, order: .reverse)]
      )
      descriptor.fetchLimit = limit
      return try Self.ask(descriptor, context)
    case .fast(let knots, let offset):
      var descriptor = FetchDescriptor<Deckhand>(
        predicate: #Predicate { $0.knots >= knots },
        sortBy: [SortDescriptor(\.knots)]
      )
      descriptor.fetchOffset = offset
      return try Self.ask(descriptor, context)
    case .onShip, .withPupils, .bearing, .skippers:
      return try Self.ask(FetchDescriptor(predicate: seafarers), context)
    case .crewAbove, .inPort:
      return try Self.ask(FetchDescriptor(predicate: ships), context)
    case .rootEntries:
      return try Self.ask(
        FetchDescriptor<LogEntry>(predicate: #Predicate { $0.parent == nil }),
        context
      )
    case .withLogs:
      return try Self.ask(
        FetchDescriptor<Port>(predicate: #Predicate { !$0.logs.isEmpty }),
        context
      )
    }
  }

  /// Deletes what the predicate holds for.
  func delete(in context: ModelContext) throws {
    switch kind {
    case .seafarer: try context.delete(model: Seafarer.self, where: seafarers)
    case .ship: try context.delete(model: Ship.self, where: ships)
    default: break
    }
  }

  /// Whether there is a deletion of what the predicate holds for.
  var deletes: Bool {
    switch self {
    case .onShip, .withPupils, .bearing, .skippers, .crewAbove, .inPort: true
    default: false
    }
  }

  private var seafarers: Predicate<Seafarer> {
    switch self {
    case .onShip(let number):
      let name = Field.name(number)
      return #Predicate { $0.ship?.name == name }
    case .withPupils: return #Predicate { !$0.pupils.isEmpty }
    case .bearing(let number):
      let word = Field.name(number)
      return #Predicate { $0.pennants.contains { $0.word == word } }
    default: return #Predicate { $0 is Skipper }
    }
  }

  private var ships: Predicate<Ship> {
    switch self {
    case .crewAbove(let count): return #Predicate { $0.crew.count > count }
    case .inPort(let number):
      let name = Field.name(number)
      return #Predicate { $0.port.name == name }
    default: return #Predicate { _ in false }
    }
  }

  private static func ask<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ context: ModelContext
  ) throws -> Results {
    Results(
      models: try context.fetch(descriptor),
      count: try context.fetchCount(descriptor),
      identifiers: try context.fetchIdentifiers(descriptor)
    )
  }
}

// The results that the oracle expects.
extension Question {
  /// Whether an object belongs to the result.
  func holds(for object: Int, in oracle: Oracle) -> Bool {
    switch self {
    case .rankAbove(let rank, _):
      let value = oracle.value(.rank, of: object)
      return (value % 4 == 0 ? 0 : value) > rank
    case .fast(let knots, _): return oracle.value(.knots, of: object) >= knots
    case .onShip(let name):
      return oracle.visible(.ship, of: object).first.map { oracle.value(.shipName, of: $0) } == name
    case .withPupils: return !oracle.visible(.pupils, of: object).isEmpty
    case .bearing(let word):
      return oracle.visible(.pennants, of: object).contains { oracle.value(.word, of: $0) == word }
    case .skippers: return oracle.objects[object]?.kind == .skipper
    case .crewAbove(let count): return oracle.visible(.crew, of: object).count > count
    case .inPort(let name):
      return oracle.visible(.port, of: object).first.map { oracle.value(.portName, of: $0) } == name
    case .rootEntries: return oracle.visible(.parent, of: object).isEmpty
    case .withLogs: return !oracle.visible(.logs, of: object).isEmpty
    }
  }

  /// The result among all objects of the model, which are in the order of their keys.
  func result(among candidates: [Int], in oracle: Oracle) -> [Int] {
    let found = candidates.filter { holds(for: $0, in: oracle) }
    switch self {
    case .rankAbove(_, let limit):
      let sorted = stable(found) { oracle.value(.wage, of: $0) > oracle.value(.wage, of: $1) }
      return Array(sorted.prefix(limit ?? sorted.count))
    case .fast(_, let offset):
      let sorted = stable(found) { oracle.value(.knots, of: $0) < oracle.value(.knots, of: $1) }
      return Array(sorted.dropFirst(offset))
    default: return found
    }
  }

  private func stable(_ list: [Int], _ precedes: (Int, Int) -> Bool) -> [Int] {
    list.enumerated().sorted { first, second in
      if precedes(first.element, second.element) { return true }
      if precedes(second.element, first.element) { return false }
      return first.offset < second.offset
    }.map(\.element)
  }
}
