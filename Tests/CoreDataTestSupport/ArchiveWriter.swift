import CoreDataFiles
import Foundation

/// Writes keyed archives: objects with a class and fields, which may refer to each other in circles.
package struct ArchiveWriter {
  private var list = PropertyListWriter()
  /// The index in the list of each archived object; 0 is the archived `nil`.
  private var members: [Int] = []
  private var classes: [String: Int] = [:]

  package init() {
    members.append(list.add(.string("$null")))
  }

  /// The number of the archived `nil`.
  package static let null = 0

  /// Adds a value as an object of its own and returns its number.
  package mutating func add(_ value: PropertyListWriter.Object) -> Int {
    members.append(list.add(value))
    return members.count - 1
  }

  /// Reserves the number of an object whose fields follow.
  package mutating func reserve() -> Int { add(.bool(false)) }

  /// A field: a value within the object, or a reference to another object.
  package enum Field {
    case value(PropertyListWriter.Object)
    case reference(Int)
    case references([Int])
  }

  /// Sets the class and fields of a reserved object.
  package mutating func set(_ number: Int, className: String, _ fields: [(String, Field)]) {
    var all: [(String, Int)] = [("$class", reference(classNumber(className)))]
    for (key, field) in fields {
      switch field {
      case .value(let value): all.append((key, list.add(value)))
      case .reference(let other): all.append((key, reference(other)))
      case .references(let others):
        all.append((key, list.add(.array(others.map { reference($0) }))))
      }
    }
    let entries = all.map { (key: list.add(.string($0)), value: $1) }
    list.set(members[number], .dictionary(entries))
  }

  /// Adds an object.
  package mutating func add(className: String, _ fields: [(String, Field)]) -> Int {
    let number = reserve()
    set(number, className: className, fields)
    return number
  }

  /// Adds an array.
  package mutating func add(array elements: [Int], className: String = "NSArray") -> Int {
    add(className: className, [("NS.objects", .references(elements))])
  }

  /// Adds a dictionary.
  package mutating func add(
    dictionary entries: [(Int, Int)],
    className: String = "NSMutableDictionary"
  ) -> Int {
    add(
      className: className,
      [("NS.keys", .references(entries.map(\.0))), ("NS.objects", .references(entries.map(\.1)))]
    )
  }

  /// Returns the archive's bytes.
  package mutating func bytes(root: Int) -> [UInt8] {
    let objects = list.add(.array(members))
    let top = list.add([("root", reference(root))])
    let outer = list.add([
      ("$version", list.add(.integer(100_000))),
      ("$archiver", list.add(.string("NSKeyedArchiver"))),
      ("$top", top), ("$objects", objects),
    ])
    return list.bytes(root: outer)
  }

  private mutating func reference(_ number: Int) -> Int { list.add(.uid(number)) }

  private mutating func classNumber(_ name: String) -> Int {
    if let known = classes[name] { return known }
    let names = [list.add(.string(name)), list.add(.string("NSObject"))]
    let fields = list.add([
      ("$classname", list.add(.string(name))), ("$classes", list.add(.array(names))),
    ])
    members.append(fields)
    classes[name] = members.count - 1
    return members.count - 1
  }
}

/// Returns DEFLATE data of stored blocks, which hold the bytes as they are.
package func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xFFFF)
    rest = rest.dropFirst(block.count)
    let size = UInt16(block.count)
    result.append(rest.isEmpty ? 1 : 0)
    for number in [size, ~size] { result += [UInt8(number & 0xFF), UInt8(number >> 8)] }
    result += block
  } while !rest.isEmpty
  return result
}
