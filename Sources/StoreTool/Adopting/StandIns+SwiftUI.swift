extension StandIns {
  static let interface = """
    @_exported import Combine
    @_exported import Observation
    @_exported import UIKitCore

    /// Linux has no animations.
    public struct Animation: Equatable, Sendable {
      public static let `default` = Animation(), linear = Animation(), spring = Animation()
      public static let easeIn = Animation(), easeOut = Animation(), easeInOut = Animation()

      public static func linear(duration: Double) -> Animation { Animation() }
      public static func easeIn(duration: Double) -> Animation { Animation() }
      public static func easeOut(duration: Double) -> Animation { Animation() }
      public static func easeInOut(duration: Double) -> Animation { Animation() }
      public static func spring(
        response: Double = 0.5,
        dampingFraction: Double = 0.825,
        blendDuration: Double = 0
      ) -> Animation { Animation() }

      public func delay(_ delay: Double) -> Animation { self }
    }

    public func withAnimation<Result>(
      _ animation: Animation? = .default,
      _ body: () throws -> Result
    ) rethrows -> Result { try body() }

    /// A color that nothing draws here.
    public struct Color: Hashable, Sendable {
      private let components: [String]

      public init(_ name: String) { components = [name] }
      public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        components = [red, green, blue, opacity].map { $0.description }
      }
      public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
        components = ["hue"] + [hue, saturation, brightness, opacity].map { $0.description }
      }

      public init(
        _ space: RGBColorSpace,
        red: Double,
        green: Double,
        blue: Double,
        opacity: Double = 1
      ) { self.init(red: red, green: green, blue: blue, opacity: opacity) }

      public enum RGBColorSpace: Sendable { case sRGB, sRGBLinear, displayP3 }

      public func opacity(_ opacity: Double) -> Color { self }

      public static let black = Color("black"), blue = Color("blue"), brown = Color("brown")
      public static let clear = Color("clear"), cyan = Color("cyan"), gray = Color("gray")
      public static let green = Color("green"), indigo = Color("indigo"), mint = Color("mint")
      public static let orange = Color("orange"), pink = Color("pink"), purple = Color("purple")
      public static let red = Color("red"), teal = Color("teal"), white = Color("white")
      public static let yellow = Color("yellow"), primary = Color("primary")
      public static let secondary = Color("secondary"), accentColor = Color("accentColor")
    }

    /// The values of a stack of views.
    public struct NavigationPath: Equatable {
      private var values: [AnyHashable] = []

      public init() {}
      public var count: Int { values.count }
      public var isEmpty: Bool { values.isEmpty }
      public mutating func append(_ value: some Hashable) { values.append(value) }
      public mutating func removeLast(_ count: Int = 1) { values.removeLast(count) }
    }

    extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
      public mutating func remove(atOffsets offsets: IndexSet) {
        for offset in offsets.reversed() { remove(at: offset) }
      }
    }

    extension Array {
      public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let moved = source.map { self[$0] }
        let place = destination - source.count(in: 0..<destination)
        remove(atOffsets: source)
        insert(contentsOf: moved, at: place)
      }
    }

    /// The key of a localized string.
    public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation, Sendable {
      private let key: String

      public init(_ value: String) { key = value }
      public init(stringLiteral value: String) { key = value }
    }

    /// A value that is kept elsewhere.
    @propertyWrapper
    public struct Binding<Value> {
      private let get: () -> Value
      private let set: (Value) -> Void

      public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
      }

      public static func constant(_ value: Value) -> Binding { Binding(get: { value }) { _ in } }

      public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
      }
      public var projectedValue: Binding { self }
    }

    """
}
