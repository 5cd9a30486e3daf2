import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("Misuse of the encoder and the decoder")
struct CoderMisuseTests {
  private enum Key: String, CodingKey { case a, b }

  private struct TwoShapes: Encodable {
    func encode(to encoder: any Encoder) throws {
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(1, forKey: .a)
      var list = encoder.unkeyedContainer()
      try list.encode(2)
    }
  }

  private struct TwoValues: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
  }

  private struct Nothing: Codable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
  }

  private struct SameKeyTwice: Encodable {
    func encode(to encoder: any Encoder) throws {
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(1, forKey: .a)
      try keyed.encode(2, forKey: .b)
      try keyed.encode(3, forKey: .a)
    }
  }

  private struct Interleaved: Codable, Equatable {
    var inner = [1, 2]
    var outer = "x"

    init() {}

    init(from decoder: any Decoder) throws {
      let keyed = try decoder.container(keyedBy: Key.self)
      var list = try keyed.nestedUnkeyedContainer(forKey: .a)
      inner = []
      while !list.isAtEnd { inner.append(try list.decode(Int.self)) }
      outer = try keyed.nestedContainer(keyedBy: Key.self, forKey: .b).decode(
        String.self,
        forKey: .a
      )
    }

    func encode(to encoder: any Encoder) throws {
      var keyed = encoder.container(keyedBy: Key.self)
      var list = keyed.nestedUnkeyedContainer(forKey: .a)
      try list.encode(1)
      var nested = keyed.nestedContainer(keyedBy: Key.self, forKey: .b)
      try nested.encode(outer, forKey: .a)
      try list.encode(2)
    }
  }

  /// Nested containers without a value between them.
  private struct Containers: Encodable {
    let depth: Int
    let isKeyed: Bool

    func encode(to encoder: any Encoder) throws {
      if isKeyed {
        var container = encoder.container(keyedBy: Key.self)
        for _ in 1..<depth { container = container.nestedContainer(keyedBy: Key.self, forKey: .a) }
        try container.encode(1, forKey: .b)
      } else {
        var container = encoder.unkeyedContainer()
        for _ in 1..<depth { container = container.nestedUnkeyedContainer() }
        try container.encode(1)
      }
    }
  }

  @Test(arguments: [1, 64, 66, 2_000], [true, false])
  func `nested containers are refused beyond the limit`(
    depth: Int,
    isKeyed: Bool
  ) throws {
    try SmallStack.run {
      let value = Containers(depth: depth, isKeyed: isKeyed)
      if depth <= 64 {
        _ = try StoreValueEncoder.encode(value)
      } else {
        #expect(throws: DataStoreError.invalidValue) { try StoreValueEncoder.encode(value) }
      }
    }
  }

  /// Printing it takes a stack frame for each level, of which a program may have thousands.
  @Test func `the error of a deep value does not contain it`() throws {
    var nest = Nest(inner: [])
    for _ in 0..<70 { nest = Nest(inner: [nest]) }
    let error = #expect(throws: DataStoreError.invalidValue) { try StoreValueEncoder.encode(nest) }
    let text = try #require(error.map { "\($0) \($0.cause.map { "\($0)" } ?? "")" })
    #expect(text.contains("nests deeper than 64 levels") && text.contains("Nest"))
    #expect(!text.contains("inner: ["))
  }

  @Test func `a value that encodes two values is refused`() {
    #expect(throws: DataStoreError.invalidValue) { try StoreValueEncoder.encode(TwoShapes()) }
    #expect(throws: DataStoreError.invalidValue) { try StoreValueEncoder.encode([TwoValues()]) }
  }

  @Test func `a value that encodes nothing is empty`() throws {
    #expect(try StoreValueEncoder.encode(Nothing()) == .composite([]))
    _ = try StoreValueDecoder.decode(Nothing.self, from: .null)
  }

  @Test func `the last of two values for one key is kept`() throws {
    #expect(
      try StoreValueEncoder.encode(SameKeyTwice())
        == .composite([.init("a", .integer(3)), .init("b", .integer(2))])
    )
  }

  @Test func `containers can be filled alternately`() throws {
    let stored = try StoreValueEncoder.encode(Interleaved())
    #expect(try StoreValueDecoder.decode(Interleaved.self, from: stored) == Interleaved())
  }

  @Test(arguments: [
    StoreValue.null, .bool(true), .integer(1), .string("x"), .array([]), .composite([]),
    .array([.integer(1)]), .composite([.init("a", .null)]), .identifiers([]), .date(.distantPast),
  ])
  func `decoding any value as any type does not crash`(_ stored: StoreValue) {
    func attempt<V: Decodable>(_ type: V.Type) {
      _ = try? StoreValueDecoder.decode(V.self, from: stored)
    }
    attempt(Everything.self)
    attempt(Circle.self)
    attempt(Interleaved.self)
    attempt(Point.self)
    attempt([Int].self)
    attempt([String: Int].self)
    attempt([UUID: Int].self)
    attempt(Set<Int?>.self)
    attempt(AnyScalar.self)
    attempt(Everything.Payload.self)
    attempt(Int??.self)
    attempt(Date.self)
  }
}

/// A value that contains values of its type.
private struct Nest: Codable {
  var inner: [Nest]
}
