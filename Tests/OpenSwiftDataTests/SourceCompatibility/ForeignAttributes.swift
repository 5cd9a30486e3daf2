import OpenSwiftData

/// An attribute as another library has them: a macro that adds nothing.
@attached(peer)
macro RemoteKey(_ name: String) =
  #externalMacro(module: "ModelMacros", type: "RemoteKeyMacro")

/// A structure with the name of one of Swift's, as games have it.
struct Character: Codable, Equatable { var strength = 1 }

/// An enumeration without raw values.
enum Weather: Codable, Equatable { case fair, rain(hours: Int) }

/// A JSON value, one case of which is encoded as null.
enum JSONValue: Codable, Equatable {
  case null, number(Int)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .null : .number(try container.decode(Int.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .number(let number): try container.encode(number)
    }
  }
}

@Model final class Message {
  @RemoteKey("d") var text: String
  @RemoteKey("h") var hero: Character = Character()
  @RemoteKey("r") @Attribute(.unique) var number: Int
  @RemoteKey("w") var weather = Weather.fair
  var second: Character?
  var payload = JSONValue.null

  init(_ number: Int, _ text: String) {
    self.number = number
    self.text = text
  }
}

extension Message: Comparable {
  static func < (lhs: Message, rhs: Message) -> Bool { lhs.number < rhs.number }
}

/// A model with an operator of its own.
@Model class Coin {
  var value: Int
  init(_ value: Int) { self.value = value }
}

extension Coin: Equatable {
  static func == (lhs: Coin, rhs: Coin) -> Bool { lhs.value == rhs.value }
}

/// A model with an operator of its own that an extension of another protocol declares.
@Model final class Card {
  var value: Int
  init(_ value: Int) { self.value = value }
}

extension Card: Comparable {
  static func == (lhs: Card, rhs: Card) -> Bool { lhs.value == rhs.value }
  static func < (lhs: Card, rhs: Card) -> Bool { lhs.value < rhs.value }
}
