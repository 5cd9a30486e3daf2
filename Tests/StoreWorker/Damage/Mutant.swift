/// Files of a store with one kind of damage, made from a seed and a number alone.
struct Mutant {
  let files: [String: [UInt8]]
  /// What was done, for a person.
  let story: String
  /// The states that may be read, nil where the files carry no checksum over what was changed.
  let allowed: [Exhibit.State]?
  /// What is done to a database by SQL, as another program might.
  var sql: String?

  init(_ number: Int, seed: UInt64, of exhibits: Exhibits, kind: String) {
    let numbers = Numbers(seed: seed &* 0x1_0000_0001 ^ UInt64(number))
    var maker = MutantMaker(exhibits: exhibits, isJSON: kind == "json", numbers: numbers)
    self = maker.mutant()
  }

  init(files: [String: [UInt8]], story: String, allowed: [Exhibit.State]?, sql: String? = nil) {
    self.files = files
    self.story = story
    self.allowed = allowed
    self.sql = sql
  }
}

/// Chooses what is damaged, and how.
struct MutantMaker {
  let exhibits: Exhibits
  let isJSON: Bool
  var numbers: Numbers

  /// The file that has what was saved since the other was written.
  private var log: String { isJSON ? ".journal" : "-wal" }

  mutating func mutant() -> Mutant {
    switch numbers.next(below: 17) {
    case 0, 1, 2: return main(structured: true)
    case 3, 4: return main(structured: false)
    case 5, 6: return mainWithLog()
    case 7, 8, 9: return logAlone()
    case 10: return both()
    case 11: return mismatch()
    case 12: return splice()
    case 13: return valueFile()
    case 14, 15:
      return isJSON ? main(structured: true) : tampered()
    default: return foreignContents()
    }
  }

  /// The one file of a closed store; a document is meant to be edited and has no checksum.
  private mutating func main(structured: Bool) -> Mutant {
    var files = exhibits.closed.files
    let story = damage("", in: &files, structured: structured)
    return Mutant(files: files, story: "closed, \(story)", allowed: nil)
  }

  /// A document that its journal describes; pages of a database carry no checksum.
  private mutating func mainWithLog() -> Mutant {
    var files = exhibits.new.files
    let story = damage("", in: &files, structured: numbers.next(below: 2) == 0)
    return Mutant(
      files: files,
      story: "with log, \(story)",
      allowed: isJSON ? exhibits.new.states : nil
    )
  }

  /// A log or journal, whose checksums cover all of it.
  private mutating func logAlone() -> Mutant {
    var files = exhibits.new.files
    let story = damage(log, in: &files, structured: false)
    return Mutant(files: files, story: "log, \(story)", allowed: exhibits.new.states)
  }

  private mutating func both() -> Mutant {
    var files = exhibits.new.files
    let first = damage("", in: &files, structured: true)
    let second = damage(log, in: &files, structured: false)
    return Mutant(files: files, story: "both, \(first), \(second)", allowed: nil)
  }

  /// The log of one moment beside the file of another, or of another store.
  private mutating func mismatch() -> Mutant {
    let moments = [exhibits.old, exhibits.new, exhibits.other]
    let main = [exhibits.old, exhibits.closed, exhibits.new][numbers.next(below: 3)]
    let beside = moments[numbers.next(below: moments.count)]
    var files = main.files
    files[log] = beside.files[log]
    var story = "file and log of two moments"
    if numbers.next(below: 2) == 0 { story += ", " + damage(log, in: &files, structured: false) }
    let states = exhibits.old.states + exhibits.new.states
    return Mutant(files: files, story: story, allowed: isJSON ? states : nil)
  }

  /// The beginning of one file and the end of another.
  private mutating func splice() -> Mutant {
    let isLog = numbers.next(below: 2) == 0
    var files = exhibits.new.files
    let own = files[isLog ? log : ""] ?? []
    let source = numbers.next(below: 2) == 0 ? exhibits.other : exhibits.old
    let strange = source.files[isLog ? log : ""] ?? []
    let unit = isJSON ? 1 : isLog ? 4120 : 4096
    let head = numbers.next(below: own.count / unit + 1) * unit
    let tail = numbers.next(below: strange.count / unit + 1) * unit
    files[isLog ? log : ""] = Array(own.prefix(head) + strange.dropFirst(tail))
    return Mutant(
      files: files,
      story: "\(isLog ? "log" : "file") to \(head), then another's from \(tail)",
      allowed: isLog || isJSON ? exhibits.new.states : nil
    )
  }

  private mutating func valueFile() -> Mutant {
    var files = exhibits.new.files
    let names = files.keys.filter { $0.hasPrefix(".files/") }.sorted()
    guard !names.isEmpty else { return main(structured: true) }
    let name = names[numbers.next(below: names.count)]
    let story: String
    if numbers.next(below: 4) == 0 {
      files[name] = nil
      story = "value file gone"
    } else {
      story = "value file, " + damage(name, in: &files, structured: false)
    }
    return Mutant(files: files, story: story, allowed: exhibits.new.states)
  }

  private mutating func tampered() -> Mutant {
    let sql = SQLTamper.statement(&numbers)
    return Mutant(files: exhibits.closed.files, story: sql, allowed: nil, sql: sql)
  }

  /// Foreign contents: noise, other formats, one file instead of another.
  private mutating func foreignContents() -> Mutant {
    var files = exhibits.new.files
    switch numbers.next(below: 5) {
    case 0: files[""] = (0..<numbers.next(below: 9000)).map { _ in UInt8(numbers.next(below: 256)) }
    case 1: files[""] = files[log]
    case 2: files[log] = files[""]
    case 3:
      files[log] = (0..<numbers.next(below: 9000)).map { _ in UInt8(numbers.next(below: 256)) }
    default: files[isJSON ? "-wal" : "-journal"] = exhibits.old.files[log]
    }
    return Mutant(files: files, story: "strange file", allowed: nil)
  }

  private mutating func damage(
    _ suffix: String,
    in files: inout [String: [UInt8]],
    structured: Bool
  ) -> String {
    guard var bytes = files[suffix] else { return "nothing" }
    var stories: [String] = []
    for _ in 0...numbers.next(below: numbers.next(below: 4) == 0 ? 4 : 1) {
      if structured, isJSON, suffix.isEmpty {
        stories.append(JSONMutation.apply(to: &bytes, &numbers))
      } else if structured, suffix.isEmpty {
        stories.append(PageMutation.apply(to: &bytes, &numbers))
      } else {
        stories.append(ByteMutation.apply(to: &bytes, &numbers))
      }
    }
    files[suffix] = bytes
    return stories.joined(separator: ", ")
  }
}
