/// The schema's own names in SQL; values of a program are never written this way.
package enum SQLText {
  /// Returns a name as the literal of a string.
  package static func literal(_ name: String) -> String { quoted(name, by: "'") }

  /// Returns a name between quotation marks; those in the name are doubled.
  ///
  /// They are found by scalars: with a combining mark after it, a quotation mark is another
  /// character, and still one to SQL.
  package static func quoted(_ name: String, by mark: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView()
    text.append(mark)
    for scalar in name.unicodeScalars {
      if scalar == mark { text.append(scalar) }
      text.append(scalar)
    }
    text.append(mark)
    return String(text)
  }
}
