import Foundation
import ModelLayer
import StoreFiles
import StoreProtocol
import StructuredText

@testable import JSONFileStore
@testable import SQLiteStore

/// Texts of users and out of rows.
enum TextTargets {
  static let urlSeeds = [
    "sqlite:trips.db", "json:///var/a%20b.json?durability=relaxed&timeout=0.5", "memory:",
  ].map { Array($0.utf8) }

  static let textSeeds = [
    #"{"$file":"0123456789abcdef0123456789abcdef","bytes":20000,"crc32c":"0a1b2c3d"}"#,
    "2013-01-01T05:00:00.123456789+01:00", "-12345678901234567890.5e-3", "trips.json",
    "nan:7ff8000000000001", "[1,-2,9223372036854775807]", ".trips.json.tmp-0123456789abcdef",
  ].map { Array($0.utf8) }

  static let searchSeeds = [
    "hot spring*\nThe Hot-Spring", "\"Straße 12\" -bad\nSTRASSE 12", "Éa e\u{301}\n日本語 👩‍👩‍👧",
  ].map { Array($0.utf8) }

  static func storeURL(_ bytes: [UInt8]) throws {
    do {
      let url = try StoreURL(String(decoding: bytes, as: UTF8.self))
      _ = try url.option("durability", default: StoreCapabilities.Durability.full)
      _ = try url.fileURL()
    } catch is DataStoreError {
      return
    }
  }

  static func texts(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let reference = FileReference(text) {
      try FuzzFailure.unless(reference.text == text, "a reference has two texts")
      try FuzzFailure.unless(!reference.name.contains("/"), "a reference leads elsewhere")
    }
    if let number = DecimalText.decoded(text) {
      let written = DecimalText.encoded(number)
      try FuzzFailure.unless(
        DecimalText.decoded(written).map { $0.isNaN ? number.isNaN : $0 == number } == true,
        "\(written) is another decimal than \(text)"
      )
    }
    try date(bytes)
    _ = Double(exactText: text)
    _ = FileName.objection(to: FileName.split(text).name)
    if let quoted = try? SQLIdentifier.quoted(text) {
      try FuzzFailure.unless(quoted.utf8.count { $0 == 0x22 } % 2 == 0, "a quote is open")
    }
  }

  private static func date(_ bytes: [UInt8]) throws {
    guard let date = bytes.withUnsafeBufferPointer({ DateText.date($0) }) else { return }
    var printer = JSONPrinter()
    guard DateText.append(date.timeIntervalSinceReferenceDate, to: &printer) else { return }
    let text = Array(printer.bytes.dropFirst().dropLast())
    let again = text.withUnsafeBufferPointer { DateText.date($0) }
    try FuzzFailure.unless(again == date, "\(date) is written as another date")
  }

  /// The first line is what is searched for, the rest is the text.
  static func search(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let search = TextSearch(String(parts[0]))
    _ = search.isFound(in: parts.count > 1 ? String(parts[1]) : "")
  }
}
