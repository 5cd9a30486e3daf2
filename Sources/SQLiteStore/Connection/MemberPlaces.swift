import CSQLite
import Foundation

/// The place of a member in the list that its owner keeps, as a function of SQL: SQLite's own way to
/// read a list cannot be asked from inside of two queries.
///
/// Members are asked for one after the other of the same list, which is read once.
final class MemberPlaces {
  /// The name that statements call the function by.
  static let name = "osd_place"

  private var list: [UInt8] = []
  private var places: [Int64: Int64] = [:]

  /// The place of a key in a list of keys as JSON; behind all places where it has none.
  func place(_ arguments: FunctionArguments) -> Int64 {
    guard arguments.storage(at: 0) == .text else { return .max }
    arguments.withBytes(at: 0) { bytes in
      guard !bytes.elementsEqual(list) else { return }
      list = Array(bytes)
      places = Dictionary(
        KeyList.decoded(String(decoding: bytes, as: UTF8.self)).enumerated().map {
          ($1, Int64($0))
        },
        uniquingKeysWith: { first, _ in first }
      )
    }
    return places[arguments.integer(at: 1)] ?? .max
  }
}
