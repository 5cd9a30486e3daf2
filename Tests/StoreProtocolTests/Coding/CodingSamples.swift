import Foundation

/// A structure with everything that Codable types hold.
struct Everything: Codable, Equatable {
  enum Payload: Codable, Equatable {
    case nothing
    case one(Int)
    case labelled(x: Int?, String)
    indirect case nested(Payload)
  }

  enum Key: String, Codable, CodingKeyRepresentable { case left, right }

  var bool = true
  var int = Int.min
  var int8 = Int8.min
  var int16 = Int16.max
  var int32 = Int32.min
  var int64 = Int64.max
  var uint = UInt.max
  var uint8 = UInt8.max
  var uint64 = UInt64(Int64.max) + 1
  var double = -0.0
  var float = Float(0.1)
  var string = "e\u{301}\0"
  var date = Date(timeIntervalSinceReferenceDate: 7.25e8 + 0.000_001)
  var data = Data([0, 255])
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var decimal = Decimal(string: "12345678901234567890123456789012345678") ?? 0
  var url = URL(string: "https://a.b/c?d=e#f")
  var nothing: Int?
  var something: Int? = 3
  var list: [Double?] = [1, nil, .infinity]
  var set: Set<String> = ["b", "a", "\u{E9}"]
  var named: [String: [Int]] = ["b": [1], "a": []]
  var numbered: [Int: Payload] = [-1: .nothing, 10: .one(1)]
  var keyed: [Key: Int] = [.right: 2, .left: 1]
  var paired: [UUID: Bool] = [:]
  var payloads: [Payload] = [.nothing, .one(-1), .labelled(x: nil, "q"), .nested(.one(2))]
  var character: [Int8: String] = [1: "x"]
}

/// A class that encodes its part through a super encoder, and one that inherits from it.
class Shape: Codable {
  var name: String

  init(name: String) { self.name = name }
}

final class Circle: Shape {
  var radius: Double

  private enum CodingKeys: String, CodingKey { case radius }

  init(name: String, radius: Double) {
    self.radius = radius
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    radius = try container.decode(Double.self, forKey: .radius)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(radius, forKey: .radius)
    try super.encode(to: container.superEncoder())
  }
}

/// A value that tries one kind after the other when it is read, as models of JSON do.
enum AnyScalar: Codable, Equatable {
  case bool(Bool), int(Int), double(Double), string(String), list([AnyScalar]), null

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else {
      self = .list(try container.decode([AnyScalar].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .null: try container.encodeNil()
    }
  }
}

/// A list of lists, as deep as one likes.
final class Chain: Codable {
  let next: Chain?

  init(depth: Int) { next = depth > 1 ? Chain(depth: depth - 1) : nil }
}

/// A coordinate that encodes itself without keys.
struct Point: Codable, Equatable {
  var x: Double
  var y: Double

  init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    x = try container.decode(Double.self)
    y = try container.decode(Double.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(x)
    try container.encode(y)
  }
}
