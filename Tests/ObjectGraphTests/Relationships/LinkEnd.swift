import OpenSwiftData
import StoreTestSupport
import Testing

/// A model with one relationship under test, which reads and takes it as a list whatever its shape.
protocol LinkEnd: PersistentModel {
  associatedtype Other: LinkEnd where Other.Other == Self
  init(_ name: String)
  var name: String { get }
  var others: [Other] { get set }
}

extension LinkEnd {
  /// The names at the other end.
  var otherNames: [String] { others.map(\.name).sorted() }
}

/// From which end and by which operation two objects are related.
enum LinkWay: CaseIterable {
  case leftAppends, leftInserts, leftReplaces, rightAppends, rightInserts, rightReplaces

  func link<Left: LinkEnd>(_ left: Left, _ right: Left.Other) {
    switch self {
    case .leftAppends: left.others.append(right)
    case .leftInserts: left.others.insert(right, at: 0)
    case .leftReplaces: left.others = left.others + [right]
    case .rightAppends: right.others.append(left)
    case .rightInserts: right.others.insert(left, at: 0)
    case .rightReplaces: right.others = right.others + [left]
    }
  }
}

/// From which end and by which operation two objects are parted.
enum UnlinkWay: CaseIterable {
  case leftEmpties, leftFilters, leftRemoves, rightEmpties, rightFilters, rightRemoves

  func unlink<Left: LinkEnd>(_ left: Left, _ right: Left.Other) {
    switch self {
    case .leftEmpties: left.others = []
    case .leftFilters: left.others = left.others.filter { $0 !== right }
    case .leftRemoves: left.others.removeAll { $0 === right }
    case .rightEmpties: right.others = []
    case .rightFilters: right.others = right.others.filter { $0 !== left }
    case .rightRemoves: right.others.removeAll { $0 === left }
    }
  }
}

/// What has become of the two objects by the time that they are related.
enum LinkMoment: CaseIterable {
  case new, leftInserted, rightInserted, bothInserted, leftSaved, rightSaved, bothSaved, fetched

  func prepare<Left: LinkEnd>(
    _ left: Left,
    _ right: Left.Other,
    in context: ModelContext
  ) throws {
    switch self {
    case .new: break
    case .leftInserted: context.insert(left)
    case .rightInserted: context.insert(right)
    case .bothInserted:
      context.insert(left)
      context.insert(right)
    case .leftSaved:
      context.insert(left)
      try context.save()
    case .rightSaved:
      context.insert(right)
      try context.save()
    case .bothSaved, .fetched:
      context.insert(left)
      context.insert(right)
      try context.save()
    }
  }
}

/// A pair of models by a relationship of some shape.
struct LinkShape: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Relates two objects in each way at each moment, and parts them.
  let check: @Sendable (EveryStore) throws -> Void

  init<Left: LinkEnd>(_ name: String, _ left: Left.Type) {
    testDescription = name
    check = { store in
      let fixture = try ContainerFixture(store, for: Left.self, Left.Other.self)
      let container = try fixture.open()
      // A file takes long for each save, and holds what the same store in memory holds.
      let moments = store.persists ? [.bothInserted, .fetched] : LinkMoment.allCases
      for way in LinkWay.allCases {
        for moment in moments { try Self.link(Left.self, way, moment, container) }
      }
      for way in UnlinkWay.allCases {
        for isFetched in store.persists ? [true] : [false, true] {
          try Self.unlink(Left.self, way, isFetched: isFetched, container)
        }
      }
    }
  }

  private static func link<Left: LinkEnd>(
    _ type: Left.Type,
    _ way: LinkWay,
    _ moment: LinkMoment,
    _ container: ModelContainer
  ) throws {
    let name = "\(way) \(moment)"
    var context = ModelContext(container)
    var (left, right) = (Left("L " + name), Left.Other("R " + name))
    try moment.prepare(left, right, in: context)
    if moment == .fetched {
      context = ModelContext(container)
      left = try #require(try context.all(Left.self).last)
      right = try #require(try context.all(Left.Other.self).last)
    }
    way.link(left, right)
    if moment == .new { context.insert(left) }
    #expect(left.otherNames == [right.name], "\(name) in memory")
    #expect(right.otherNames == [left.name], "\(name) in memory")
    #expect(left.modelContext === right.modelContext && left.modelContext === context)
    try context.save()
    #expect(left.otherNames == [right.name], "\(name) saved")
    #expect(right.otherNames == [left.name], "\(name) saved")
    try expect(left.name, [right.name], Left.self, container)
    try expect(right.name, [left.name], Left.Other.self, container)
  }

  private static func unlink<Left: LinkEnd>(
    _ type: Left.Type,
    _ way: UnlinkWay,
    isFetched: Bool,
    _ container: ModelContainer
  ) throws {
    let name = "\(way) \(isFetched)"
    var context = ModelContext(container)
    var (left, right) = (Left("L " + name), Left.Other("R " + name))
    left.others = [right]
    context.insert(left)
    try context.save()
    if isFetched {
      context = ModelContext(container)
      left = try #require(try context.all(Left.self).last)
      right = try #require(try context.all(Left.Other.self).last)
    }
    way.unlink(left, right)
    #expect(left.otherNames == [], "\(name) in memory")
    #expect(right.otherNames == [], "\(name) in memory")
    try context.save()
    try expect(left.name, [], Left.self, container)
    try expect(right.name, [], Left.Other.self, container)
  }

  private static func expect<Model: LinkEnd>(
    _ name: String,
    _ others: [String],
    _ type: Model.Type,
    _ container: ModelContainer
  ) throws {
    let stored = try ModelContext(container).all(Model.self).filter { $0.name == name }
    #expect(stored.map(\.otherNames) == [others], "\(name) in a fresh context")
  }
}
