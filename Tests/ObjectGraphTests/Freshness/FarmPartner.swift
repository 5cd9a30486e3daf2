import Foundation
import OpenSwiftData
import StoreTestSupport

/// Another process that carries out a part of the steps of a program.
final class FarmPartner {
  private let channel: FarmChannel

  /// Opens the pipes to a process that runs ``take(from:)``.
  init(_ folder: String) throws {
    channel = try FarmChannel(folder, isStarted: false)
  }

  /// Opens an empty store there.
  func open(_ url: String) throws { try request("open \(url)") }

  func perform(_ step: FarmStep) throws { try request(step.line) }

  func finish() throws { try request("finish") }

  /// Ends the process.
  func leave() { try? channel.send("leave") }

  private func request(_ line: String) throws {
    try channel.send(line)
    let response = try channel.receive()
    if response != "ok" { throw Difference("in the other process, \(response)") }
  }

  /// Carries out the steps that another process requests, until it says that there are no more.
  static func take(from folder: String) throws {
    let channel = try FarmChannel(folder, isStarted: true)
    var world: FarmWorld?
    while true {
      let words = try channel.receive().split(separator: " ")
      if words == ["leave"] { return }
      do {
        if let step = FarmStep(words) {
          world?.noteOthers()
          try world?.perform(step)
        } else if words == ["finish"] {
          world?.noteOthers()
          try world?.finish()
        } else {
          world = try FarmPair.world(of: String(words.last ?? ""))
        }
        try channel.send("ok")
      } catch {
        try channel.send("\(error)")
      }
    }
  }
}

/// A place at which programs of two processes run.
final class FarmPair {
  private let store: FarmStore
  private let partner: FarmPartner
  /// The folder after which the server's schema is named.
  private let folder: TemporaryFolder

  init(_ store: FarmStore, with partner: FarmPartner) throws {
    self.store = store
    self.partner = partner
    folder = try TemporaryFolder()
  }

  /// Opens an empty store in both processes.
  func open() throws -> FarmWorld {
    let own = store == .postgres ? folder : try TemporaryFolder()
    let url =
      store == .postgres
      ? EveryStore.postgreSQL.url(in: own) + "&history=values"
      : EveryStore.sqlite.url(in: own) + "?history=values"
    let container = try ModelContainer(for: FarmSite.schema, store: url)
    if store == .postgres { try container.erase() }
    try partner.open(url)
    return FarmWorld(
      [container],
      in: own,
      savesNoticeOthers: store != .postgres,
      with: partner
    )
  }

  /// Returns the contexts of one of two processes.
  fileprivate static func world(of url: String) throws -> FarmWorld {
    let container = try ModelContainer(for: FarmSite.schema, store: url)
    return FarmWorld([container], savesNoticeOthers: !url.hasPrefix("postgres"))
  }
}
