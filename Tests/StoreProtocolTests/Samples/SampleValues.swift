import Foundation

/// An enumeration with raw values whose order is that of the raw values.
enum Rank: Int, Codable, CaseIterable, Comparable {
  case low = 1
  case middle = 2
  case high = 10

  static func < (lhs: Rank, rhs: Rank) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An enumeration whose raw values are texts.
enum Genre: String, Codable {
  case novel, essay
  case poem = "verse"
}

/// An enumeration that is ordered against its raw values.
enum Inverted: Int, Codable, CaseIterable, Comparable {
  case first = 1
  case second = 2

  static func < (lhs: Inverted, rhs: Inverted) -> Bool { lhs.rawValue > rhs.rawValue }
}

/// A structure with a renamed member, swapped names, an enumeration and a nested structure.
struct Address: Codable, Equatable {
  struct Place: Codable, Equatable {
    var latitude: Double
    var name: String?
  }

  let city: String
  var zip: Int
  var street: String?
  var kind: Genre
  var place: Place

  private enum CodingKeys: String, CodingKey {
    case city = "street"
    case street = "city"
    case zip = "code"
    case kind, place
  }

  var label: String { "\(zip) \(city)" }
}
