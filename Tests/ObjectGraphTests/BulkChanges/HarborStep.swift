import StoreTestSupport

/// A step of a random program of bulk changes, by one of its contexts.
struct HarborStep: CustomStringConvertible {
  enum Action {
    case delete(HarborKind, HarborCondition)
    /// Sets the weight, or adds to it.
    case update(HarborKind, HarborCondition, to: Int, adds: Bool)
    /// Adds an object at the object with a number.
    case add(HarborKind, Int, at: Int)
    case remove(HarborKind, Int)
    case weigh(HarborKind, Int, Int)
    /// Relates an object to another quay, or a quay to a beacon.
    case move(HarborKind, Int, to: Int)
    case count(HarborKind)
    case rollback
    case save
  }

  let context: Int
  let action: Action

  var description: String { "\(context): \(action)" }
}

/// Makes random programs of bulk changes.
struct HarborProgram {
  private var random: SeededGenerator
  private let contexts: Int

  /// The number of objects of each kind with which a program begins.
  static let population = 4

  init(seed: UInt64, contexts: Int) {
    random = SeededGenerator(seed: seed)
    self.contexts = contexts
  }

  /// Returns a program, which ends with a save of each context.
  mutating func steps() -> [HarborStep] {
    var steps: [HarborStep] = []
    for number in 0..<Int.random(in: 3...12, using: &random) {
      let context = Int.random(in: 0..<contexts, using: &random)
      steps.append(HarborStep(context: context, action: action(100 + number)))
    }
    return steps + (0..<contexts).map { HarborStep(context: $0, action: .save) }
  }

  private mutating func action(_ new: Int) -> HarborStep.Action {
    let kind = random.pick(HarborKind.allCases)
    let number = Int.random(in: 1...Self.population, using: &random)
    let weight = Int.random(in: 0...8, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7: return .delete(kind, condition())
    case 7..<10: return .update(kind, condition(), to: weight, adds: Bool.random(using: &random))
    case 10..<12: return .add(kind, new, at: number)
    case 12: return .remove(kind, number)
    case 13: return .weigh(kind, number, weight)
    case 14..<16:
      return .move(kind, number, to: Int.random(in: 1...Self.population, using: &random))
    case 16: return .count(kind)
    case 17: return .rollback
    default: return .save
    }
  }

  private mutating func condition() -> HarborCondition {
    let number = Int.random(in: 0...Self.population, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0..<2: return .all
    case 2: return .numbered(number)
    case 3..<5: return .lighter(number * 2)
    default: return .at(number)
    }
  }
}
