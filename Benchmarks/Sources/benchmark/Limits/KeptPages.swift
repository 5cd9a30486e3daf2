/// Objects that a query gave, which have what belongs to them read together, a page at a time.
///
/// A loop touches them one after the other, so that the page of an object is most often the next.
struct KeptPages<Object: AnyObject> {
  /// How many objects are read for together at the most.
  private static var size: Int { 1_000 }

  private var lists: [(objects: [Object], expected: Int)] = []

  mutating func add(_ objects: [Object]) { lists.append((objects, 0)) }

  /// The objects that are read for together with one of them.
  mutating func page(around object: Object) throws -> ArraySlice<Object> {
    for index in lists.indices.reversed() {
      let (objects, expected) = lists[index]
      if expected < objects.count, objects[expected] === object { return page(expected, of: index) }
    }
    for index in lists.indices.reversed() {
      let position = lists[index].objects.firstIndex { $0 === object }
      if let position { return page(position, of: index) }
    }
    throw BenchmarkError("an object lacks what no query gave")
  }

  private mutating func page(_ position: Int, of index: Int) -> ArraySlice<Object> {
    let objects = lists[index].objects
    let start = position / Self.size * Self.size
    let end = min(start + Self.size, objects.count)
    lists[index].expected = end
    return objects[start..<end]
  }
}
