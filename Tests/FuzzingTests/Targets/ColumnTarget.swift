import StoreProtocol
import StructuredText

@testable import SQLiteStore

/// Structured values in columns of text.
enum ColumnTarget {
  static let seeds = [
    #"{"$object":{"$a":1,"b":[true,null,-1.5e300,"é\n"]}}"#, #"[{"$date":-1.5},{"$data":"AP8="}]"#,
    #"{"a":{"$double":"7ff8000000000000"},"b":{"$decimal":"-1.50"}}"#, "18446744073709551615",
    #"{"$identifiers":[["S","Item",4],[null,"Item","k"]]}"#, #"{"$identifier":["S","I",1]}"#,
    #"[{"$uuid":"01020304-0506-0708-090A-0B0C0D0E0F10"}]"#, "[1,2,3]",
  ].map { Array($0.utf8) }

  /// What is read from a column is written and read back alike.
  static func read(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = KeyList.decoded(text)
    let value: StoreValue
    do {
      value = try JSONText.decoded(text)
    } catch is JSONText.Malformed {
      return
    }
    let written: String
    do {
      written = try JSONText.encoded(value)
    } catch is JSONText.NotStorable {
      return
    }
    let again = try JSONText.decoded(written)
    try FuzzFailure.unless(
      JSONText.encoded(again) == written,
      "\(written) is not what it is read as"
    )
  }
}
