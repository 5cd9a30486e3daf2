import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model
private final class Postbag {
  var price: Decimal
  var discount: Decimal?
  var code: UUID
  var label: UUID?
  var sent: Date
  var arrived: Date?
  var weight: Float
  var height: Float?
  var width: Double?
  var size: UInt64
  var owner: Postman?

  init(_ number: Int) {
    func pick<T>(_ list: [T]) -> T { list[number % list.count] }
    price = pick(HardValues.decimals + [.nan])
    code = UUID(
      uuid: (pick([0, 255, 16]), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, pick([0, 255]))
    )
    sent = pick(HardValues.dates)
    weight = pick([0, -0.0, .nan, 0.1, -.infinity, .nan, .greatestFiniteMagnitude])
    size = pick(HardValues.unsignedIntegers)
    width = number % 5 == 0 ? nil : pick(HardValues.doubles)
    guard number % 3 != 1 else { return }
    discount = pick([0, -0.5, .nan, 1.10, 1.1])
    label = code
    arrived = pick([.distantPast, Date(timeIntervalSinceReferenceDate: .nan), .distantFuture])
    height = pick([-0.0, 0, .nan, .infinity])
  }
}

@Model
private final class Postman {
  var name: String
  var share: Decimal?
  var born: Date?
  @Relationship(inverse: \Postbag.owner) var bags: [Postbag] = []

  init(_ name: String, _ share: Decimal?, _ born: Date?) {
    (self.name, self.share, self.born) = (name, share, born)
  }
}

/// Orders by values of every kind that can be compared, in pages.
@Suite struct `Pages of a fetch in orders of every kind` {
  private let fixtures = ContainerFixtures()

  private static func orders(_ order: SortOrder) -> [[SortDescriptor<Postbag>]] {
    [
      [SortDescriptor(\.price, order: order)], [SortDescriptor(\.discount, order: order)],
      [SortDescriptor(\.code, order: order)], [SortDescriptor(\.label, order: order)],
      [SortDescriptor(\.sent, order: order)], [SortDescriptor(\.arrived, order: order)],
      [SortDescriptor(\.weight, order: order)], [SortDescriptor(\.height, order: order)],
      [SortDescriptor(\.width, order: order)], [SortDescriptor(\.size, order: order)],
      [SortDescriptor(\.owner?.name, order: order)],
      [SortDescriptor(\.owner?.share, order: order), SortDescriptor(\.height)],
      [SortDescriptor(\.owner?.born, order: order), SortDescriptor(\.label, order: .reverse)],
      [SortDescriptor(\.height), SortDescriptor(\.discount, order: order)],
    ]
  }

  private func save(_ numbers: Range<Int>, in context: ModelContext) throws {
    let owners = [
      Postman("a", 1, .distantPast), Postman("", nil, nil), Postman("a", .nan, .distantFuture),
    ]
    for number in numbers {
      let bag = Postbag(number)
      context.insert(bag)
      if number % 4 != 1 { bag.owner = owners[number % 3] }
    }
    try context.save()
  }

  private func descriptor(_ order: [SortDescriptor<Postbag>]) -> FetchDescriptor<Postbag> {
    var descriptor = FetchDescriptor<Postbag>(sortBy: order)
    descriptor.fetchLimit = 4
    return descriptor
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `contain each row once, in order, forward and back`(store: EveryStore) throws {
    let context = ModelContext(try fixtures.open(store, for: Postbag.self, Postman.self))
    try save(0..<23, in: context)
    for order in Self.orders(.forward) + Self.orders(.reverse) {
      let all = try context.fetchIdentifiers(FetchDescriptor<Postbag>(sortBy: order))
      #expect(all.count == 23)
      var page = try context.fetch(descriptor(order).page())
      var found = page.elements.map(\.persistentModelID)
      while let next = page.next, found.count < 30 {
        page = try context.fetch(descriptor(order).page(after: next))
        found += page.elements.map(\.persistentModelID)
      }
      #expect(found == all, "\(order)")
      found = page.elements.map(\.persistentModelID)
      while let previous = page.previous, found.count < 30 {
        page = try context.fetch(descriptor(order).page(before: previous))
        found = page.elements.map(\.persistentModelID) + found
      }
      #expect(found == all, "\(order)")
    }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, [false, true])
  func `contain each remaining row once while others insert and delete`(
    store: EveryStore,
    isBackward: Bool
  ) throws {
    let container = try fixtures.open(store, for: Postbag.self, Postman.self)
    for order in Self.orders(isBackward ? .reverse : .forward) {
      let (reader, writer) = (ModelContext(container), ModelContext(container))
      try writer.delete(model: Postbag.self)
      try save(0..<11, in: writer)
      let all = try writer.fetchIdentifiers(FetchDescriptor<Postbag>(sortBy: order))
      let descriptor = descriptor(order)
      var found: [PersistentIdentifier] = []
      var page = try reader.fetch(descriptor.page())
      if isBackward {
        // The last page, which is the first one backward.
        while let next = page.next { page = try reader.fetch(descriptor.page(after: next)) }
      }
      while !page.elements.isEmpty, found.count < 60 {
        let identifiers = page.elements.map(\.persistentModelID)
        found += isBackward ? identifiers.reversed() : identifiers
        guard let token = isBackward ? page.previous : page.next else { break }
        // The rows at the token's position, and new ones on both of its sides.
        for identifier in identifiers { writer.delete(writer.model(for: identifier)) }
        try save(found.count..<found.count + 2, in: writer)
        page =
          isBackward
          ? try reader.fetch(descriptor.page(before: token))
          : try reader.fetch(descriptor.page(after: token))
      }
      #expect(Set(found).count == found.count, "\(order)")
      #expect(found.filter(all.contains) == (isBackward ? all.reversed() : all), "\(order)")
    }
  }
}
