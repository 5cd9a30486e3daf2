// swift-format-ignore-file
@Model
open class Trip {
  open var name: String = ""
  public private(set) var count: Int = 0
  package final var code: Int = 0
  fileprivate(set) public var note: String?
  private var secret: Data?
  internal var plain: Int = 1
  nonisolated var free: Int = 1
  public init() {}
}
