import Foundation
import OpenSwiftData

/// What else a program does with a store while it works.
enum Circumstance: String, CaseIterable {
  case none, observed, elsewhere, versions, undo, values, crowded

  /// The models that the circumstance needs.
  var types: [any PersistentModel.Type] { self == .crowded ? [Bystander.self] : [] }

  /// Prepares a context, and returns what must exist while it works.
  func begin<M: RoadModel>(_ type: M.Type, _ context: ModelContext) throws -> [AnyObject] {
    switch self {
    case .none, .values: return []
    case .observed: return [try ResultsObserver(Self.some(type), in: context)]
    case .elsewhere:
      return [try ResultsObserver(Self.some(type), in: ModelContext(context.container))]
    case .versions: context.mergePolicy = .error
    case .undo: context.undoManager = UndoManager()
    case .crowded:
      for number in 0..<10_000 { context.insert(Bystander(number)) }
      try context.save()
      return try context.fetch(FetchDescriptor<Bystander>())
    }
    return []
  }

  /// Few objects, so that the observer and not its results cost the time.
  private static func some<M: RoadModel>(_ type: M.Type) -> FetchDescriptor<M> {
    FetchDescriptor(predicate: M.hasCode(7.code))
  }
}

extension ResultsObserver where SectionTitle == Never {
  fileprivate convenience init(_ some: FetchDescriptor<Element>, in context: ModelContext) throws {
    try self.init(fetchDescriptor: some, modelContext: context)
  }
}

/// An object of the circumstance that a context has many others.
@Model
final class Bystander {
  var number: Int

  init(_ number: Int) { self.number = number }
}
