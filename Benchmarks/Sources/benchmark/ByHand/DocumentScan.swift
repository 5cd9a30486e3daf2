/// What has to be looked at of a document before anything of it is believed: every byte once.
enum DocumentScan {
  /// Counts the objects at the depth of rows.
  static func rows(of bytes: [UInt8]) -> Int {
    var isInText = false
    var isEscaped = false
    var depth = 0
    var rows = 0
    for byte in bytes {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == 92 {
          isEscaped = true
        } else if byte == 34 {
          isInText = false
        }
      } else if byte == 34 {
        isInText = true
      } else if byte == UInt8(ascii: "{") {
        depth += 1
        // Around a row are the document and its entities; the schema has some as deep.
        if depth == 3 { rows += 1 }
      } else if byte == UInt8(ascii: "}") {
        depth -= 1
      }
    }
    return rows
  }
}
