// swift-format-ignore-file
@Model class Trip {
  var first: Int = 1
  #if DEBUG
    var debugName: String = "d"
    #if os(Linux) // a comment after the condition
      var penguins: Int = 2
    #elseif os(macOS)
      var apples: Int = 1
      var more: String?
    #endif
  #elseif canImport(Nothing) && swift(>=5.9)
    var nothing: Int?
  #else
    var releaseName: String = "r"
  #endif
  #if DEBUG
    func debug() {}
  #endif
  #if DEBUG
    #Index<Trip>([\.first])
  #endif
  #if true
  @Attribute(.unique)
  #endif
  var last: Int = 3
  #if DEBUG
    @Transient var skipped = 0
  #endif
}
