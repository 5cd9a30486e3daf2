import OpenSwiftData

/// Something to do on a trip.
@Model
class BucketListItem {
  var title: String
  var details: String
  var hasReservation: Bool
  var isInPlan: Bool
  var trip: Trip?

  init(title: String, details: String, hasReservation: Bool = false, isInPlan: Bool = false) {
    self.title = title
    self.details = details
    self.hasReservation = hasReservation
    self.isInPlan = isInPlan
  }
}
