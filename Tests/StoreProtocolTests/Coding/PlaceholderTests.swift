import Foundation
import ModelRuntime
import StoreProtocol
import Testing

@Suite("A placeholder")
struct PlaceholderTests {
  private enum Listed: String, Codable, CaseIterable { case one, two }
  private enum Raw: Int, Codable { case five = 5, six }
  private enum RawText: String, Codable { case only }
  private enum Payload: Codable, Equatable { case number(Int), nothing }
  private struct Holder: Codable {
    var name: String
    var point: Point
    var list: [Int]
    var map: [String: Int]
    var optional: Raw?
    var raw: Raw
    var listed: Listed
    var text: RawText
    var payload: Payload
  }
  private struct TextPayload: Codable {
    enum Inner: Codable { case text(String) }
    var inner: Inner
  }
  private enum Texts: Codable, Equatable { case text(String), list([String]) }
  private struct Refusal: Error {}
  private struct Address: Codable, Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard text.contains("@") else { throw Refusal() }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  private final class Endless: Codable {
    let next: Endless
  }

  @Test func `of a structure has zero, empty, nil or first-case properties`() throws {
    let value = try #require(PlaceholderDecoder.value(of: Holder.self))
    #expect(value.name.isEmpty)
    #expect(value.point == Point(x: 0, y: 0))
    #expect(value.list.isEmpty)
    #expect(value.map.isEmpty)
    #expect(value.optional == nil)
    #expect(value.raw == .five)
    #expect(value.listed == .one)
    #expect(value.text == .only)
    #expect(value.payload == .number(0))
  }

  @Test func `of a scalar is zero, of a collection empty, and of an optional nil`() {
    #expect(PlaceholderDecoder.value(of: Int8.self) == 0)
    #expect(PlaceholderDecoder.value(of: Bool.self) == false)
    #expect(PlaceholderDecoder.value(of: Date.self) == Date(timeIntervalSinceReferenceDate: 0))
    #expect(PlaceholderDecoder.value(of: [String?].self) == [])
    #expect(PlaceholderDecoder.value(of: Set<Int>.self) == [])
    #expect(PlaceholderDecoder.value(of: Int?.self) == .some(nil))
  }

  @Test func `of an enumeration with payloads is its first case`() {
    #expect(PlaceholderDecoder.value(of: Texts.self) == .text(""))
    #expect(PlaceholderDecoder.value(of: [String: Texts].self) == [:])
  }

  @Test func `of a type that refuses simple values is the first value that was written`() {
    #expect(PlaceholderDecoder.value(of: Address.self) == nil)
    let writer = RowWriter()
    writer.write(0, _Slot(Address("a@b")))
    writer.write(0, _Slot(Address("c@d")))
    #expect(PlaceholderDecoder.value(of: Address.self) == Address("a@b"))
  }

  @Test func `of a type without a simple value is nil`() {
    #expect(PlaceholderDecoder.value(of: TextPayload.self) == nil)
    #expect(PlaceholderDecoder.value(of: Endless.self) == nil)
    #expect(PlaceholderDecoder.value(of: Never.self) == nil)
  }
}
