// swift-format-ignore-file
import OpenSwiftData

// Models whose properties have the names of what every model has, or of what macro-made code has.

@Model final class Cased {
  #Index<Cased>([\.Select], [\.select])
  @Attribute(.unique) var select: String
  var Select: String
  var next: Cased?
  var NEXT: Cased?
  var links: [Cased] = []
  var Links: [Cased] = []

  init(_ select: String, _ Select: String) {
    self.select = select
    self.Select = Select
  }
}

@Model final class TakenNames {
  var isDeleted = 1
  var hasChanges = 2
  var modelContext = 3
  var persistentModelID = 4
  var persistentBackingData = 5
  var schemaMetadata = 6
  var lifeCycle = 7
  var isDetached = 8
  var require = 9
  var snapshot = 10
  var count = 11
  var isEmpty = 12
  var related = 13
  var registration = 14
  var state = 15
  var context = 16
  var store = 17
  var identifier = 18
  var key = 19
  var version = 20
  var index = 21
  var row = 22
  var newValue = 23
  var initialValue = 24
  var oldValue = 25
  var value = 26
  var entity = 27
  var name = 28
  var description = 29
  var debugDescription = 30
  var hash = 31
  var properties = 32
  var metadata = 33
  var access = 34
  var undo = 35
  var layout = 36
  var delete = 37
  var insert = 38
  var save = 39
  var fetch = 40
  var named = 41
  var first = 42
  var copy = 43

  init() {}

  static var names: [(String, KeyPath<TakenNames, Int>)] { [
    ("isDeleted", \.isDeleted),
    ("hasChanges", \.hasChanges),
    ("modelContext", \.modelContext),
    ("persistentModelID", \.persistentModelID),
    ("persistentBackingData", \.persistentBackingData),
    ("schemaMetadata", \.schemaMetadata),
    ("lifeCycle", \.lifeCycle),
    ("isDetached", \.isDetached),
    ("require", \.require),
    ("snapshot", \.snapshot),
    ("count", \.count),
    ("isEmpty", \.isEmpty),
    ("related", \.related),
    ("registration", \.registration),
    ("state", \.state),
    ("context", \.context),
    ("store", \.store),
    ("identifier", \.identifier),
    ("key", \.key),
    ("version", \.version),
    ("index", \.index),
    ("row", \.row),
    ("newValue", \.newValue),
    ("initialValue", \.initialValue),
    ("oldValue", \.oldValue),
    ("value", \.value),
    ("entity", \.entity),
    ("name", \.name),
    ("description", \.description),
    ("debugDescription", \.debugDescription),
    ("hash", \.hash),
    ("properties", \.properties),
    ("metadata", \.metadata),
    ("access", \.access),
    ("undo", \.undo),
    ("layout", \.layout),
    ("delete", \.delete),
    ("insert", \.insert),
    ("save", \.save),
    ("fetch", \.fetch),
    ("named", \.named),
    ("first", \.first),
    ("copy", \.copy),
  ] }
}

@Model final class TakenConstants {
  let row: Int
  let index: Int
  let list: [Int]
  let isDeleted: Bool
  let newValue: String?

  init(row: Int, index: Int) {
    self.row = row
    self.index = index
    list = [row, index]
    isDeleted = true
    newValue = "new"
  }
}

/// A model whose properties are called as the parts of a group of `fetch(_:groupedBy:aggregates:)`.
@Model final class Setting {
  var key: String
  var values: [Int]

  init(key: String, values: [Int]) { (self.key, self.values) = (key, values) }
}
