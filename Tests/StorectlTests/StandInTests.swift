import Foundation
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("Stand-ins of storectl adopt")
struct StandInTests {
  /// Code of apps that needs stand-ins and no user interface.
  private static let app = """
    final class Flock: NSObject, ObservableObject, UNUserNotificationCenterDelegate {
      @Published var names = ["wren", "robin", "finch"]
      var path = NavigationPath()
      var subscriptions = Set<AnyCancellable>()
      let color = Color(.sRGB, red: 1, green: 0, blue: 0, opacity: 1)
      let symbol = Image(systemName: "bird")
      let log = Logger(subsystem: "app", category: "birds")

      func edit(_ offsets: IndexSet) {
        names.move(fromOffsets: offsets, toOffset: 0)
        names.remove(atOffsets: offsets)
        path.append(names.count)
        AnyCancellable {}.store(in: &subscriptions)
        let start = CFAbsoluteTimeGetCurrent() - CACurrentMediaTime()
        autoreleasepool { log.info("\\(start, privacy: .public)") }
        UIImpactFeedbackGenerator(style: .light).impactOccurred()
        XCTContext.runActivity(named: "reload") { _ in WidgetCenter.shared.reloadAllTimelines() }
      }

      func remind() async throws -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        let content = UNMutableNotificationContent()
        content.title = String(localized: "Feed \\(names.count) birds")
        content.sound = .default
        let day = DateComponents(hour: 8)
        let trigger = UNCalendarNotificationTrigger(dateMatching: day, repeats: true)
        let request = UNNotificationRequest(identifier: "a", content: content, trigger: trigger)
        try await center.add(request)
        log.info("\\(request.trigger?.description ?? "none")")
        let status = await center.notificationSettings().authorizationStatus
        return try await center.requestAuthorization(options: [.alert]) || status == .authorized
      }
    }
    """

  /// The sources of all stand-ins and exports, as one module.
  private static var sources: String {
    let names = ["Combine", "SwiftUI", "UIKitCore", "UserNotifications", "WidgetKit", "os"]
    let settings = BuildSettings(ofPackageTarget: .init(id: "", fields: [:]), toolsVersion: "6.2")
    let target = XcodeProject.Target(
      id: "",
      name: "Birds",
      kind: .unitTests,
      module: "Birds",
      settings: settings,
      dependencies: [],
      files: []
    )
    let exports = AdoptedFolder.exports(of: AdoptedTarget(target, in: ""), withCombine: false)
    return (names.map { StandIns.module($0).source } + [exports])
      .joined()
      .split(separator: "\n")
      .filter { line in !names.contains { line.hasSuffix("import \($0)") } }
      .joined(separator: "\n")
  }

  @Test func `the modules in which SwiftUI is declared have its stand-in`() {
    #expect(StandIns.module("SwiftUICore").exports == ["SwiftUI", "Combine", "UIKitCore"])
  }

  @Test(arguments: ["5", "6"])
  func `they compile with code that needs them`(_ languageMode: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Birds.swift")
    try Data("\(Self.sources)\n\(Self.app)".utf8).write(to: file)
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-parse-as-library", "-swift-version", languageMode, file.path,
    ]
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
  }
}
