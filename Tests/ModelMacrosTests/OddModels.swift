// swift-format-ignore-file
import Foundation
import ModelLayer

// Declarations as odd as the compiler takes them. That they compile without a warning is half of
// the test; what they do is in UnusualModelTests.

enum Mood: String, Codable { case calm, wild }
struct Point: Codable, Equatable { var x = 0, y = 0 }
@propertyWrapper struct Clamped { var wrappedValue: Int }
protocol Titled { var title: String { get } }

/* before */ @available(macOS 15, *) // attributes
@Model /* and */ final
  class
  OddTrip /* named */ : Titled,
    CustomStringConvertible
{
  typealias Name = String; enum Kind: String, Codable { case a, b; var x: Int { 1 } }
  struct Inner { var hidden: Int = 1 }
  #Unique<OddTrip>([\.title], [\.kind, \.made]); #Index<OddTrip>([\.made])

  var kind: Kind = .a; var title: Name = "t"
  var map: Dictionary<String, [Int]> = Dictionary<String, [Int]>()
  var closure: [Int] = [1, 2].map { value in
    var didSet = value
    didSet += 1
    return didSet
  }
  var made: Int = {
    let a = 1, b = 2
    return a + b
  }()
  var chosen = OddTrip.flag ? Mood.calm : Mood.wild
  var chain = [Int]()
    .map { $0 }
    #if DEBUG
    .filter { $0 > 0 }
    #endif
  var branch: Int = if OddTrip.flag { 1 } else { 3 }
  var switched = switch OddTrip.flag {
    case true: Mood.calm
    default: Mood.wild
  }
  var sum = 1 +
    2
    - 3
  var text = "a \"quote\" and \([1].map { "nested \($0 + 1) }" }.joined(separator: ", ")) }"
  var raw = #"raw \(not) " \#(1 + 2) "#
  var lines = """
    { "var": "x" }
    \("""
      var inner: Int = 1
      """)
    """
  var brace: String = "}" /* } /* nested { */ " */
  var after: Int? // var hidden: Int
  var letter: Character = "\u{E9}"
  var forced: URL!
  var point = Point(x: 1, y: 2)
  var moods: [Mood]?
  var `default`: Int = 1
  var `init`: String = "i"
  var `in two words`: [Int] = [1]
  var größe: Double = 1
  var open = 1
  var set: Set<String> = []
  var debugDescription: String = "d"
  var description: String = "described"
  @available(*, deprecated, message: "use { title }") var old: Int = 1
  @Attribute(originalName: "was") private(set) var renamed = -0.5

  var computed: Int { get { made } set { made = newValue } }
  static let flag = true
  class var classy: Int { 1 }
  @Transient lazy var slow: Int = { made + 1 }()
  @Transient @Clamped var clamped = 1
  @Transient weak var friend: OddTrip?
  @Transient var scratch = 7, other: Int?
  func f<T: Sequence>(_ x: T) -> Int where T.Element == Int { x.reduce(0, +) }
  subscript(index: Int) -> Int { index }
  deinit {}
  class Nested { class func make() -> Int { 2 } }
}

/// A class whose shape depends on the conditions of the build.
@Model class ConditionalTrip {
  var first: Int = 1
  #if !NEVER
    var second: String = "s"
    #if os(NoSuchSystem)
      var third: Int = 1
      var fourth: Int = 1
    #else
      @Attribute(.unique) var fifth: Int? = 5
    #endif
  #else
    var sixth: Int = 6
  #endif
  #if NEVER
    var seventh = 7
  #endif
  #if !NEVER
  @Attribute(.unique)
  #endif
  var last: Int = 3
  init() {}
}

@Model class ConditionalSubtrip: ConditionalTrip {
  #if !NEVER
    var own: String = "o"
  #endif
  var end: Bool = true
  override init() { super.init() }
}

@Model class ObservedTrip {
  @Transient var log: [String] = []
  var name: String = "" {
    willSet { log.append("will \(newValue)") }
    didSet {
      guard oldValue != name else { return }
      log.append("""
        did \(oldValue)
        """)
    }
  }
  var count = 0 { didSet(before) { if count > 10 { count = 10 }; log.append("from \(before)") } }
  var tags: [String] = [] { willSet(next) { log.append("\(tags.count) to \(next.count)") } }
  var plain: Date { didSet { log.append("plain") } }

  init(plain: Date) { self.plain = plain }
}

@Model class ConstantTrip {
  let key: String
  let a: Int, b: Double?
  let points: [Point]
  var name = "n"

  init(key: String) {
    (a, b, points) = (1, nil, [Point()])
    self.key = key
  }
}

@Model class Optionals {
  var note: String?
  var link: URL!
  var mood: Mood?
  var partner: Optionals?
}

@MainActor @Model class MainTrip {
  var name: String = "m"
  var points: [Point] = []
  let id2: Int
  init(id2: Int) { self.id2 = id2 }
}

@Model class MainSubtrip: MainTrip {
  var extra: Int = 1
  override init(id2: Int) { super.init(id2: id2) }
}

@Model class PartlyBound { @MainActor var bound: Int = 1; var free = 2 }

@Model class Box<Content: Codable> {
  var content: Content?
  var all: [Content] = []
  init() {}
}

@Model class IntBox: Box<Int> {
  var more = 1
  override init() { super.init() }
}

enum Outer {
  @Model final class Inner { var value = 1 }
  struct Generic<T: Codable> {
    @Model public final class Deep {
      var value: T?
      init(value: T?) { self.value = value }
    }
  }
}

extension Outer {
  @Model fileprivate final class Extended { private var value = 1 }
  static var extendedCount: Int { Extended._$count }
}

@Model open class OpenTrip {
  open var name = "o"
  public internal(set) var count = 0
  package var shared = 1
  public init() {}
}

@Model public final class PublicTrip { public var name = "p" }
@Model package class PackageTrip { package var name = "p" }
@Model private class PrivateTrip { var name = "p" }
let privateTripCount = PrivateTrip._$count

@Model public class EmptyBase { public init() {} }
@Model public final class EmptySub: EmptyBase { public override init() { super.init() } }
@Model final class OverridingTrip: OpenTrip {
  override var name: String { didSet { changes += 1 } }
  @Transient var changes = 0
  override init() { super.init() }
}

@Model final class Parent {
  @Relationship(deleteRule: .cascade, inverse: \Child.parent) var children: [Child] = []
  var favourite: Child?
}
@Model final class Child { var parent: Parent?; var name = "c" }

@ModelActor actor Worker { func container() -> ModelContainer { modelContainer } }
@ModelActor public actor PublicWorker {}

// Initializers that leave arrays unset.
@Model final class OddFolder {
  var name: String
  var tags: [String]
  @Relationship(inverse: \OddPage.folder) var pages: [OddPage]

  init(name: String) { self.name = name }
  init(tags: [String], pages: [OddPage]) {
    self.tags = tags
    self.pages = pages
    name = "filled"
  }
  convenience init(copying other: OddFolder) { self.init(tags: other.tags, pages: []) }
}

@Model final class OddPage {
  var folder: OddFolder?
  init() {}
}
