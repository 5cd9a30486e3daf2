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
    case "SwiftUI": Module(source: interface, exports: ["Combine", "UIKitCore"])
    case "SwiftUICore":
      Module(source: "@_exported import SwiftUI\n", exports: ["SwiftUI", "Combine", "UIKitCore"])
    case "UIKit", "QuartzCore":
      Module(source: "@_exported import UIKitCore\n", exports: ["UIKitCore"])
    // Apple's SwiftUI exports UIKit, for which files may test with `canImport`.
    case "UIKitCore": Module(source: feedback)
    case "UserNotifications": Module(source: notifications)
    // Apple's frameworks export Foundation.
    default: Module(source: "@_exported import Foundation\n")
    }
  }

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

    public protocol Cancellable {
      func cancel()
    }

    /// A subscription: nothing is published here.
    public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
      private let onCancel: () -> Void

      public init(_ cancel: @escaping () -> Void) { onCancel = cancel }
      deinit { onCancel() }

      public func cancel() { onCancel() }
      public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
      public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
      public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
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

  private static let feedback = """
    @_exported import Foundation

    public func CACurrentMediaTime() -> Double { ProcessInfo.processInfo.systemUptime }

    /// Linux has nothing to feel.
    public class UIFeedbackGenerator {
      public init() {}
      public func prepare() {}
    }

    public final class UIImpactFeedbackGenerator: UIFeedbackGenerator {
      public enum FeedbackStyle: Sendable { case light, medium, heavy, soft, rigid }
      public init(style: FeedbackStyle = .medium) {}
      public func impactOccurred(intensity: CGFloat = 1) {}
    }

    public final class UINotificationFeedbackGenerator: UIFeedbackGenerator {
      public enum FeedbackType: Sendable { case success, warning, error }
      public func notificationOccurred(_ type: FeedbackType) {}
    }

    public final class UISelectionFeedbackGenerator: UIFeedbackGenerator {
      public func selectionChanged() {}
    }

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
