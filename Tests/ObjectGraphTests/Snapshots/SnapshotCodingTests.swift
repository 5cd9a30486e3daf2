import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A snapshot as JSON")
struct SnapshotCodingTests {
  private func encoder(identified: Bool = false) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if identified { encoder.userInfo[.modelIdentifiers] = true }
    return encoder
  }

  private func decoder(identified: Bool = false) -> JSONDecoder {
    let decoder = JSONDecoder()
    if identified { decoder.userInfo[.modelIdentifiers] = true }
    return decoder
  }

  private func text(_ value: some Encodable, _ encoder: JSONEncoder) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func `is an object with the names of properties and nested relationships`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let voyage = try saveVoyage(in: context)
    voyage.start = Date(timeIntervalSince1970: 0)
    let encoder = encoder()
    encoder.dateEncodingStrategy = .iso8601
    let copy = try voyage.snapshot(including: \.legs, \Voyage.captain, \Leg.voyage)
    #expect(
      try text(copy, encoder)
        == #"{"captain":{"badge":7,"name":"Ada"},"days":3,"#
        + #""harbour":{"city":"Bergen"},"legs":[{"miles":1,"title":"first"},"#
        + #"{"miles":1,"title":"second"}],"log":["out",""],"name":"North","rating":"rough","#
        + #""start":"1970-01-01T00:00:00Z","worst":null}"#
    )
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `decodes as equal, except for identifiers that were not encoded`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(forVoyages: store)
    let copy = try saveVoyage(in: fixture.context())
      .snapshot(including: \.legs, \Voyage.captain, \Leg.voyage, \Captain.chests)
    let data = try encoder(identified: true).encode(copy)
    let back = try decoder(identified: true).decode(ModelSnapshot<Voyage>.self, from: data)
    #expect(back.persistentModelID == copy.persistentModelID)
    #expect(back.legs == copy.legs)
    #expect(back.identifiers(of: \.flags) == copy.identifiers(of: \.flags))
    #expect(back.captain?.chests.map(\.label) == ["tools"])
    #expect(try encoder(identified: true).encode(back) == data)
    let plain = try decoder().decode(ModelSnapshot<Voyage>.self, from: encoder().encode(copy))
    #expect(plain.persistentModelID == nil && plain.legs[0].persistentModelID == nil)
    #expect(!plain.holds(\.flags) && plain.legs[0].voyage == nil)
    #expect(plain.name == copy.name && plain.legs.map(\.title) == copy.legs.map(\.title))
    #expect(plain.start == copy.start && plain.harbour == copy.harbour)
  }

  @Test(arguments: [
    (#"{"nmae": "North"}"#, "Voyage", "nmae"),
    (#"{"$entity": "CargoVoyage", "name": "North", "weight": 1}"#, "CargoVoyage", "weight"),
    (#"{"legs": [{"title": "first"}, {"title": "second", "length": 2}]}"#, "Leg", "length"),
    (#"{"$version": 3}"#, "Voyage", "$version"),
  ])
  func `is refused with an unknown member if that is strict`(
    body: String,
    entity: String,
    member: String
  ) throws {
    let decoder = decoder()
    decoder.userInfo[.partialSnapshots] = true
    _ = try decoder.decode(ModelSnapshot<Voyage>.self, from: Data(body.utf8))
    decoder.userInfo[.strictSnapshots] = true
    let error = #expect(throws: DataStoreError.self) {
      try decoder.decode(ModelSnapshot<Voyage>.self, from: Data(body.utf8))
    }
    #expect(error == .invalidValue)
    #expect(error?.entity == entity && error?.property == member)
  }

  @Test func `is read in full if decoding is strict`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let copy = try saveVoyage(in: context)
      .snapshot(including: \.legs, \Voyage.captain, \Leg.voyage)
    for identified in [false, true] {
      let decoder = decoder(identified: identified)
      decoder.userInfo[.strictSnapshots] = true
      let data = try encoder(identified: identified).encode(copy)
      let back = try decoder.decode(ModelSnapshot<Voyage>.self, from: data)
      #expect(back.name == copy.name && back.legs.count == 2)
    }
  }

  @Test func `names the model of an object of a subclass`() throws {
    let fixture = try ContainerFixture(forVoyages: .memory)
    let context = try fixture.context()
    let captain = Captain("Ada")
    captain.voyages = [Voyage("North"), CargoVoyage("Freight", tons: 2)]
    context.insert(captain)
    let data = try encoder().encode(captain.snapshot(including: \.voyages))
    #expect(String(decoding: data, as: UTF8.self).contains(#""$entity":"CargoVoyage""#))
    let back = try decoder().decode(ModelSnapshot<Captain>.self, from: data)
    #expect(back.voyages.map(\.entityName) == ["Voyage", "CargoVoyage"])
    #expect(back.voyages[1].as(CargoVoyage.self)?.tons == 2)
  }

  @Test func `can lack values that are optional or have an initial value`() throws {
    let body = Data(#"{"name": "N", "start": 0, "unknown": [{}], "legs": [{"title": "a"}]}"#.utf8)
    let copy = try decoder().decode(ModelSnapshot<Voyage>.self, from: body)
    #expect(copy.name == "N" && copy.rating == .calm && copy.days == nil)
    #expect(copy.legs.map(\.title) == ["a"])
    #expect(copy.holds(\.legs) && !copy.holds(\.rating) && !copy.holds(\.days))
  }

  @Test(arguments: [
    (#"{"start": 0}"#, "Voyage", "name"),
    (#"{"name": null, "start": 0}"#, "Voyage", "name"),
    (#"{"name": "N", "start": "soon"}"#, "Voyage", "start"),
    (#"{"name": "N", "start": 0, "rating": "mild"}"#, "Voyage", "rating"),
    (#"{"name": "N", "start": 0, "harbour": {}}"#, "Voyage", "harbour"),
    (#"{"name": "N", "start": 0, "legs": {}}"#, "Voyage", "legs"),
    (#"{"name": "N", "start": 0, "legs": [{"title": 1}]}"#, "Leg", "title"),
    (#"{"name": "N", "start": 0, "captain": {"name": "x"}}"#, "Captain", "badge"),
    (#"{"$entity": "Leg", "name": "N", "start": 0}"#, "Voyage", nil),
    (#"{"$entity": 5}"#, "Voyage", nil),
    ("[]", "Voyage", nil),
  ])
  func `with an invalid value is an error that names the property`(
    body: String,
    entity: String,
    property: String?
  ) throws {
    let error = #expect(throws: DataStoreError.self) {
      try decoder().decode(ModelSnapshot<Voyage>.self, from: Data(body.utf8))
    }
    #expect(error == .invalidValue)
    #expect(error?.entity == entity)
    #expect(error?.property == property)
  }

  @Test func `that nests too deeply is an error`() throws {
    func body(_ levels: Int) -> Data {
      let open = String(repeating: #"{"id":"\#(UUID())","name":"x","crew":["#, count: levels)
      return Data((open + String(repeating: "]}", count: levels)).utf8)
    }
    _ = try decoder().decode(ModelSnapshot<Sailor>.self, from: body(64))
    #expect(throws: DataStoreError.invalidValue) {
      try decoder().decode(ModelSnapshot<Sailor>.self, from: body(70))
    }
  }

  @Test func `with a value that cannot be encoded is an error that names it`() throws {
    var copy = ModelSnapshot<Unwritable>()
    copy.content = Content(refuses: false)
    #expect(try text(copy, encoder()) == #"{"content":{}}"#)
    copy.content = Content(refuses: true)
    #expect(!copy.content.refuses)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try encoder().encode(copy)
    }
    #expect(error?.entity == "Unwritable" && error?.property == "content")
    let object = Unwritable()
    object.content = Content(refuses: true)
    #expect(throws: SwiftDataError.modelValidationFailure) { try object.snapshot() }
  }

  @Test func `never traps, whatever its bytes`() throws {
    let context = try ContainerFixture(forVoyages: .memory).context()
    let copy = try saveVoyage(in: context)
      .snapshot(including: \.legs, \Voyage.captain, \Voyage.flags)
    let bytes = Array(try encoder(identified: true).encode(copy))
    var random = SeededGenerator(seed: 4)
    var decoded = 0
    for _ in 0..<3_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: changed.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changed[index] = UInt8.random(in: 32..<127, using: &random)
        case 1: changed.remove(at: index)
        default: changed.swapAt(index, Int.random(in: changed.indices, using: &random))
        }
      }
      let decoder = decoder(identified: true)
      guard let back = try? decoder.decode(ModelSnapshot<Voyage>.self, from: Data(changed)) else {
        continue
      }
      decoded += 1
      _ = (back.name, back.start, back.harbour, back.rating, back.legs.map(\.title), back.title)
      _ = try? context.upsert(back)
      context.rollback()
    }
    #expect(decoded > 100)
  }
}

@Suite("A snapshot of characters")
struct CharacterSnapshotTests {
  @Test func `encodes characters as strings in JSON`() throws {
    var copy = ModelSnapshot<Letters>()
    #expect(copy.first == "a" && copy.second == nil)
    copy.first = "e\u{301}"
    copy.second = "👩‍👩‍👧"
    let data = try JSONEncoder().encode(copy)
    let back = try JSONDecoder().decode(ModelSnapshot<Letters>.self, from: data)
    #expect(back == copy && back.first == "e\u{301}" && back.second == "👩‍👩‍👧")
    let error = #expect(throws: DataStoreError.invalidValue) {
      try JSONDecoder().decode(ModelSnapshot<Letters>.self, from: Data(#"{"first": "ab"}"#.utf8))
    }
    #expect(error?.property == "first")
    let context = try ContainerFixture(.memory, for: Letters.self).context()
    let letters = try context.upsert(back)
    #expect(letters.first == "e\u{301}" && letters.second == "👩‍👩‍👧")
    try context.save()
    copy = try letters.snapshot()
    copy.first = "z"
    copy.second = nil
    #expect(try context.upsert(copy) === letters)
    #expect(letters.first == "z" && letters.second == nil)
  }
}

@Model
private final class Letters {
  var first: Character = "a"
  var second: Character?

  init() {}
}

private struct Content: Codable {
  struct Refused: Error {}
  var refuses: Bool

  init(refuses: Bool) { self.refuses = refuses }

  init(from decoder: any Decoder) throws { refuses = false }

  func encode(to encoder: any Encoder) throws {
    if refuses { throw Refused() }
    _ = encoder.container(keyedBy: Key.self)
  }

  private enum Key: CodingKey {}
}

@Model
private final class Unwritable {
  var content: Content = Content(refuses: false)

  init() {}
}
