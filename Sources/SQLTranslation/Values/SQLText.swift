/// Texts of the schema's own as SQL literals; values of a program are never written so.
package enum SQLText {
  package static func literal(_ name: String) -> String {
    var text = "'"
    for scalar in name.unicodeScalars {
      if scalar == "'" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "'"
  }
}
