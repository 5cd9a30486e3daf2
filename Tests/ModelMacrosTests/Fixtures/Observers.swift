// swift-format-ignore-file
@Model class Trip {
  var name: String = "" {
    willSet { print("to \(newValue)") }
    didSet {
      guard oldValue != name else { return }
      log.append("""
        \(oldValue)
        """)
    }
  }
  var count = 0 { didSet(before) { total += count - before } }
  var items: [Item] = [] { willSet(next) { expect(next.count) } }
  var other: Date { didSet { touch() } }

  init(other: Date) { self.other = other }
}
