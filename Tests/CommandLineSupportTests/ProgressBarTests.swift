import Synchronization
import Testing

@testable import CommandLineSupport

@Suite("ProgressBar")
struct ProgressBarTests {
  /// A clock that a test moves by hand.
  final class ManualClock: Sendable {
    private let now = Mutex(Duration.zero)

    func advance(by duration: Duration) {
      now.withLock { $0 += duration }
    }

    func elapsed() -> Duration {
      now.withLock { $0 }
    }
  }

  @Test func `a pipe shows no progress bar`() {
    let console = Console.recording(isErrorTerminal: false)
    var bar = ProgressBar("flights", total: 10, console: console)
    bar.advance(to: 5)
    bar.finish()
    #expect(console.errors.pendingText.isEmpty)
  }

  @Test func `a terminal shows the bar and finish() clears it`() {
    let console = Console.recording(isErrorTerminal: true, width: 40)
    var bar = ProgressBar("flights", total: 10, console: console)
    bar.advance(to: 5)
    bar.finish()
    let drawn = "\rflights [############............]  50%\u{1B}[K"
    #expect(console.errors.pendingText == drawn + "\r\u{1B}[K")
    #expect(console.output.pendingText.isEmpty)
  }

  @Test func `the bar is drawn at most ten times a second`() {
    let console = Console.recording(isErrorTerminal: true)
    let clock = ManualClock()
    var bar = ProgressBar("x", total: 100, console: console, clock: clock.elapsed)
    for count in 1...100 {
      bar.advance(to: count)
      clock.advance(by: .milliseconds(10))
    }
    #expect(console.errors.pendingText.count { $0 == "\r" } == 10)
  }

  @Test(arguments: [(0, "  0%"), (1, " 10%"), (10, "100%"), (20, "100%"), (-3, "  0%")])
  func `the percentage is clamped to 0 through 100`(count: Int, share: String) {
    let line = ProgressBar.line("x", count, of: 10, after: .zero, width: 40)
    #expect(line.hasSuffix(share))
    #expect(line.displayWidth == 40)
  }

  @Test func `a total of zero is shown as complete`() {
    #expect(ProgressBar.line("x", 0, of: 0, after: .zero, width: 40).hasSuffix("100%"))
  }

  @Test func `the remaining time is shown as soon as it can be estimated`() {
    let line = ProgressBar.line("x", 25, of: 100, after: .seconds(30), width: 60)
    #expect(line.hasSuffix(" 25%  1m 30s left"))
  }

  @Test func `a narrow terminal shows only the percentage`() {
    #expect(ProgressBar.line("flights", 5, of: 10, after: .zero, width: 14) == "flights  50%")
  }
}
