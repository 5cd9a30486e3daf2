import CommandLineSupport
import Foundation
import OpenSwiftData

/// The page of saves and their changes, the newest first.
enum HistoryPage {
  /// The number of saves on a page.
  private static let size = 20
  /// The largest number of columns of a program's text.
  private static let longestString = 200
  /// The largest number of a save's objects that are named.
  private static let mostObjects = 12

  static func page(_ query: [String: String], _ opened: OpenedStore) throws -> Page {
    guard let store = opened.store as? any HistoryKeeping else {
      let content = HTML { html in
        html.element("h1", text: "History")
        html.element("p", text: "This kind of store keeps no history.")
      }
      return Page(title: "History", part: .history, content: content)
    }
    let before = query["before"].flatMap { Int64($0) }
    let bounds = try store.historyBounds()
    var request = StoreHistoryQuery(order: [.init(.number, isReversed: true)], limit: size + 1)
    if let before { request.filter = .number(.less, before) }
    let found = try store.transactions(request)
    let content = HTML { html in
      html.element("h1", text: "History")
      html.element(
        "p",
        text: bounds.last == 0
          ? "No saves yet." : "The last save number is \(bounds.last)."
      )
      html.element("ol", [("class", "timeline"), ("reversed", "")]) { list in
        for transaction in found.prefix(size) {
          list.element("li", [("value", "\(transaction.number)")]) { append(transaction, &$0) }
        }
      }
      pages(found, isFirst: before == nil, &html)
    }
    return Page(title: "History", part: .history, content: content)
  }

  private static func pages(
    _ found: [StoreTransaction],
    isFirst: Bool,
    _ html: inout HTML
  ) {
    let older = found.count > size ? found[size - 1].number : nil
    guard older != nil || !isFirst else { return }
    html.element("nav", [("class", "pages"), ("aria-label", "Pages")]) { nav in
      if !isFirst { nav.link(PageLink.history, text: "Newest") }
      if let older {
        nav.link("\(PageLink.history)?before=\(older)", [("rel", "next")], text: "Older")
      }
    }
  }

  private static func append(_ transaction: StoreTransaction, _ html: inout HTML) {
    html.element("h2") { head in
      head.text("Save \(transaction.number)")
      if let author = transaction.author { head.text(" by \(author.shown(to: longestString))") }
    }
    html.element("p", [("class", "when")]) { line in
      let time = transaction.timestamp.formatted(.iso8601)
      line.element("time", [("datetime", time)], text: time)
      let bundle = transaction.bundleIdentifier.shown(to: longestString)
      line.text(", \(bundle) (\(transaction.processIdentifier.shown(to: longestString)))")
    }
    html.element("ul", [("class", "changes")]) { list in
      for change in transaction.changes.prefix(mostObjects) {
        list.element("li") { append(change, &$0) }
      }
      let more = transaction.changes.count - mostObjects
      if more > 0 { list.element("li", text: "and \(more.grouped) more") }
    }
  }

  private static func append(_ change: StoreChange, _ html: inout HTML) {
    switch change.kind {
    case .insert: html.markup("<span class=\"sign insert\">new</span> ")
    case .update: html.markup("<span class=\"sign update\">changed</span> ")
    case .delete: html.markup("<span class=\"sign delete\">deleted</span> ")
    }
    if change.kind == .delete {
      html.text("\(change.identifier)")
    } else {
      html.link(PageLink.object(change.identifier), text: "\(change.identifier)")
    }
    let details = change.shownDetails
    if !details.isEmpty { html.element("span", [("class", "label")], text: details) }
  }
}
