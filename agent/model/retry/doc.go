// Package retry makes any model.Provider ask again when a try failed in a way
// that another may not: rate limit, overload, no network, a stream that is cut
// or empty.
//
// Never: retry once an event of the step was yielded (it was shown, or run, and
// cannot be taken back), once the request says NeverRetry, or when the service
// refused the key or the request itself.
//
// Concurrency: as the provider inside; nothing is shared between streams.
package retry
