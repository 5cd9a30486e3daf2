// swift-format-ignore-file
/* before */ @available(macOS 15, *) // attributes
@Model /* and */ final
  class
  Trip /* named */ : Base<Int,
    [String: Int]>, Hashable
  where Base: Equatable
{
  typealias Name = String; enum Kind: String, Codable { case a, b; var x: Int { 1 } }
  struct Inner { var hidden: Int = 1; #if X
    var hiddenToo = 1
    #endif
  }
  var kind: Kind = .a; var name: Name = ""
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
  var chosen = a < b ? c : d
  var chain = Foo<A, B>(1)
    .bar { $0 }
    #if DEBUG
    .baz()
    #endif
    ?? other
  var branch: Int = if flag { 1 } else if other { 2 } else { 3 }
  var switched = switch kind {
    case .a: 1
    default: 2
  }
  var sum = 1 +
    2
    - 3
  var function: String = make(where: { $0 }, set: 1)
  var cast = value as? [String: (Int) -> Void]
  var spaced: Int? = nil
  var computed: Int { get { 1 } set { print(newValue) } }
  var arrow: Int { 3 }
  var asyncValue: Int { get async throws { 1 } }
  static var shared: Int = 1
  class var classy: Int { 1 }
  @Transient lazy var slow: Int = { 1 }()
  @MainActor var bound: Int = 1
  @available(*, deprecated, message: "use { name }") var old: Int = 1
  @inlinable func f<T: Sequence>(_ x: T = { [] }()) -> some Sequence where T.Element == Int { x }
  subscript(index: Int) -> Int { index }
  subscript<T>(key: T) -> Int { get { 1 } set {} }
  init?() { nil }
  convenience init!(x: Int) { self.init() }
  deinit { print("}") }
  static func == (a: Trip, b: Trip) -> Bool { true }
  class Nested { class func make() {} }
  var final: Int = 1
}
