import Foundation

/// Encodes values as JSON, with the same bytes for the same value.
package enum JSONText {
  /// Encodes a value with sorted keys and dates in ISO 8601.
  ///
  /// - Returns: The text, indented, with a line break at its end.
  /// - Throws: `EncodingError` if the value contains something that JSON cannot represent, such as
  ///   infinity.
  package static func encoding(_ value: some Encodable) throws -> String {
    try text(of: value, .prettyPrinted)
  }

  /// Encodes a value like ``encoding(_:)``, in one line with a line break at its end.
  package static func line(_ value: some Encodable) throws -> String { try text(of: value) }

  private static func text(
    of value: some Encodable,
    _ formatting: JSONEncoder.OutputFormatting = []
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [formatting, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self).visibleJSON + "\n"
  }
}
