import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model private final class Seat {
  #Unique<Seat>([\.row, \.number])
  var row: String
  var number: Int
  var price: Int

  init(_ row: String, _ number: Int, price: Int) {
    self.row = row
    self.number = number
    self.price = price
  }
}

@Suite("A fetch with unsaved objects that have several unique values")
struct PendingUniqueValuesTests {
  @Test(arguments: EveryStore.allCases, Sweep.part([UInt64(1), 2, 3, 4], of: 1))
  func `has the same results as a fetch after the save`(store: EveryStore, seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: seed)
    let context = ModelContext(try ModelContainer(for: Seat.self, store: store.url(in: folder)))
    var saves = 0
    for round in 0..<20 {
      for _ in 0..<5 { try change(context, &random) }
      let pending = try Self.results(context)
      do {
        try context.save()
      } catch {
        // Changed values may be those of another seat.
        context.rollback()
        continue
      }
      saves += 1
      let stored = try Self.results(ModelContext(context.container))
      #expect(pending == stored, "seed \(seed), round \(round)")
      if pending != stored { return }
    }
    #expect(saves > 5)
  }

  private static func results(_ context: ModelContext) throws -> [[String]] {
    let dear = #Predicate<Seat> { $0.price > 2 }
    let first = #Predicate<Seat> { $0.row == "A" && $0.number == 1 }
    let inRow = #Predicate<Seat> { $0.row == "B" }
    var window = FetchDescriptor(predicate: dear, sortBy: [SortDescriptor(\.price)])
    window.fetchLimit = 2
    window.fetchOffset = 1
    var partial = FetchDescriptor(predicate: inRow)
    partial.propertiesToFetch = [\.price]
    let descriptors = [
      FetchDescriptor(predicate: dear), FetchDescriptor(predicate: first), window, partial,
      FetchDescriptor(),
    ]
    return try descriptors.map { descriptor in
      let seats = try context.fetch(descriptor)
      #expect(try context.fetchCount(descriptor) == seats.count)
      return seats.map { "\($0.row)\($0.number) \($0.price)" }
    }
  }

  private func change(_ context: ModelContext, _ random: inout SeededGenerator) throws {
    let price = Int.random(in: 0..<5, using: &random)
    let (row, number) = (["A", "B"].randomElement(using: &random) ?? "", price % 3)
    let seat = try context.fetch(FetchDescriptor<Seat>()).randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0...3: context.insert(Seat(row, Int.random(in: 0..<4, using: &random), price: price))
    case 4, 5: seat?.price = price
    case 6: seat?.number = number
    default: if let seat { context.delete(seat) }
    }
  }
}
