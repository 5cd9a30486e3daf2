import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model
private final class Runner {
  var name: String
  var points: Int?
  var speed: Double
  var born: Date
  var left: Date?
  var team: Team?

  init(_ name: String, points: Int? = nil, speed: Double = 0, born: Double = 0) {
    self.name = name
    self.points = points
    self.speed = speed
    self.born = Date(timeIntervalSinceReferenceDate: born)
  }
}

@Model
private final class Team {
  var name: String?
  @Relationship(inverse: \Runner.team) var runners: [Runner] = []

  init(_ name: String?) { self.name = name }
}

@Suite struct `Pages of a fetch` {
  private let fixtures = ContainerFixtures()

  private static let orders: [[SortDescriptor<Runner>]] = [
    [],
    [SortDescriptor(\.points)],
    [SortDescriptor(\.points, order: .reverse)],
    [SortDescriptor(\.name), SortDescriptor(\.points, order: .reverse)],
    [SortDescriptor(\.speed)],
    [SortDescriptor(\.speed, order: .reverse), SortDescriptor(\.born)],
    [SortDescriptor(\.left), SortDescriptor(\.born, order: .reverse)],
    [SortDescriptor(\.left, order: .reverse)],
    [SortDescriptor(\.team?.name), SortDescriptor(\.name, order: .reverse)],
    [SortDescriptor(\.name), SortDescriptor(\.persistentModelID, order: .reverse)],
  ]

  private func makeContext(_ store: EveryStore) throws -> ModelContext {
    ModelContext(try fixtures.open(store, for: Runner.self, Team.self))
  }

  /// Saves runners with many equal values, and values that compare in unusual ways.
  private func saveRunners(in context: ModelContext) throws {
    let names = ["Åsa", "A\u{30A}sa", "Bo", "bo", "Bo", "", "Kai", "\u{212A}ai", "Bo"]
    let speeds = [0, -0.0, .nan, 1.5, .infinity, -.infinity, .nan, 1.5, 0]
    let teams = [Team("red"), Team(nil), Team("blue")]
    for (index, name) in names.enumerated() {
      let runner = Runner(
        name,
        points: index % 3 == 0 ? nil : index % 2,
        speed: speeds[index],
        born: index == 4 ? .nan : Double(index / 2) / 10
      )
      if index % 2 == 0 { runner.left = Date(timeIntervalSinceReferenceDate: Double(index / 4)) }
      context.insert(runner)
      if index % 4 != 3 { runner.team = teams[index % 3] }
    }
    try context.save()
  }

  private func descriptor(_ order: [SortDescriptor<Runner>], _ size: Int) -> FetchDescriptor<Runner>
  {
    var descriptor = FetchDescriptor<Runner>(sortBy: order)
    descriptor.fetchLimit = size
    return descriptor
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `contain each row once, in order, forward and back`(store: EveryStore) throws {
    let context = try makeContext(store)
    try saveRunners(in: context)
    for order in Self.orders {
      let all = try context.fetchIdentifiers(FetchDescriptor<Runner>(sortBy: order))
      for size in [1, 2, 4, 9, 20] {
        let descriptor = descriptor(order, size)
        var page = try context.fetch(descriptor.page())
        #expect(page.previous == nil)
        var found = page.elements.map(\.persistentModelID)
        while let next = page.next {
          page = try context.fetch(descriptor.page(after: next))
          #expect(!page.elements.isEmpty && page.elements.count <= size)
          found += page.elements.map(\.persistentModelID)
        }
        #expect(found == all, "\(order), \(size)")
        var back = page.elements.map(\.persistentModelID)
        while let previous = page.previous {
          page = try context.fetch(descriptor.page(before: previous))
          guard !page.elements.isEmpty else { break }
          back = page.elements.map(\.persistentModelID) + back
        }
        #expect(back == all, "\(order), \(size)")
      }
    }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `contain each remaining row once while others insert and delete`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Runner.self, Team.self)
    let (reader, writer) = (ModelContext(container), ModelContext(container))
    try saveRunners(in: writer)
    let descriptor = descriptor([SortDescriptor(\.points), SortDescriptor(\.speed)], 2)
    let all = try writer.fetchIdentifiers(FetchDescriptor<Runner>(sortBy: descriptor.sortBy))
    var page = try reader.fetch(descriptor.page())
    var found = page.elements.map(\.persistentModelID)
    var points = [nil, 0, 1, 0, nil]
    while let next = page.next {
      // The rows at the token's position, and new ones on both of its sides.
      for runner in page.elements { writer.delete(writer.model(for: runner.persistentModelID)) }
      if let points = points.popLast() {
        writer.insert(Runner("new", points: points, speed: 1.5))
      }
      try writer.save()
      page = try reader.fetch(descriptor.page(after: next))
      found += page.elements.map(\.persistentModelID)
    }
    #expect(Set(found).count == found.count)
    #expect(found.filter(all.contains) == all)
  }

  @Test(arguments: EveryStore.withServer.filter(\.persists))
  func `continue after a restart, with the token as a string`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Runner.self, Team.self)
    let descriptor = descriptor([SortDescriptor(\.team?.name), SortDescriptor(\.born)], 4)
    var expected: [String] = []
    var text = ""
    do {
      let context = try fixture.context()
      try saveRunners(in: context)
      expected = try context.fetch(FetchDescriptor<Runner>(sortBy: descriptor.sortBy)).map(\.name)
      text = try #require(context.fetch(descriptor.page()).next).description
    }
    #expect(text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    let token = try #require(PageToken(text))
    let coded = try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode(token))
    #expect(coded == token)
    let page = try fixture.context().fetch(descriptor.page(after: coded))
    #expect(page.elements.map(\.name) == Array(expected[4..<8]))
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `can have a predicate, and be read as snapshots`(store: EveryStore) throws {
    let context = try makeContext(store)
    try saveRunners(in: context)
    var descriptor = descriptor([SortDescriptor(\.name)], 3)
    descriptor.predicate = #Predicate { $0.points != nil }
    let all = try context.fetch(
      FetchDescriptor(predicate: descriptor.predicate, sortBy: descriptor.sortBy)
    )
    let first = try context.fetchSnapshots(descriptor.page(), including: \Runner.team)
    let token = try #require(first.next)
    let second = try context.fetchSnapshots(descriptor.page(after: token), including: \Runner.team)
    let names = (first.elements + second.elements).map { "\($0.name) \($0.team?.name ?? "")" }
    #expect(names == all.prefix(6).map { "\($0.name) \($0.team?.name ?? "")" })
    let back = try context.fetchSnapshots(descriptor.page(before: try #require(second.previous)))
    #expect(back.elements.map(\.name) == first.elements.map(\.name))
    #expect(back.previous == nil)
  }

  @Test func `refuse the tokens of other fetches`() throws {
    let context = try makeContext(.memory)
    try saveRunners(in: context)
    let byName = descriptor([SortDescriptor(\.name)], 2)
    let token = try #require(context.fetch(byName.page()).next)
    let other = try makeContext(.memory)
    try saveRunners(in: other)
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: DataStoreError.self) { try body() }
      #expect(error == .invalidValue && error?.entity != nil)
    }
    refused { _ = try other.fetch(byName.page(after: token)) }
    for order in Self.orders {
      refused { _ = try context.fetch(descriptor(order, 2).page(after: token)) }
      refused { _ = try context.fetch(descriptor(order, 2).page(before: token)) }
    }
    let reversed = descriptor([SortDescriptor(\.name, order: .reverse)], 2)
    refused { _ = try context.fetch(reversed.page(after: token)) }
    let teams = FetchDescriptor<Team>(sortBy: [SortDescriptor(\.name)])
    refused { _ = try context.fetch(teams.page(after: token)) }
    for text in ["", "x", "bm8", String(token.description.dropLast(3)), token.description + "A"] {
      #expect(PageToken(text) == nil, "\(text)")
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PageToken.self, from: Data(#""x""#.utf8))
    }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `refuse tokens with values of other kinds`(store: EveryStore) throws {
    let context = try makeContext(store)
    try saveRunners(in: context)
    let order: [SortDescriptor<Runner>] = [
      SortDescriptor(\.points), SortDescriptor(\.team?.name), SortDescriptor(\.speed),
    ]
    let descriptor = descriptor(order, 4)
    let token = try #require(context.fetch(descriptor.page()).next)
    func refused(_ index: Int, _ value: Any, _ entity: String, _ property: String?) throws {
      let edited = try token.replacing(index, with: value)
      let after = #expect(throws: DataStoreError.self) {
        _ = try context.fetch(descriptor.page(after: edited))
      }
      let before = #expect(throws: DataStoreError.self) {
        _ = try context.fetch(descriptor.page(before: edited))
      }
      for error in [after, before] {
        #expect(error == .invalidValue, "\(value)")
        #expect(error?.entity == entity && error?.property == property, "\(value)")
      }
    }
    try refused(1, store == .textKeys ? 7 : "x", "Runner", nil)
    let tooLarge = UInt64(Int64.max) + 1
    let noIntegers: [Any] = ["1", true, tooLarge, ["$double": "1.0"], [1]]
    for value in noIntegers { try refused(2, value, "Runner", "points") }
    try refused(3, 7, "Team", "name")
    let noDoubles: [Any] = [NSNull(), 1, ["$date": 1]]
    for value in noDoubles { try refused(4, value, "Runner", "speed") }
    // The end of the order.
    let end = try token.replacing(2, with: 2)
    #expect(try context.fetch(descriptor.page(after: end)).elements.isEmpty)
    #expect(try context.fetch(descriptor.page(before: end)).elements.count == 4)
  }

  @Test func `have no offset and no pending changes`() throws {
    let context = try makeContext(.memory)
    try saveRunners(in: context)
    var byName = descriptor([SortDescriptor(\.name)], 2)
    byName.fetchOffset = 1
    #expect(throws: DataStoreError.unsupportedFeature) { _ = try context.fetch(byName.page()) }
    byName.fetchOffset = nil
    context.insert(Runner("new"))
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      _ = try context.fetch(byName.page())
    }
    byName.includePendingChanges = false
    #expect(try context.fetch(byName.page()).elements.count == 2)
    byName.fetchLimit = 0
    #expect(try context.fetch(byName.page()).elements.isEmpty)
    byName.fetchLimit = nil
    let all = try context.fetch(byName.page())
    #expect(all.elements.count == 9 && all.next == nil)
  }

  @Test(arguments: [EveryStore.sqlite, .json, .sqliteInMemory])
  func `are read by the store alone`(store: EveryStore) throws {
    let context = try makeContext(store)
    try saveRunners(in: context)
    context.requiresNativeFetches = true
    for order in Self.orders {
      let page = try context.fetch(descriptor(order, 2).page())
      let next: PageToken = try #require(page.next)
      #expect(try context.fetch(descriptor(order, 2).page(after: next)).elements.count == 2)
    }
  }
}

extension PageToken {
  /// Returns the token with another value in its list, as a client can edit it.
  fileprivate func replacing(_ index: Int, with value: Any) throws -> PageToken {
    let text = description.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let data = try #require(Data(base64Encoded: text + padding))
    var list = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
    list[index] = value
    let edited = try JSONSerialization.data(withJSONObject: list).base64EncodedString()
    return try #require(
      PageToken(
        edited.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      )
    )
  }
}
