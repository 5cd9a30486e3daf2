import CSQLite
import StoreProtocol

/// The order and equality of strings in Swift as a collation of SQLite.
enum SwiftCollation {
  static let name = "SwiftText"

  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_collation_v2(
      connection,
      name,
      SQLITE_UTF8,
      nil,
      { _, firstCount, first, secondCount, second in
        let first = UnsafeRawBufferPointer(start: first, count: Int(firstCount))
        let second = UnsafeRawBufferPointer(start: second, count: Int(secondCount))
        let order = TextOrder.order(
          String(decoding: first, as: UTF8.self),
          String(decoding: second, as: UTF8.self)
        )
        return Int32(order.signum())
      },
      nil
    )
  }
}
