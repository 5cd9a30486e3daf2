import StoreTestSupport

/// One step of a program with several contexts.
///
/// The objects that a step means are picked by numbers among those that its context holds then, so
/// that steps can be left out of a program.
struct FarmStep: Hashable {
  /// What a step does.
  enum Action: String, CaseIterable {
    case farmer, animal, debt, stall, medal
    case name, age, portrait, weight, photo, sum, number, word
    case owner, debtor, occupant, best, addAnimal, removeAnimal, setAnimals, reverseAnimals
    case addMedal, removeMedal, setFarmers, addFavorite, removeFavorite, setFavorites
    case delete, deleteFarmer, deleteWhere, updateWhere, deleteFarmers, updateFarmers
    case save, rollback, fetch, fetchAll, look, read, refresh, refreshAll, undo, redo, reset, evict,
      revert
  }

  /// The context, among those of the program.
  let context: Int
  let action: Action
  /// The numbers that pick objects and values.
  let first: Int
  let second: Int

  init(_ context: Int, _ action: Action, _ first: Int = 0, _ second: Int = 0) {
    self.context = context
    self.action = action
    self.first = first
    self.second = second
  }

  /// Reads a step from the words of ``line``.
  init?(_ words: [Substring]) {
    let numbers = [0, 2, 3].compactMap { words.indices.contains($0) ? Int(words[$0]) : nil }
    guard numbers.count == 3, let action = Action(rawValue: String(words[1])) else { return nil }
    self.init(numbers[0], action, numbers[1], numbers[2])
  }

  /// The step as a line, by which a process asks another one for it.
  var line: String { "\(context) \(action) \(first) \(second)" }

  /// The step as Swift.
  var source: String { ".init(\(context), .\(action), \(first), \(second))" }

  /// Steps that do nearly the same.
  var simpler: [FarmStep] {
    var steps: [FarmStep] = []
    if context > 0 { steps.append(FarmStep(context - 1, action, first, second)) }
    if first > 0 { steps.append(FarmStep(context, action, 0, second)) }
    if second > 0 { steps.append(FarmStep(context, action, first, 0)) }
    if action == .fetchAll {
      steps += FarmKind.allCases.indices.map { FarmStep(context, .fetch, $0) }
    }
    return steps
  }

  private var weight: Int {
    switch action {
    case .save: 60
    case .fetch: 40
    case .fetchAll: 12
    case .owner, .addAnimal, .animal: 14
    case .farmer, .look, .read, .addFavorite, .addMedal, .debtor, .occupant: 8
    case .rollback, .refresh, .delete, .portrait, .photo: 5
    case .undo: 4
    case .refreshAll, .redo, .reset, .evict, .revert, .deleteWhere, .updateWhere: 2
    case .updateFarmers: 2
    case .deleteFarmers: 1
    default: 4
    }
  }

  private static let weighted = Action.allCases.flatMap { action in
    Array(repeating: action, count: FarmStep(0, action).weight)
  }

  /// Makes a program.
  static func program(of count: Int, seed: UInt64) -> [FarmStep] {
    var random = SeededGenerator(seed: seed)
    let contexts = Int.random(in: 2...4, using: &random)
    // Most steps follow another one in the same context.
    var context = 0
    return (0..<count).map { _ in
      if Int.random(in: 0..<3, using: &random) == 0 {
        context = Int.random(in: 0..<contexts, using: &random)
      }
      return FarmStep(
        context,
        random.pick(weighted),
        Int.random(in: 0..<8, using: &random),
        Int.random(in: 0..<8, using: &random)
      )
    }
  }
}
