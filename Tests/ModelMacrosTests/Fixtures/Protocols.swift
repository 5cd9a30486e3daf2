// swift-format-ignore-file
@Model
public final class Stay:
  Titled, Codable {
  public var nights = 1
}
