// Package anthropic projects the model contract onto Anthropic's Messages API
// (POST /v1/messages, streamed), through the official SDK.
//
// Thinking blocks are replayed with their signature to the same model, and
// dropped for any other. The input of a tool call is kept as the bytes that
// came: the SDK's Accumulate would turn a cut-off input into {}. Wire shapes
// were read from anthropic-sdk-go v2.15.0.
//
// Never: read the environment or a profile file (the SDK's client would),
// retry, follow a redirect, keep anything between two requests.
//
// Concurrency: a Provider may be used by several goroutines; one stream belongs
// to the goroutine that ranges over it.
package anthropic
