/// Formats fields as lines of comma-separated values (RFC 4180).
package enum CSVText {
  /// Returns one line with its line break.
  ///
  /// A field is quoted if it contains a comma, a quote, a line break, or blanks at its ends.
  package static func line(_ fields: [String]) -> String {
    fields.map(field).joined(separator: ",") + "\r\n"
  }

  private static func field(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != 0x0A && byte != 0x0D
    }
    if isPlain, text.utf8.first != 0x20, text.utf8.last != 0x20 { return text }
    return "\"" + text.replacingScalars { $0 == "\"" ? "\"\"" : nil } + "\""
  }
}
