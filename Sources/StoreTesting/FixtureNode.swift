struct FixtureNode {
  indirect enum Content {
    case object([Member])
    case list([FixtureNode])
    /// A string, without its escapes.
    case text(String)
    /// A number or a word, as written.
    case plain(String)
  }

  struct Member {
    let name: String
    let line: Int
    let value: FixtureNode
  }

  let line: Int
  let range: Range<Int>
  let content: Content

  var isNull: Bool {
    if case .plain("null") = content { return true }
    return false
  }

  /// The key that an object can have: a string, or the digits of a number.
  var key: String? {
    switch content {
    case .text(let text): text
    case .plain(let text) where Int64(text) != nil: text
    default: nil
    }
  }

  /// A word for the kind of the value, for messages.
  var kindName: String {
    switch content {
    case .object: "an object"
    case .list: "a list"
    case .text: "a string"
    case .plain(let text): text
    }
  }
}
