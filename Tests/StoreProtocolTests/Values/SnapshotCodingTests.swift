import Foundation
import StoreProtocol
import Testing

@Suite("Coding of records and identifiers")
struct SnapshotCodingTests {
  private static let permanent = PersistentIdentifier(
    scope: PersistentIdentifier.Scope(storeIdentifier: "S", entityName: "E"),
    key: .integer(.max)
  )
  private static let text = PersistentIdentifier(
    scope: PersistentIdentifier.Scope(storeIdentifier: "S", entityName: "E"),
    key: .text("k/\u{E9}")
  )
  private static let temporary = PersistentIdentifier(
    scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: "E"),
    key: .temporary(PersistentIdentifier.nextTemporaryNumber())
  )

  private func coded<V: Codable>(_ value: V) throws -> V {
    try JSONDecoder().decode(V.self, from: JSONEncoder().encode(value))
  }

  @Test(arguments: [permanent, text, temporary])
  func `an identifier is decoded exactly`(_ identifier: PersistentIdentifier) throws {
    #expect(try coded(identifier) == identifier)
    let stored = try StoreValueEncoder.encode(identifier)
    #expect(try StoreValueDecoder.decode(PersistentIdentifier.self, from: stored) == identifier)
  }

  private static let values: [StoreValue] =
    [
      .null, .bool(false), .bool(true), .integer(0), .integer(1), .integer(.min), .unsigned(.max),
      .identifier(permanent), .identifier(temporary), .identifiers([]),
      .identifiers([text, permanent]), .array([]), .array([.null, .array([.bool(true)])]),
      .composite([]), .composite([.init("$date", .integer(1)), .init("", .null)]),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))), .decimal(.nan),
      .double(.signalingNaN), .double(-.nan),
    ] + HardValues.doubles.map(StoreValue.double) + HardValues.texts.map(StoreValue.string)
    + HardValues.dates.map(StoreValue.date) + HardValues.decimals.map(StoreValue.decimal)
    + HardValues.bytes.map(StoreValue.data)

  @Test(arguments: values)
  func `a record with one value is decoded exactly`(_ value: StoreValue) throws {
    let entity = StoreEntity(
      name: "E",
      properties: [StoreProperty(name: "p", kind: .attribute(.codable))]
    )
    let record = DefaultSnapshot(
      persistentIdentifier: Self.permanent,
      entity: entity,
      values: [value]
    )
    #expect(try coded(record)["p"] == value)
  }

  @Test func `a record with all values is decoded by name`() throws {
    let names = Self.values.indices.map { "p\($0)" }
    let record = DefaultSnapshot(
      persistentIdentifier: Self.permanent,
      names: PropertyNames(names),
      values: Self.values
    )
    let back = try coded(record)
    #expect(back.persistentIdentifier == Self.permanent)
    for (name, value) in zip(names, Self.values) { #expect(back[name] == value) }
  }

  @Test func `a copy has another identifier, its references remapped, and the same version`() {
    var record = DefaultSnapshot(
      persistentIdentifier: Self.temporary,
      names: PropertyNames(["name", "friend"]),
      values: [.string("a"), .identifier(Self.temporary)]
    )
    record.version = 7
    let copy = record.copy(
      persistentIdentifier: Self.text,
      remappedIdentifiers: [Self.temporary: Self.permanent]
    )
    #expect(copy.persistentIdentifier == Self.text)
    #expect(copy.values == [.string("a"), .identifier(Self.permanent)])
    #expect(copy.version == 7)
  }
}
