import Foundation
import Testing

@testable import ModelMacroExpansion

/// Messages that Swift 6.3.1 sent, unchanged.
@Suite("Host messages")
struct HostMessageTests {
  @Test(arguments: Fixture.messages)
  func `get the responses of their fixtures`(_ fixture: Fixture) throws {
    let request = Array(try fixture.text().utf8)
    let response = String(decoding: respond(to: request), as: UTF8.self)
    #expect(try response == fixture.expected(or: response))
  }

  @Test(arguments: ["", "{}", "[]", "{\"somethingNew\": {}}", "{\"expandAttachedMacro\": {}}"])
  func `of unknown kinds get an empty response`(_ message: String) {
    let response = String(decoding: respond(to: Array(message.utf8)), as: UTF8.self)
    #expect(response == "{\"expandMacroResult\":{\"diagnostics\":[]}}")
  }

  @Test func `the cached model is not reused for another class`() throws {
    var lastModel = LastModel()
    let first = syntax("@Model class A { var a = 1 }")
    let second = syntax("@Model class B { var b = 1; var c = 2 }")
    for _ in 0..<2 {
      #expect(lastModel.model(in: first)?.properties.map(\.name) == ["a"])
      #expect(lastModel.model(in: first)?.name == "A")
      #expect(lastModel.model(in: second)?.properties.map(\.name) == ["b", "c"])
      #expect(lastModel.model(in: syntax("struct C {}"))?.name == nil)
    }
  }

  @Test func `a declaration of several variables is refused once`() {
    var lastModel = LastModel()
    let first = syntax("var a = 1, b = 2")
    var second = syntax("var c = 1, d = 2")
    second.location.offset = 7
    let refusals = [first, first, second, second].map { lastModel.refuses($0) }
    #expect(refusals == [true, false, true, false])
  }

  private func syntax(_ source: String) -> HostSyntax {
    HostSyntax(source: source, location: HostSyntax.Location(fileName: "", offset: 0))
  }

  @Test func `a channel frames each message with its length`() throws {
    let pipe = Pipe()
    let channel = MessageChannel(
      input: pipe.fileHandleForReading.fileDescriptor,
      output: pipe.fileHandleForWriting.fileDescriptor
    )
    #expect(channel.send(Array("one".utf8)))
    #expect(channel.send([]))
    #expect(channel.receive() == Array("one".utf8))
    #expect(channel.receive() == [])
    try pipe.fileHandleForWriting.close()
    #expect(channel.receive() == nil)
  }

  @Test func `a truncated message ends the connection`() throws {
    let pipe = Pipe()
    let channel = MessageChannel(input: pipe.fileHandleForReading.fileDescriptor, output: -1)
    try pipe.fileHandleForWriting.write(contentsOf: Data([9, 0, 0, 0, 0, 0, 0, 0, 1, 2]))
    try pipe.fileHandleForWriting.close()
    #expect(channel.receive() == nil)
  }

  @Test func `an excessive length ends the connection`() throws {
    let pipe = Pipe()
    let channel = MessageChannel(input: pipe.fileHandleForReading.fileDescriptor, output: -1)
    try pipe.fileHandleForWriting.write(contentsOf: Data(repeating: 255, count: 16))
    #expect(channel.receive() == nil)
  }
}
