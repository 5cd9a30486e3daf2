import OpenSwiftData
import Testing

@Model private final class Label {
  @Attribute(.unique) var code: String
  var text: String

  init(_ code: String, _ text: String) {
    self.code = code
    self.text = text
  }
}

/// Swift compares and composes a long run of combining marks in quadratic time.
@Suite("The time of strings with many combining marks", .serialized)
struct ManyMarksGrowthTests {
  enum Work: CaseIterable {
    case save, uniqueCheck, filter
  }

  /// The marks are in the order that takes longest to sort.
  @Test(arguments: ["sqlite::memory:", "memory:"], Work.allCases)
  func `is proportional to their number`(store: String, work: Work) throws {
    try Growth.expectLinear(from: 2_000) { count in
      let text = "e" + String(repeating: "\u{301}\u{323}", count: count / 2)
      let reordered = "e" + String(repeating: "\u{323}\u{301}", count: count / 2)
      let context = ModelContext(try ModelContainer(for: Label.self, store: store))
      context.autosaveEnabled = false
      if work != .save {
        context.insert(Label(text, text))
        try context.save()
      }
      return {
        switch work {
        case .save: context.insert(Label("a", text))
        case .uniqueCheck: context.insert(Label(text + "\u{302}", "b"))
        case .filter:
          let equal = #Predicate<Label> { $0.text == reordered }
          let different = #Predicate<Label> { $0.text != reordered }
          _ = try context.fetchCount(FetchDescriptor(predicate: equal))
          _ = try context.fetchCount(FetchDescriptor(predicate: different))
        }
        try context.save()
      }
    }
  }
}
