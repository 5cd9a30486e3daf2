import Foundation
import StoreProtocol
import Testing

@Suite("Encoding and decoding of Codable values")
struct StoreValueCodingTests {
  private func roundTrip<V: Codable>(_ value: V) throws -> V {
    try StoreValueDecoder.decode(V.self, from: StoreValueEncoder.encode(value))
  }

  @Test func `a structure with all types is decoded exactly`() throws {
    let value = Everything()
    #expect(try roundTrip(value) == value)
    let stored = try StoreValueEncoder.encode(value)
    #expect(try StoreValueEncoder.encode(roundTrip(value)) == stored)
  }

  @Test func `components have the order of encoding, and scalars keep their type`() throws {
    struct Sample: Codable {
      var z = 1
      var a = UInt64.max
      var date = Date(timeIntervalSinceReferenceDate: 1)
      var data = Data([1])
      var nothing: Int?
      var url = URL(string: "a:b")
    }
    #expect(
      try StoreValueEncoder.encode(Sample())
        == .composite([
          .init("z", .integer(1)), .init("a", .unsigned(.max)),
          .init("date", .date(Date(timeIntervalSinceReferenceDate: 1))),
          .init("data", .data(Data([1]))), .init("url", .string("a:b")),
        ])
    )
  }

  @Test(arguments: [Double.nan, -.nan, .signalingNaN, -0.0, .infinity, .leastNonzeroMagnitude])
  func `floating-point numbers keep their bits`(_ value: Double) throws {
    #expect(try StoreValueEncoder.encode([value]) == .array([.double(value)]))
    #expect(try roundTrip([value]).first?.bitPattern == value.bitPattern)
  }

  @Test func `nested optionals keep their level`() throws {
    struct Sample: Codable, Equatable { var value: Int?? }
    for value in [Int??.none, .some(nil), .some(1)] {
      #expect(try roundTrip(Sample(value: value)) == Sample(value: value))
      #expect(try roundTrip([value]) == [value])
      #expect(try roundTrip(value) == value)
    }
    #expect(try roundTrip(Int???.some(.some(nil))) == .some(.some(nil)))
  }

  @Test func `nil is encoded as null and decoded as nil`() throws {
    #expect(try StoreValueEncoder.encode(String?.none) == .null)
    #expect(try roundTrip(Everything.Payload?.none) == nil)
    #expect(try roundTrip([Int?.none, 1]) == [nil, 1])
  }

  @Test func `equal sets and dictionaries are encoded equally`() throws {
    let numbers = (0..<100).map { $0 * 7919 % 101 }
    let forward = try StoreValueEncoder.encode(Set(numbers))
    let backward = try StoreValueEncoder.encode(Set(numbers.reversed()))
    #expect(forward == backward)
    let pairs = numbers.map { (String($0), $0) }
    let first = Dictionary(pairs, uniquingKeysWith: { a, _ in a })
    let second = Dictionary(pairs.reversed(), uniquingKeysWith: { a, _ in a })
    #expect(try StoreValueEncoder.encode(first) == StoreValueEncoder.encode(second))
    #expect(try StoreValueEncoder.encode([3: "x"]) == .composite([.init("3", .string("x"))]))
    #expect(try StoreValueEncoder.encode([String: Int]()) == .composite([]))
  }

  @Test func `a class hierarchy is encoded by super encoders`() throws {
    let circle = try roundTrip(Circle(name: "c", radius: 2))
    #expect(circle.name == "c")
    #expect(circle.radius == 2)
  }

  @Test func `a type that tries several types decodes the type that it encoded`() throws {
    let values: [AnyScalar] = [
      .bool(true), .int(1), .int(0), .double(3), .double(0.5), .string("1"), .null,
      .list([.int(2), .list([])]),
    ]
    #expect(try roundTrip(values) == values)
  }

  @Test func `unkeyed and nested containers are decoded exactly`() throws {
    #expect(try roundTrip([Point(x: 1, y: .infinity)]) == [Point(x: 1, y: .infinity)])
    #expect(try roundTrip([[[1], []], []]) == [[[1], []], []])
  }

  @Test func `depth is limited to 64 levels in both directions`() throws {
    #expect(throws: Never.self) { try roundTrip(Chain(depth: 60)) }
    #expect(throws: DataStoreError.invalidValue) {
      try StoreValueEncoder.encode(Chain(depth: 70))
    }
    var deep = StoreValue.composite([])
    for _ in 0..<70 { deep = .composite([.init("next", deep)]) }
    #expect(throws: DataStoreError.invalidValue) {
      try StoreValueDecoder.decode(Chain.self, from: deep)
    }
  }

  @Test func `a value that does not fit throws an error with its coding path`() throws {
    let error = #expect(throws: DataStoreError.self) {
      try StoreValueDecoder.decode(
        [[String: Int8]].self,
        from: .array([
          .composite([.init("a", .integer(300))])
        ])
      )
    }
    #expect(error == .invalidValue)
    guard case .typeMismatch(_, let context)? = error?.cause as? DecodingError else {
      Issue.record("the cause is \(String(describing: error?.cause))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["Index 0", "a"])
  }
}
