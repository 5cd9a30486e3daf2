extension StandIns {
  static let notifications = """
    @_exported import Foundation

    /// Linux shows no notifications: none is authorized, and requests are ignored.
    public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
      private static let shared = UNUserNotificationCenter()
      public weak var delegate: (any UNUserNotificationCenterDelegate)?

      public static func current() -> UNUserNotificationCenter { shared }

      public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        false
      }
      public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
      ) { completionHandler(false, nil) }
      public func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings() }
      public func getNotificationSettings(
        completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
      ) { completionHandler(UNNotificationSettings()) }
      public func add(_ request: UNNotificationRequest) async throws {}
      public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
      ) { handler?(nil) }
      public func pendingNotificationRequests() async -> [UNNotificationRequest] { [] }
      public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
      ) { completionHandler([]) }
      public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}
      public func removeAllPendingNotificationRequests() {}
      public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
      public func removeAllDeliveredNotifications() {}
      public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
      public func setBadgeCount(_ count: Int) async throws {}
    }

    public protocol UNUserNotificationCenterDelegate: AnyObject {}

    public enum UNAuthorizationStatus: Int, Sendable {
      case notDetermined, denied, authorized, provisional, ephemeral
    }

    public enum UNNotificationInterruptionLevel: Sendable {
      case passive, active, timeSensitive, critical
    }

    public struct UNNotificationSettings: Sendable {
      public var authorizationStatus: UNAuthorizationStatus { .notDetermined }
    }

    public struct UNAuthorizationOptions: OptionSet, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }
      public static let badge = Self(rawValue: 1), sound = Self(rawValue: 2)
      public static let alert = Self(rawValue: 4), provisional = Self(rawValue: 64)
    }

    public struct UNNotificationPresentationOptions: OptionSet, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }
      public static let badge = Self(rawValue: 1), sound = Self(rawValue: 2)
      public static let list = Self(rawValue: 8), banner = Self(rawValue: 16)
    }

    public struct UNNotificationActionOptions: OptionSet, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }
      public static let authenticationRequired = Self(rawValue: 1)
      public static let destructive = Self(rawValue: 2), foreground = Self(rawValue: 4)
    }

    public struct UNNotificationCategoryOptions: OptionSet, Sendable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }
      public static let customDismissAction = Self(rawValue: 1)
    }

    public struct UNNotificationSoundName: RawRepresentable, Sendable {
      public let rawValue: String
      public init(rawValue: String) { self.rawValue = rawValue }
      public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    public struct UNNotificationSound: Sendable {
      public static let `default` = UNNotificationSound(), defaultCritical = UNNotificationSound()
      private init() {}
      public init(named name: UNNotificationSoundName) {}
    }

    open class UNNotificationContent: NSObject, @unchecked Sendable {
      public var title = "", subtitle = "", body = ""
      public var categoryIdentifier = "", threadIdentifier = ""
      public var badge: NSNumber?
      public var sound: UNNotificationSound?
      public var userInfo: [AnyHashable: Any] = [:]
      public var interruptionLevel = UNNotificationInterruptionLevel.active
      public var relevanceScore = 0.0
    }

    public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {}

    open class UNNotificationTrigger: NSObject, @unchecked Sendable {
      public let repeats: Bool
      fileprivate init(repeats: Bool) { self.repeats = repeats }
    }

    public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
      public let dateComponents: DateComponents
      public init(dateMatching components: DateComponents, repeats: Bool) {
        dateComponents = components
        super.init(repeats: repeats)
      }
    }

    public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
      public let timeInterval: TimeInterval
      public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
      }
    }

    public final class UNNotificationRequest: NSObject, @unchecked Sendable {
      public let identifier: String
      public let content: UNNotificationContent
      public let trigger: UNNotificationTrigger?
      public init(
        identifier: String,
        content: UNNotificationContent,
        trigger: UNNotificationTrigger?
      ) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
      }
    }

    public struct UNNotificationAction: Sendable {
      public init(
        identifier: String,
        title: String,
        options: UNNotificationActionOptions = []
      ) {}
    }

    public struct UNNotificationCategory: Hashable, Sendable {
      public let identifier: String
      public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
      ) { self.identifier = identifier }
    }

    public struct UNNotification: Sendable {
      public let request: UNNotificationRequest
      public let date: Date
    }

    public struct UNNotificationResponse: Sendable {
      public let notification: UNNotification
      public let actionIdentifier: String
    }

    public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

    """
}
