/// SQL literals of the schema's own names; values of a program are never written this way.
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
