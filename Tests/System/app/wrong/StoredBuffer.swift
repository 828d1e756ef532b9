// expect: risks causing data races
import CoreVideo

func keep(_ buffer: CVReadOnlyPixelBuffer) -> CVPixelBuffer { buffer.withUnsafeBuffer { $0 } }
