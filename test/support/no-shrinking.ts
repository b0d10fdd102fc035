import fc from 'fast-check'

// For mutation tests: that a property fails is enough.
fc.configureGlobal({ endOnFailure: true })
