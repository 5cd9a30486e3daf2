/// Linux has no widgets.
public final class WidgetCenter: Sendable {
  public static let shared = WidgetCenter()
  public func reloadAllTimelines() {}
}
// snippet.file.widget-shim
