import CSQLite
import Foundation

/// An SQL function that returns the position of a related object in its owner's list.
///
/// SQLite's own way to read a list cannot be used inside two nested queries. Calls mostly ask for
/// the positions of one list in a row, which is decoded once.
final class MemberPositions {
  /// The name of the function in statements.
  static let name = "osd_place"

  private var list: [UInt8] = []
  private var positions: [Int64: Int64] = [:]

  /// Returns the position of a key in a list of keys as JSON, or the greatest integer if it has
  /// none.
  func position(_ arguments: FunctionArguments) -> Int64 {
    guard arguments.storage(at: 0) == .text else { return .max }
    arguments.withBytes(at: 0) { bytes in
      guard !bytes.elementsEqual(list) else { return }
      list = Array(bytes)
      positions = Dictionary(
        firstOf: KeyList.decoded(String(decoding: bytes, as: UTF8.self)).enumerated().map {
          ($1, Int64($0))
        }
      )
    }
    return positions[arguments.integer(at: 1)] ?? .max
  }
}
