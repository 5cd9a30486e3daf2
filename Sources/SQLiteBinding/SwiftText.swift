import CSQLite
import Foundation
import SQLTranslation
import StoreProtocol

/// The order and equality of Swift strings as a collation of SQLite, for columns with strings that
/// are not composed.
package enum SwiftText {
  package static let collation = "SwiftText"

  /// Registers the collation with a connection.
  package static func register(on connection: OpaquePointer?) -> Int32 {
    sqlite3_create_collation_v2(
      connection,
      collation,
      SQLITE_UTF8,
      nil,
      { _, firstCount, first, secondCount, second in
        SwiftText.order(
          UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
          UnsafeRawBufferPointer(start: second, count: Int(secondCount))
        )
      },
      nil
    )
  }

  private static func order(
    _ first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer
  ) -> Int32 {
    if isPlain(first), isPlain(second) { return byteOrder(first, second) }
    let order = StoreValue.sortOrder(
      .string(String(decoding: first, as: UTF8.self)),
      .string(String(decoding: second, as: UTF8.self))
    )
    return Int32(order)
  }

  /// Whether all scalars are below U+0300, so that bytes order as Swift does.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < ExactText.firstCombiningByte }
  }

  private static func byteOrder(
    _ first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer
  ) -> Int32 {
    let common = min(first.count, second.count)
    if common > 0, let a = first.baseAddress, let b = second.baseAddress {
      let order = memcmp(a, b, common)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return first.count == second.count ? 0 : first.count < second.count ? -1 : 1
  }
}
