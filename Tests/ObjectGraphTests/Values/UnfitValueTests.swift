import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A value that cannot be encoded or decoded")
struct UnfitValueTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `fails the save with its property, changes nothing, and can be corrected`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: Holder.self)
    let context = try fixture.context()
    let good = Holder("good")
    context.insert(good)
    try context.save()
    let bad = Holder("bad")
    bad.content = Stubborn(refuses: true)
    context.insert(bad)
    good.name = "changed"
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Holder" && error?.property == "content")
    #expect(error?.cause != nil)
    #expect(try fixture.context().all(Holder.self).map(\.name) == ["good"])
    #expect(context.hasChanges)
    bad.content = Stubborn(refuses: false)
    good.list = [Stubborn(refuses: false), Stubborn(refuses: true)]
    let second = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(second?.property == "list")
    good.list = []
    try context.save()
    #expect(try fixture.context().all(Holder.self).map(\.name) == ["changed", "bad"])
    bad.content = Stubborn(refuses: true)
    context.rollback()
    #expect(!bad.content.refuses)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `fails the save if it is nested too deeply`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Holder.self)
    let context = try fixture.context()
    let row = Holder("deep")
    var nest = Nest(inner: [])
    for _ in 0..<20 { nest = Nest(inner: [nest]) }
    row.nest = nest
    context.insert(row)
    try context.save()
    #expect(try fixture.context().all(Holder.self).first?.nest == nest)
    for _ in 0..<50 { nest = Nest(inner: [nest]) }
    row.nest = nest
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    row.nest = nil
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys.filter(\.persists))
  func `fails the fetch with its entity and property`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Old.Piece.self)
    try {
      let context = try fixture.context()
      context.insert(Old.Piece("fine", .small, Old.Part(size: 1)))
      context.insert(Old.Piece("gone", .large, Old.Part(size: nil)))
      try context.save()
    }()
    let later = try ModelContext(
      ModelContainer(for: Schema(New.Piece.self), store: fixture.kind.url(in: fixture.folder))
    )
    let fine = FetchDescriptor<New.Piece>(predicate: #Predicate { $0.name == "fine" })
    #expect(try later.fetch(fine).map(\.kind) == [.small])
    let error = #expect(throws: DataStoreError.invalidValue) {
      try later.fetch(FetchDescriptor<New.Piece>())
    }
    #expect(error?.entity == "Piece")
    #expect(error?.property == "kind" || error?.property == "part")
    // The other rows can still be counted and fetched.
    #expect(try later.fetchCount(FetchDescriptor<New.Piece>()) == 2)
    #expect(try later.fetch(fine).count == 1)
  }
}

private struct Stubborn: Codable {
  struct No: Error {}
  var refuses: Bool

  init(refuses: Bool) { self.refuses = refuses }

  init(from decoder: any Decoder) throws {
    refuses = try decoder.singleValueContainer().decode(Bool.self)
  }

  func encode(to encoder: any Encoder) throws {
    if refuses { throw No() }
    var container = encoder.singleValueContainer()
    try container.encode(false)
  }
}

private struct Nest: Codable, Equatable { var inner: [Nest] }

@Model
private final class Holder {
  var name: String
  var content: Stubborn = Stubborn(refuses: false)
  var list: [Stubborn] = []
  var nest: Nest?

  init(_ name: String) {
    self.name = name
  }
}

private enum Old {
  enum Kind: String, Codable { case small, large }
  struct Part: Codable { var size: Int? }

  @Model
  final class Piece {
    var name: String
    var kind: Kind
    var part: Part

    init(_ name: String, _ kind: Kind, _ part: Part) {
      self.name = name
      self.kind = kind
      self.part = part
    }
  }
}

private enum New {
  enum Kind: String, Codable { case small }
  struct Part: Codable { var size: Int }

  @Model
  final class Piece {
    var name: String
    var kind: Kind
    var part: Part

    init(_ name: String, _ kind: Kind, _ part: Part) {
      self.name = name
      self.kind = kind
      self.part = part
    }
  }
}
