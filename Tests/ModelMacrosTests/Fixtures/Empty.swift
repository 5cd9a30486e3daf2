// swift-format-ignore-file
@Model public final class Nothing {
  var computed: Int { 1 }
  @Transient var scratch = 0
}
