// Package openai projects the model contract onto OpenAI's Responses API
// (POST /v1/responses, streamed), through the official SDK.
//
// Requests are stateless (store:false): reasoning comes back encrypted and is
// replayed verbatim to the same model, and dropped for any other. Wire shapes
// were read from openai-go v3.99.0, package responses.
//
// Never: read the environment (the SDK's client would), retry, follow a
// redirect, keep anything between two requests.
//
// Concurrency: a Provider may be used by several goroutines; one stream belongs
// to the goroutine that ranges over it.
package openai
