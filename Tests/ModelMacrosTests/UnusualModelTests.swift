import Foundation
import ModelLayer
import Testing

@Suite("Unusual declarations")
struct UnusualModelTests {
  private func names(_ type: any PersistentModel.Type) -> [String] {
    type.schemaMetadata.map(\.name)
  }

  @Test func `list every stored property and no other`() {
    let expected = [
      "kind", "title", "map", "closure", "made", "chosen", "chain", "branch", "switched", "sum",
      "text", "raw", "lines", "brace", "after", "letter", "forced", "point", "moods", "default",
      "init", "in two words", "größe", "open", "set", "debugDescription", "description", "old",
      "renamed",
    ]
    let constraints = ["SwiftData.Schema.Unique", "SwiftData.Schema.Index"]
    #expect(names(OddTrip.self).filter { !constraints.contains($0) } == expected)
    #expect(names(OddTrip.self).filter(constraints.contains) == constraints)
    #expect(OddTrip._$count == expected.count)
  }

  @Test func `store and return assigned values`() {
    let trip = OddTrip()
    #expect(trip.closure == [2, 3])
    #expect(trip.made == 3)
    #expect(trip.branch == 1)
    #expect(trip.sum == 0)
    #expect(trip.text == "a \"quote\" and nested 2 } }")
    #expect(trip.lines == "{ \"var\": \"x\" }\nvar inner: Int = 1")
    #expect(trip.after == nil)
    trip.kind = .b
    trip.after = 4
    trip.`in two words`.append(2)
    trip.map["a", default: []].append(1)
    trip.point.x += 4
    trip.description = "new"
    #expect(trip.kind == .b)
    #expect(trip.after == 4)
    #expect(trip.`in two words` == [1, 2])
    #expect(trip.map == ["a": [1]])
    #expect(trip.point == Point(x: 5, y: 2))
    #expect("\(trip)" == "new")
    #expect(trip.slow == 4)
    #expect(trip.clamped == 1)
  }

  @Test func `start empty where an initializer leaves an array unset`() throws {
    let folder = OddFolder(name: "a")
    #expect(folder.pages.isEmpty && folder.tags.isEmpty)
    folder.tags.append("x")
    folder.pages.append(OddPage())
    #expect(folder.tags == ["x"] && folder.pages.first?.folder === folder)
    let filled = OddFolder(tags: ["y"], pages: [OddPage()])
    #expect(filled.tags == ["y"] && filled.pages.count == 1 && filled.name == "filled")
    #expect(OddFolder(copying: filled).tags == ["y"])
  }

  @Test func `have the same defaults in the schema and the class`() {
    let defaults = Dictionary(
      uniqueKeysWithValues: (OddTrip.self as any PersistentModel.Type).schemaMetadata.compactMap {
        metadata in
        metadata.makeDefault.map { (metadata.name, $0()) }
      }
    )
    #expect(defaults["title"] as? String == "t")
    #expect(defaults["closure"] as? [Int] == [2, 3])
    #expect(defaults["branch"] as? Int == 1)
    #expect(defaults["switched"] as? Mood == .calm)
    #expect(defaults["renamed"] as? Double == -0.5)
    #expect(defaults["after"] == nil)
  }

  @Test func `convert to a row and back`() throws {
    let trip = OddTrip()
    trip.after = 9
    trip.forced = URL(string: "https://example.org")
    trip.moods = [.wild]
    let values = ListWriter.values(of: trip)
    let copy = try OddTrip(_$row: ListReader(values))
    #expect(ListWriter.values(of: copy) == values)
    #expect(copy.moods == [.wild])
    let blank = OddTrip()
    for index in 0..<OddTrip._$count { try blank._$read(index, from: ListReader(values)) }
    #expect(ListWriter.values(of: blank) == values)
  }

  @Test func `follow conditional compilation`() throws {
    #expect(names(ConditionalTrip.self) == ["first", "second", "fifth", "last"])
    #expect(ConditionalTrip._$count == 4)
    #expect(names(ConditionalSubtrip.self) == ["own", "end"])
    #expect(ConditionalSubtrip._$count == 6)
    let values: [StoreValue] = [
      .integer(10), .string("x"), .null, .integer(30), .string("y"), .bool(false),
    ]
    let trip = try ConditionalSubtrip(_$row: ListReader(values))
    #expect(trip.first == 10)
    #expect(trip.second == "x")
    #expect(trip.fifth == nil)
    #expect(trip.last == 30)
    #expect(trip.own == "y")
    #expect(!trip.end)
    #expect(ListWriter.values(of: trip) == values)
  }

  @Test func `run property observers as Swift does`() {
    let trip = ObservedTrip(plain: .distantPast)
    #expect(trip.log == [])
    trip.name = "a"
    trip.name = "a"
    trip.count = 5
    trip.count = 50
    trip.tags = ["x", "y"]
    trip.plain = .now
    #expect(
      trip.log == ["will a", "did ", "will a", "from 0", "from 5", "0 to 2", "plain"]
    )
    #expect(trip.count == 10)
  }

  @Test func `run no property observers when a store fills an object`() throws {
    let values: [StoreValue] = [.string("n"), .integer(1), .array([]), .date(.now)]
    let trip = try ObservedTrip(_$row: ListReader(values))
    try trip._$read(0, from: ListReader([.string("m")]))
    #expect(trip.name == "m")
    #expect(trip.log == [])
  }

  @Test func `keep the observer and the storage of an overriding property`() {
    let trip = OverridingTrip()
    trip.name = "x"
    #expect(trip.changes == 1)
    #expect(trip.name == "x")
    #expect(OverridingTrip._$count == OpenTrip._$count)
  }

  @Test func `write and read constants`() throws {
    let trip = ConstantTrip(key: "k")
    let values = ListWriter.values(of: trip)
    let copy = try ConstantTrip(_$row: ListReader(values))
    #expect(copy.key == "k")
    #expect(copy.a == 1)
    #expect(copy.b == nil)
    #expect(copy.points == [Point()])
    #expect(ConstantTrip._$count == 5)
  }

  @Test func `start optionals as nil without an initializer`() {
    let optionals = Optionals()
    #expect(optionals.note == nil)
    #expect(optionals.link == nil)
    #expect(optionals.mood == nil)
    #expect(optionals.partner == nil)
    optionals.partner = Optionals()
    #expect(optionals.partner != nil)
  }

  @Test func `of an actor-isolated class have a schema that is readable anywhere`() async throws {
    let listed = await Task.detached {
      [MainTrip.self, MainSubtrip.self].map { $0.schemaMetadata.map(\.name) }
    }.value
    #expect(listed == [["name", "points", "id2"], ["extra"]])
    let trip = await MainActor.run { () -> [String] in
      let trip = MainSubtrip(id2: 3)
      trip.points = [Point(x: 1, y: 1)]
      trip.name = "changed"
      return [trip.name, "\(trip.points.count)", "\(MainSubtrip._$count)"]
    }
    #expect(trip == ["changed", "1", "4"])
    #expect(names(PartlyBound.self) == ["bound", "free"])
  }

  @Test func `include generic and nested classes`() throws {
    let box = Box<Point>()
    box.all = [Point()]
    box.content = Point(x: 2, y: 2)
    #expect(try Box<Point>(_$row: ListReader(ListWriter.values(of: box))).content?.x == 2)
    #expect(IntBox._$count == 3)
    #expect(names(IntBox.self) == ["more"])
    #expect(Outer.Inner().value == 1)
    #expect(Outer.Generic<Int>.Deep(value: 3).value == 3)
    #expect(Outer.extendedCount == 1)
    #expect(privateTripCount == 1)
  }

  @Test func `include classes without properties`() throws {
    #expect(EmptySub._$count == 0)
    #expect(EmptySub.schemaMetadata.isEmpty)
    #expect(try ListWriter.values(of: EmptySub(_$row: ListReader([]))).isEmpty)
  }

  @Test func `list relationships with their arguments`() throws {
    let children = try #require(Parent.schemaMetadata.first { $0.name == "children" })
    let relationship = try #require(children.metadata as? Schema.Relationship)
    #expect(relationship.deleteRule == .cascade)
    #expect(relationship.inverseKeyPath == \Child.parent)
    #expect(children.keypath == \Parent.children)
  }

  @Test func `notify observers of changes`() {
    let trip = OddTrip()
    let box = Box<Point>()
    let generic = Outer.Generic<Int>.Deep(value: 1)
    let sub = ConditionalSubtrip()
    let reads: [(read: () -> Void, write: () -> Void)] = [
      ({ _ = trip.title }, { trip.title = "x" }), ({ _ = trip.map }, { trip.map = [:] }),
      ({ _ = trip.`in two words` }, { trip.`in two words` = [] }),
      ({ _ = box.all }, { box.all = [] }), ({ _ = generic.value }, { generic.value = 2 }),
      ({ _ = sub.own }, { sub.own = "x" }), ({ _ = sub.first }, { sub.first = 2 }),
    ]
    for access in reads {
      let flag = Flag()
      withObservationTracking(access.read) { flag.isSet = true }
      access.write()
      #expect(flag.isSet)
    }
  }

  /// A flag that a closure sets on the same thread.
  private final class Flag: @unchecked Sendable {
    // Unchecked: the test uses it on one thread.
    var isSet = false
  }
}
