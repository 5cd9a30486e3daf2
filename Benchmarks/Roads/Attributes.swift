import Foundation
import OpenSwiftData

@Model
final class Plain: SingleModel {
  static let road = "plain"

  var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Plain> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Plain> { .set(\.number, to: number) }
}

@Model
final class Unique: SingleModel {
  static let road = "unique"

  @Attribute(.unique) var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Unique> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Unique> { .set(\.number, to: number) }
}

@Model
final class Pair: SingleModel {
  #Unique<Pair>([\.code, \.number])

  static let road = "unique-pair"

  var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Pair> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Pair> { .set(\.number, to: number) }
}

@Model
final class Indexed: SingleModel {
  #Index<Indexed>([\.number], [\.code])

  static let road = "index"

  var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Indexed> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Indexed> { .set(\.number, to: number) }
}

/// A value of an attribute that is stored as its parts.
struct Size: Codable, Hashable {
  var width: Int
  var height: Int
}

@Model
final class Structured: SingleModel {
  static let road = "codable"

  var code: String
  var number: Int
  var size = Size(width: 1, height: 2)
  var labels = ["a", "b"]

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Structured> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Structured> { .set(\.number, to: number) }
}

@Model
final class External: SingleModel {
  static let road = "external"

  var code: String
  var number: Int
  @Attribute(.externalStorage) var picture: Data? = Data([1, 2, 3])

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<External> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<External> { .set(\.number, to: number) }
}

@Model
final class Ephemeral: SingleModel {
  static let road = "ephemeral"

  var code: String
  var number: Int
  @Attribute(.ephemeral) var isSelected: Bool? = true

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Ephemeral> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Ephemeral> { .set(\.number, to: number) }
}

@Model
final class Searched: SingleModel {
  static let road = "full-text"

  @Attribute(.fullText) var code: String
  var number: Int

  init(_ number: Int) {
    code = number.code
    self.number = number
  }

  static func hasCode(_ code: String) -> Predicate<Searched> { #Predicate { $0.code == code } }
  static func setsNumber(_ number: Int) -> PropertyUpdate<Searched> { .set(\.number, to: number) }
}
