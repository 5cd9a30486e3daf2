import StoreProtocol

/// Keys as a JSON list, the form in which SQLite takes and keeps lists.
enum KeyList {
  static func encoded(_ keys: some Sequence<Int64>) -> String {
    var text = "["
    for key in keys {
      if text.utf8.count > 1 { text += "," }
      text += String(key)
    }
    return text + "]"
  }

  /// The keys of a list; what is none is left out.
  static func decoded(_ text: String) -> [Int64] {
    guard case .array(let values)? = try? JSONText.decoded(text) else { return [] }
    return values.compactMap { if case .integer(let key) = $0 { key } else { nil } }
  }
}
