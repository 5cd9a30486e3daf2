import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class StockItem {
  var name: String
  var stock: Int
  var shelf: StockShelf?
  var labels: [StockLabel] = []

  init(_ name: String, stock: Int = 1) {
    self.name = name
    self.stock = stock
  }
}

@Model
final class StockShelf {
  var title: String
  @Relationship(inverse: \StockItem.shelf) var articles: [StockItem] = []

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class StockLabel {
  var text: String
  @Relationship(inverse: \StockItem.labels) var articles: [StockItem] = []

  init(_ text: String) {
    self.text = text
  }
}

/// Two contexts on one store, each with its object of the same row.
struct TwoContexts {
  let fixture: ContainerFixture
  let container: ModelContainer
  let here: ModelContext
  let there: ModelContext
  let mine: StockItem
  let theirs: StockItem

  init(_ store: EveryStore, _ policy: MergePolicy = .mergeByProperty) throws {
    fixture = try ContainerFixture(store, for: StockItem.self, StockShelf.self, StockLabel.self)
    container = try fixture.open()
    let writer = ModelContext(container)
    writer.insert(StockItem("base"))
    try writer.save()
    here = ModelContext(container)
    here.mergePolicy = policy
    there = ModelContext(container)
    mine = try #require(try here.all(StockItem.self).first)
    theirs = try #require(try there.all(StockItem.self).first)
  }

  /// What is stored of the article, nil where it is gone.
  func stored() throws -> String? {
    try ModelContext(container).all(StockItem.self).first?.contents
  }
}

extension StockItem {
  var contents: String { "\(name) \(stock)" }
}

/// What two contexts do to one object at the same time.
enum MergeSituation: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case sameProperty, differentProperties, deletedThere, deletedHere, deletedTwice

  var testDescription: String { rawValue }

  /// Does what is done there and saves it, and does what is done here.
  func arise(in contexts: TwoContexts) throws {
    switch self {
    case .sameProperty, .deletedHere: contexts.theirs.name = "theirs"
    case .differentProperties: contexts.theirs.stock = 2
    case .deletedThere, .deletedTwice: contexts.there.delete(contexts.theirs)
    }
    try contexts.there.save()
    switch self {
    case .sameProperty, .differentProperties, .deletedThere: contexts.mine.name = "mine"
    case .deletedHere, .deletedTwice: contexts.here.delete(contexts.mine)
    }
  }
}

/// The policies, each with what it makes of the situations in their order.
struct PolicyCase: CustomTestStringConvertible, Sendable {
  enum Outcome: Equatable {
    case stored(String), gone, refused
  }

  let testDescription: String
  let policy: MergePolicy
  let outcomes: [Outcome]

  func outcome(of situation: MergeSituation) -> Outcome? {
    zip(MergeSituation.allCases, outcomes).first { $0.0 == situation }?.1
  }

  static let all = [
    PolicyCase(
      testDescription: "mergeByProperty",
      policy: .mergeByProperty,
      outcomes: [.stored("mine 1"), .stored("mine 2"), .refused, .gone, .gone]
    ),
    PolicyCase(
      testDescription: "contextWins",
      policy: .contextWins,
      outcomes: [.stored("mine 1"), .stored("mine 1"), .refused, .gone, .gone]
    ),
    PolicyCase(
      testDescription: "storeWins",
      policy: .storeWins,
      outcomes: [.stored("theirs 1"), .stored("base 2"), .gone, .stored("theirs 1"), .gone]
    ),
    PolicyCase(
      testDescription: "error",
      policy: .error,
      outcomes: [.refused, .refused, .refused, .refused, .gone]
    ),
    PolicyCase(
      testDescription: "resolve by mine",
      policy: .resolve { _ in .mine },
      outcomes: [.stored("mine 1"), .stored("mine 2"), .refused, .gone, .gone]
    ),
    PolicyCase(
      testDescription: "resolve by theirs",
      policy: .resolve { _ in .theirs },
      outcomes: [.stored("theirs 1"), .stored("base 2"), .gone, .stored("theirs 1"), .gone]
    ),
    PolicyCase(
      testDescription: "resolve by an error",
      policy: .resolve { _ in .error },
      outcomes: [.refused, .refused, .refused, .refused, .gone]
    ),
  ]
}
