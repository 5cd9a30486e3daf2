/// A row of the matrix: an operation on a model in a store, in a circumstance.
struct Road {
  let name: String
  /// The row of the plain model that it is compared with, or `nil` for that row itself.
  let plainName: String?
  /// Whether the row is among those of every change.
  let isQuick: Bool
  /// Returns the seconds a unit for a number of objects.
  let seconds: (Int) throws -> Double

  /// All rows: each plain one precedes those that are compared with it.
  static var all: [Road] {
    roads(Plain.self) + roads(Unique.self) + roads(Pair.self) + roads(Indexed.self)
      + roads(Structured.self) + roads(External.self) + roads(Ephemeral.self)
      + roads(Searched.self) + roads(Dog.self) + roads(Book.self) + roads(Exhibit.self)
      + roads(Specimen.self) + roads(Photo.self) + roads(Volume.self)
  }

  private static let quickStores: Set<RoadStore> = [.sqlite, .json, .memory]
  private static let quickModels: Set<String> = [
    Plain.road, Unique.road, Structured.road, Book.road, Specimen.road, Photo.road, Volume.road,
  ]
  private static let quickWork: Set<Operation> = [.insert, .update, .delete, .findOrCreate]

  /// Returns the rows of a model; circumstances only for the plain and the unique one.
  private static func roads<M: RoadModel>(_ type: M.Type) -> [Road] {
    let hasCircumstances = type == Plain.self || type == Unique.self
    let circumstances = hasCircumstances ? Circumstance.allCases : [.none]
    return circumstances.flatMap { circumstance in
      RoadStore.available.flatMap { store in
        Operation.allCases.filter { $0.isPossible(in: store, circumstance) }.map { operation in
          road(type, operation, store, circumstance)
        }
      }
    }
  }

  private static func road<M: RoadModel>(
    _ type: M.Type,
    _ operation: Operation,
    _ store: RoadStore,
    _ circumstance: Circumstance
  ) -> Road {
    func name(_ model: String, _ circumstance: Circumstance) -> String {
      let suffix = circumstance == .none ? "" : " \(circumstance)"
      return "\(store) \(model) \(operation.rawValue)\(suffix)"
    }
    let own = name(M.road, circumstance)
    let plain = name(Plain.road, .none)
    let isQuick =
      circumstance == .none
      ? quickStores.contains(store) && quickModels.contains(M.road)
        || store == .postgres && [Plain.road, Unique.road].contains(M.road) && operation == .insert
      : quickWork.contains(operation) && [.sqlite, .json].contains(store)
    return Road(
      name: own,
      plainName: own == plain ? nil : plain,
      isQuick: isQuick,
      seconds: { try operation.seconds(type, store, circumstance, $0) }
    )
  }
}

extension Operation {
  /// Whether a row is of use: only the JSON store has a journal to recover, and the memory store
  /// examines every row for each search, also those of 10,000 others.
  fileprivate func isPossible(in store: RoadStore, _ circumstance: Circumstance) -> Bool {
    switch self {
    case .recovery: store == .json
    case .findOrCreate: store != .memory || circumstance != .crowded
    default: true
    }
  }
}
