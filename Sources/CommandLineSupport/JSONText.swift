import Foundation

/// Values as JSON text, the same bytes for the same value.
package enum JSONText {
  /// Encodes a value with its keys in order and dates in ISO 8601.
  ///
  /// - Returns: The text, indented, with a line break at its end.
  /// - Throws: `EncodingError` when the value holds what JSON cannot say, such as infinity.
  package static func encoding(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self).visibleJSON + "\n"
  }

  /// Encodes a value as ``encoding(_:)`` does, in one line with a line break at its end.
  package static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
