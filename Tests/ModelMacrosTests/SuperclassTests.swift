import Testing

@Suite("The superclass of a model")
struct SuperclassTests {
  /// The macro does not see what the first inherited type is.
  private static let source = """
    import Foundation
    import ModelLayer
    class Base { var note = ""; init() {} }
    class Box<Content> { var content: Content?; init() {} }
    protocol Tied: AnyObject {}
    protocol Listed<Element> { associatedtype Element = Int }
    protocol Storable: PersistentModel {}
    typealias Both = Base & Tied
    typealias Neither = Tied & Listed
    enum Outer { class Inner { init() {} }; protocol Port {} }

    @Model class A: Base { var a: Int; init(a: Int) { self.a = a } } // lost
    @Model class B: Outer.Inner { var a: Int; override init() { a = 1 } } // lost
    @Model class C: Both { var a: Int; init(a: Int) { self.a = a; super.init() } } // lost
    @Model class D: Base & Tied { var a: Int; init(a: Int) { self.a = a } } // lost
    @Model class E<Content: Codable>: Box<Content> { var a: Int; init(a: Int) { self.a = a } } // lost
    enum Nested {
      @available(macOS 15, *)
      @Model
      final class F: // lost
        Box<
          Int
        >, Codable
      {
        var a: Int
        init(a: Int) { self.a = a }
        convenience init(from: any Decoder) { self.init(a: 1) }
        func encode(to: any Encoder) {}
      }
    }

    @Model class G: Tied { var a = 1; class var superclass: Int { 1 } }
    @Model class H: Listed, Tied { var a: Int; init(a: Int) { self.a = a } }
    @Model class I: Storable { var a: Int; init(a: Int) { self.a = a } }
    @Model class J: Neither { var a: Int; init(a: Int) { self.a = a } }
    @Model class K: Swift.Equatable { var a: Int; init(a: Int) { self.a = a } }
    @Model class L: Outer.Port, Identifiable { var a: Int; init(a: Int) { self.a = a } }
    @Model class M: L { var b: Int; init(b: Int) { self.b = b; super.init(a: 1) } }
    @Model class N: Observable { var a = 1 }
    @Model class O: NSObject { var a: Int; init(a: Int) { self.a = a; super.init() } }
    @Model class P: Tied & Listed { var a = 1 }
    @MainActor @Model class Q: Listed { var a = 1 }
    @Model class R: nonisolated Comparable {
      var a = 1
      static func < (lhs: R, rhs: R) -> Bool { lhs.a < rhs.a }
    }
    enum Shadowing { @Model class AnyObject: Tied { var a = 1 } }
    """

  @Test func `causes a warning at the class if it is no model`() throws {
    let output = try RealCompiler.output(
      Self.source,
      ["-enable-upcoming-feature", "ExistentialAny"]
    )
    let found = output.split(separator: "\n").filter { $0.contains(/^\S.*(warning|error):/) }
    let lines = found.map { $0.firstMatch(of: /Models\.swift:(\d+):/).flatMap { Int($0.1) } ?? 0 }
    let expected = Self.source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.hasSuffix("// lost") }.map { $0.offset + 1 }
    #expect(lines == expected, "\(output)")
    #expect(
      found.first?.contains(
        "'Base' is no model, so the properties that 'A' inherits from it are not saved; make it a "
          + "@Model class, or a protocol if it stores nothing"
      ) == true
    )
  }
}
