// expect: type 'IntentCurrencyAmount' does not conform to protocol 'Comparable'
import AppIntents

let cheaper = LessThanOrEqualToComparator<IntentCurrencyAmount, String> { "\($0.amount)" }
