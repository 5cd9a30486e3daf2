import OpenSwiftData

/// Somebody with children, who have children.
@Model
final class Grandparent {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Parent.parent) var children: [Parent] = []

  init(_ number: Int) {
    name = "grandparent \(number)"
    children = (0..<Family.children).map { Parent(number * Family.children + $0) }
  }
}

/// A child of somebody.
@Model
final class Parent {
  var name: String
  var parent: Grandparent?
  @Relationship(deleteRule: .cascade, inverse: \Grandchild.parent) var children: [Grandchild] = []

  init(_ number: Int) {
    name = "parent \(number)"
    children = (0..<Family.grandchildren).map { Grandchild(number * Family.grandchildren + $0) }
  }
}

/// A child of a child.
@Model
final class Grandchild {
  var name: String
  var parent: Parent?

  init(_ number: Int) {
    name = "grandchild \(number)"
  }
}

/// Persons as class instances with references to their children, and nothing else.
final class Person {
  let id: Int
  let name: String
  var children: [Person] = []

  init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

/// The sizes and the digest of the families.
enum Family {
  static let children = 5
  static let grandchildren = 2

  /// The digest of families, which follows from their number alone.
  static func digest(_ count: Int) -> UInt64 {
    var digest = Digest()
    for number in 0..<count {
      digest.add("grandparent \(number)")
      for child in number * children..<(number + 1) * children {
        digest.add("parent \(child)")
        for one in child * grandchildren..<(child + 1) * grandchildren {
          digest.add("grandchild \(one)")
        }
      }
    }
    return digest.value
  }
}
