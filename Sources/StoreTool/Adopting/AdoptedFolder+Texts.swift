extension AdoptedFolder {
  /// Returns what Apple's frameworks declare in each module.
  static func exports(of target: AdoptedTarget, withCombine: Bool) -> String {
    let identifier = target.target.settings["PRODUCT_BUNDLE_IDENTIFIER"]
    let name = identifier?.contains("$") == false ? identifier : nil
    let namespaces = target.namespaces.map { name in
      "\n/// This type is left out; types inside of it are not.\nenum \(name) {}\n"
    }
    return """
      // \(mark)
      // The modules that Apple's Foundation and SwiftData re-export.
      // 'public' as a file of the target may have 'internal import' of the same module.
      @_exported public import Foundation
      @_exported public import FoundationNetworking
      @_exported public import Observation
      \(withCombine ? "@_exported public import Combine\n" : "")
      extension Bundle {
        /// The identifier of the app: on Linux a program has none.
        nonisolated var bundleIdentifier: String? { \(AdoptedPackage.literal(name ?? target.module)) }
      }

      nonisolated func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
        try body()
      }

      nonisolated func CFAbsoluteTimeGetCurrent() -> Double { Date().timeIntervalSinceReferenceDate }

      // SwiftUI's, which files need no import for if another file of the module has one.
      extension Array {
        nonisolated mutating func remove(atOffsets offsets: IndexSet) {
          for offset in offsets.reversed() { remove(at: offset) }
        }

        nonisolated mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
          let moved = source.map { self[$0] }
          let place = destination - source.count(in: 0..<destination)
          remove(atOffsets: source)
          insert(contentsOf: moved, at: place)
        }
      }

      extension FileManager {
        /// Linux has no groups of apps.
        nonisolated func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? { nil }
      }

      extension String {
        /// Linux has no tables of localized strings: the string is its key.
        nonisolated init(
          localized key: String,
          defaultValue: String? = nil,
          table: String? = nil,
          bundle: Bundle? = nil,
          locale: Locale = .current,
          comment: StaticString? = nil
        ) {
          self = defaultValue ?? key
        }
      }
      \(target.isTest ? activities : "")\(namespaces.joined())
      """
  }

  private static let activities = """

    struct XCTActivity {}

    /// The XCTest of Linux has no activities.
    enum XCTContext {
      nonisolated static func runActivity<Result>(
        named name: String,
        block: (XCTActivity) throws -> Result
      ) rethrows -> Result { try block(XCTActivity()) }
    }

    """

  /// Returns the instructions for agents.
  static func agents(_ package: AdoptedPackage) -> String {
    """
    # \(package.name) on Linux

    \(mark)

    - Build: `swift build --build-tests`. Test: `swift test`; one test: `swift test --filter NAME`. Both run in this folder.
    - `Sources` and `Tests` link to the app's files. Edit them there; this folder has no source of its own but `StandIns`.
    - Copies, not links, are the XCTest files whose tests are on the main actor, and files without a declaration that does
      not compile on Linux (blank lines). Edit the app's file, then run `storectl adopt` again.
    - `sources:` in `Package.swift` names the files that compile on Linux. All others need a user interface or another module
      of Apple's. After an edit run `storectl adopt` again: it finds out anew and prints each reason.
    - `import SwiftData` is OpenSwiftData here. `StandIns/MODULE` may get more declarations; `storectl adopt` keeps them.
    - Look into a store: `storectl info sqlite:FILE`, `storectl list sqlite:FILE ENTITY`, `storectl verify sqlite:FILE`.

    """
  }
}
