@_exported import Foundation
@_exported import ModelRuntime
@_exported import Observation
@_exported import QueryEvaluation
@_exported import StoreProtocol
