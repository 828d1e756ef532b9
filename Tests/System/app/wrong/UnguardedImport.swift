// expect: UnguardedImport.swift imports VisualIntelligence, which the simulator lacks, without #if canImport
import VisualIntelligence
