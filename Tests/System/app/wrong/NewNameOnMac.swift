// expect: 'labels' (NewNameOnMac.swift) uses 'SemanticContentDescriptor' and needs @available(macOS 27, *)
import AppIntents
#if canImport(VisualIntelligence)
  import VisualIntelligence

  @available(iOS 26, macOS 26, *)
  extension labels {
    func all(_ content: SemanticContentDescriptor) -> [String] { content.labels }
  }
#endif

struct labels {}
