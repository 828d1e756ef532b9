// expect: risks causing data races
import CoreVideo
import Foundation

func jpeg(_ buffer: CVPixelBuffer) -> Data? { nil }

func upload(_ buffer: CVReadOnlyPixelBuffer) -> Data? { buffer.withUnsafeBuffer(jpeg) }
