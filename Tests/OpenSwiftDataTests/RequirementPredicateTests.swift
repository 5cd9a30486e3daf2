import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

enum Grade: Int, Codable { case low, high }

protocol Labelled: PersistentModel {
  var code: String { get }
  var note: String? { get }
  var grade: Grade { get }
  var scores: [Int] { get set }
}

protocol Housing: Labelled {
  associatedtype Guest: Labelled
  var guests: [Guest] { get }
}

protocol Housed: Labelled {
  associatedtype Home: Labelled
  var home: Home? { get }
}

@Model final class Hut: Housing {
  typealias Guest = Hiker
  var code: String
  var note: String?
  var grade = Grade.low
  var scores: [Int] = []
  @Relationship(inverse: \Hiker.home) var guests: [Hiker] = []

  init(_ code: String, note: String? = nil) {
    self.code = code
    self.note = note
  }
}

@Model final class Hiker {
  var grade: Grade
  var home: Hut?
  var scores: [Int] = [1, 7]
  var note: String?
  var code: String

  init(_ code: String, home: Hut?, grade: Grade) {
    self.code = code
    self.home = home
    self.grade = grade
  }
}

extension Hiker: Housed {
  typealias Home = Hut
}

/// Requirements that computed properties satisfy.
protocol Computed: PersistentModel {
  var alias: String { get }
  var shown: String { get }
  var spaced: String { get }
  var initial: String { get }
  var capped: [Int] { get }
  var sorted: [Int] { get }
  var seniors: [Hiker] { get }
}

extension Hut: Computed {
  var alias: String { code }
  var shown: String { code == "Alm" ? "–" : code }
  var spaced: String { code.replacingOccurrences(of: "\t", with: " ") }
  // Ends the program for an empty code.
  var initial: String { String(code[code.startIndex]) }
  // Ends the program without scores.
  var capped: [Int] { [scores[0]] }
  var sorted: [Int] { scores.sorted() }
  var seniors: [Hiker] { guests.filter { $0.grade == .high } }
}

extension Dog {
  fileprivate var call: String { name == "Rex" ? "T. rex" : name }
}

@Suite("Predicates of generic code")
struct RequirementPredicateTests {
  /// A context with two huts, and a hiker in each.
  private func fill(_ store: EveryStore, in folder: TemporaryFolder) throws -> ModelContext {
    let container = try ModelContainer(for: Hut.self, Hiker.self, store: store.url(in: folder))
    let context = ModelContext(container)
    let (alm, berg) = (Hut("Alm", note: "high"), Hut("Berg"))
    for model in [alm, berg] { context.insert(model) }
    alm.scores = [3]
    berg.grade = .high
    context.insert(Hiker("Cleo", home: alm, grade: .high))
    context.insert(Hiker("Dora", home: berg, grade: .low))
    try context.save()
    return context
  }

  private func codes<M: Labelled>(
    _ predicate: Predicate<M>,
    _ context: ModelContext
  ) throws -> [String] {
    let order = SortDescriptor<M>(\.code, order: .reverse)
    return try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [order])).map(\.code)
  }

  private func codes<M: Labelled>(
    of _: M.Type,
    from first: String,
    noted note: String?,
    _ context: ModelContext
  ) throws -> [String] {
    try codes(#Predicate<M> { $0.code >= first && $0.note == note }, context)
  }

  private func codes<M: Labelled>(
    of _: M.Type,
    graded grade: Grade,
    with score: Int,
    _ context: ModelContext
  ) throws -> [String] {
    try codes(#Predicate<M> { $0.grade == grade && $0.scores.contains(score) }, context)
  }

  private func codes<M: Housed>(
    of _: M.Type,
    in home: String,
    _ context: ModelContext
  ) throws -> [String] {
    try codes(#Predicate<M> { $0.home?.code == home }, context)
  }

  private func codes<M: Housing>(
    of _: M.Type,
    housing guest: String,
    _ context: ModelContext
  ) throws -> [String] {
    try codes(#Predicate<M> { $0.guests.contains { $0.code == guest } }, context)
  }

  @Test(arguments: EveryStore.withServer)
  func `use the persisted properties that satisfy a protocol's requirements`(
    store: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let context = try fill(store, in: folder)
    #expect(try codes(of: Hut.self, from: "A", noted: nil, context) == ["Berg"])
    #expect(try codes(of: Hut.self, from: "A", noted: "high", context) == ["Alm"])
    #expect(try codes(of: Hiker.self, from: "A", noted: nil, context) == ["Dora", "Cleo"])
    #expect(try codes(of: Hiker.self, from: "D", noted: nil, context) == ["Dora"])
    #expect(try codes(of: Hut.self, graded: .low, with: 3, context) == ["Alm"])
    #expect(try codes(of: Hut.self, graded: .high, with: 3, context).isEmpty)
    #expect(try codes(of: Hiker.self, graded: .high, with: 7, context) == ["Cleo"])
    #expect(try codes(of: Hiker.self, in: "Berg", context) == ["Dora"])
    #expect(try codes(of: Hut.self, housing: "Cleo", context) == ["Alm"])
    // Unsaved objects are compared in memory, by the same names.
    context.insert(Hut("Col"))
    #expect(try codes(of: Hut.self, from: "A", noted: nil, context) == ["Col", "Berg"])
  }

  private func predicates<M: Computed>(of _: M.Type) -> [Predicate<M>] {
    [
      #Predicate { $0.shown == "Berg" }, #Predicate { $0.spaced == "Berg" },
      #Predicate { $0.initial == "B" }, #Predicate { $0.capped.contains(3) },
      #Predicate { $0.sorted.contains(3) }, #Predicate { $0.seniors.isEmpty },
    ]
  }

  @Test func `refuse computed properties, with the way around them`() throws {
    let folder = try TemporaryFolder()
    let context = try fill(.memory, in: folder)
    for predicate in predicates(of: Hut.self) {
      let error = #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error == .unsupportedPredicate)
      #expect("\(try #require(error))".contains("T.where(T.key, …)"))
    }
  }

  @Test func `use what a computed property returns if it is a persisted one`() throws {
    func named<M: Computed>(_ name: String, _: M.Type) -> Predicate<M> {
      #Predicate { $0.alias == name }
    }
    let folder = try TemporaryFolder()
    let context = try fill(.memory, in: folder)
    let huts = try context.fetch(FetchDescriptor(predicate: named("Berg", Hut.self)))
    #expect(huts.map(\.code) == ["Berg"])
  }

  @Test func `refuse a computed property that returns an inherited one in most cases`() throws {
    let container = try ModelContainer(for: Animal.self, Dog.self, store: "memory:")
    let context = ModelContext(container)
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Dog>(predicate: #Predicate { $0.call == "Rex" }))
    }
    #expect(error == .unsupportedPredicate)
  }
}
