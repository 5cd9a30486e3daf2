import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A sort by values that are not Comparable")
struct SortingValuesTests {
  enum Urgency: Int, Codable { case high = 3, low = 1, middle = 2 }

  @Model final class Chore {
    var title: String
    var isDone: Bool
    var isShared: Bool?
    var urgency: Urgency
    var mood: Urgency?
    var next: Chore?

    init(_ title: String, _ isDone: Bool, _ isShared: Bool?, _ urgency: Urgency, _ mood: Urgency?) {
      self.title = title
      self.isDone = isDone
      self.isShared = isShared
      self.urgency = urgency
      self.mood = mood
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `orders Booleans and enumerations, optional and of related objects`(
    store: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(for: Chore.self, store: store.url(in: folder))
    let context = ModelContext(container)
    let a = Chore("a", true, nil, .low, .high)
    let b = Chore("b", false, true, .high, nil)
    let c = Chore("c", true, false, .middle, .low)
    (a.next, c.next) = (b, a)
    for chore in [a, b, c] { context.insert(chore) }
    try context.save()
    func titles(_ order: SortDescriptor<Chore>) throws -> String {
      var descriptor = FetchDescriptor<Chore>(sortBy: [order])
      descriptor.requiresNative = true
      let stored = try context.fetch(descriptor).map(\.title).joined()
      a.title = "a"
      descriptor.requiresNative = false
      #expect(try context.fetch(descriptor).map(\.title).joined() == stored)
      context.rollback()
      #expect(
        try context.fetch(FetchDescriptor()).sorted(using: order).map(\.title).joined() == stored
      )
      return stored
    }
    #expect(try titles(SortDescriptor(storedValue: \.isDone)) == "bac")
    #expect(try titles(SortDescriptor(storedValue: \.isDone, order: .reverse)) == "acb")
    #expect(try titles(SortDescriptor(storedValue: \.isShared)) == "acb")
    #expect(try titles(SortDescriptor(storedValue: \.isShared, order: .reverse)) == "bca")
    #expect(try titles(SortDescriptor(storedValue: \.urgency)) == "acb")
    #expect(try titles(SortDescriptor(storedValue: \.mood)) == "bca")
    #expect(try titles(SortDescriptor(storedValue: \.next?.isDone)) == "bac")
    #expect(try titles(SortDescriptor(storedValue: \.next?.urgency, order: .reverse)) == "acb")
  }

  @Test func `is refused for values without an order`() throws {
    let context = ModelContext(try ModelContainer(for: Chore.self, store: "memory:"))
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor<Chore>(storedValue: \.next)]))
    }
  }

  struct Price: Codable { var amount: Decimal }

  @Model final class Offer {
    var title: String
    var price: Price?
    var next: Offer?

    init(_ title: String, _ amount: Decimal?) {
      self.title = title
      price = amount.map { Price(amount: $0) }
    }

    /// Not persisted, although it equals a member of each object that has a price.
    var cents: Decimal? { price?.amount ?? 0 }
  }

  @Test(arguments: EveryStore.allCases)
  func `orders by the members of optional Codable values`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(for: Offer.self, store: store.url(in: folder))
    let context = ModelContext(container)
    let offers = [Offer("a", 2), Offer("b", nil), Offer("c", 1.5)]
    (offers[0].next, offers[1].next) = (offers[2], offers[0])
    for offer in offers { context.insert(offer) }
    try context.save()
    func titles(_ order: SortDescriptor<Offer>) throws -> String {
      try context.fetch(FetchDescriptor(sortBy: [order])).map(\.title).joined()
    }
    #expect(try titles(SortDescriptor(\.price?.amount)) == "bca")
    #expect(try titles(SortDescriptor(\.next?.price?.amount)) == "cab")
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try titles(SortDescriptor(\.next?.cents))
    }
    #expect(try titles(SortDescriptor(\.next?.title, order: .reverse)) == "abc")
  }

  /// A value that is decoded from few strings only.
  struct Address: Codable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      if !text.contains("@") { throw CocoaError(.formatting) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Model final class Member {
    var name: String
    var zone: TimeZone = TimeZone.gmt
    var zones: [TimeZone] = [TimeZone.gmt]
    var address: Address
    var fee: Price
    var friend: Member?

    init(_ name: String, _ fee: Decimal) {
      self.name = name
      address = Address("\(name)@example.org")
      self.fee = Price(amount: fee)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `reaches past attributes of types that accept few values`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(for: Member.self, store: store.url(in: folder))
    let context = ModelContext(container)
    let members = [Member("a", 2), Member("b", 3), Member("c", 1)]
    (members[0].friend, members[1].friend, members[2].friend) = (members[1], members[2], members[0])
    for member in members { context.insert(member) }
    try context.save()
    func names(_ order: SortDescriptor<Member>) throws -> String {
      try context.fetch(FetchDescriptor(sortBy: [order])).map(\.name).joined()
    }
    #expect(try names(SortDescriptor(\.fee.amount)) == "cab")
    #expect(try names(SortDescriptor(\.friend?.name)) == "cab")
    #expect(try names(SortDescriptor(\.friend?.fee.amount)) == "bca")
    for order in [SortDescriptor<Member>(\.address.text), SortDescriptor(\.zone.identifier)] {
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try names(order) }
    }
  }
}
