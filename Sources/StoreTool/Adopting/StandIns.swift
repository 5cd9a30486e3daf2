/// Modules that stand in for those that Linux does not have.
///
/// A stand-in lets a file compile that needs only the import, or little more than it.
enum StandIns {
  /// A module with its source.
  struct Module {
    let source: String
    /// Other stand-ins that it exports.
    var exports: [String] = []
  }

  /// The modules of the toolchain, and of the written package.
  static let present: Set<String> = [
    "Cxx", "CxxStdlib", "Dispatch", "Distributed", "Foundation", "FoundationEssentials",
    "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc",
    "Observation", "RegexBuilder", "Swift", "Synchronization", "Testing", "XCTest",
    "_Concurrency", "_Differentiation", "_StringProcessing", "SwiftData", "OpenSwiftData",
  ]

  /// Types of Apple's that only code of a user interface conforms to or inherits from.
  static let interfaceTypes: Set<String> = [
    "App", "ButtonStyle", "DynamicProperty", "EnvironmentKey", "LabelStyle",
    "NSViewController", "NSViewRepresentable", "PreferenceKey", "PreviewModifier",
    "PreviewProvider", "Scene", "Shape", "TimelineProvider", "ToggleStyle", "ToolbarContent",
    "UIApplicationDelegate", "UIView", "UIViewController", "UIViewControllerRepresentable",
    "UIViewRepresentable", "View", "ViewModifier", "Widget", "WidgetBundle",
  ]

  /// Returns the stand-in of a module.
  static func module(_ name: String) -> Module {
    switch name {
    case "os": Module(source: logging)
    case "OSLog": Module(source: "@_exported import os\n", exports: ["os"])
    case "WidgetKit": Module(source: widgets)
    case "Combine": Module(source: observable)
    case "SwiftUI": Module(source: interface, exports: ["Combine"])
    // Apple's frameworks export Foundation.
    default: Module(source: "@_exported import Foundation\n")
    }
  }

  private static let interface = """
    @_exported import Combine
    @_exported import Observation

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

      public func opacity(_ opacity: Double) -> Color { self }

      public static let black = Color("black"), blue = Color("blue"), brown = Color("brown")
      public static let clear = Color("clear"), cyan = Color("cyan"), gray = Color("gray")
      public static let green = Color("green"), indigo = Color("indigo"), mint = Color("mint")
      public static let orange = Color("orange"), pink = Color("pink"), purple = Color("purple")
      public static let red = Color("red"), teal = Color("teal"), white = Color("white")
      public static let yellow = Color("yellow"), primary = Color("primary")
      public static let secondary = Color("secondary"), accentColor = Color("accentColor")
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

  private static let observable = """
    @_exported import Foundation

    /// An object whose changes nothing observes here.
    public protocol ObservableObject: AnyObject {}

    extension ObservableObject {
      public var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher() }
    }

    public struct ObservableObjectPublisher: Sendable {
      public func send() {}
    }

    @propertyWrapper
    public struct Published<Value> {
      public var wrappedValue: Value
      public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
      public init(initialValue: Value) { wrappedValue = initialValue }
    }

    public protocol TopLevelDecoder<Input> {
      associatedtype Input
      func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
    }

    public protocol TopLevelEncoder<Output> {
      associatedtype Output
      func encode<T: Encodable>(_ value: T) throws -> Output
    }

    extension JSONDecoder: TopLevelDecoder {}
    extension PropertyListDecoder: TopLevelDecoder {}
    extension JSONEncoder: TopLevelEncoder {}
    extension PropertyListEncoder: TopLevelEncoder {}

    """

  private static let widgets = """
    @_exported import Foundation

    /// Linux has no widgets.
    public final class WidgetCenter: Sendable {
      public static let shared = WidgetCenter()
      public func reloadAllTimelines() {}
      public func reloadTimelines(ofKind kind: String) {}
    }

    """

  private static let logging = """
    @_exported import Foundation

    /// A logger that ignores its messages.
    public struct Logger: Sendable {
      public init() {}
      public init(subsystem: String, category: String) {}

      public func log(_ message: OSLogMessage) {}
      public func log(level: OSLogType, _ message: OSLogMessage) {}
      public func trace(_ message: OSLogMessage) {}
      public func debug(_ message: OSLogMessage) {}
      public func info(_ message: OSLogMessage) {}
      public func notice(_ message: OSLogMessage) {}
      public func warning(_ message: OSLogMessage) {}
      public func error(_ message: OSLogMessage) {}
      public func critical(_ message: OSLogMessage) {}
      public func fault(_ message: OSLogMessage) {}
    }

    public enum OSLogType: Sendable { case `default`, info, debug, error, fault }

    public enum OSLogPrivacy: Sendable { case auto, `public`, `private`, sensitive }

    public struct OSLogMessage: ExpressibleByStringInterpolation {
      public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation<Value>(
          _ value: @autoclosure () -> Value,
          privacy: OSLogPrivacy = .auto
        ) {}
      }

      public init(stringLiteral value: String) {}
      public init(stringInterpolation: StringInterpolation) {}
    }

    """
}
