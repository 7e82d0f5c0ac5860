// Package gemini projects the model contract onto the Gemini API (POST
// /v1beta/models/M:streamGenerateContent?alt=sse), through the official SDK.
//
// The parts that the model answers with are kept as the bytes that came (the
// SDK's types would sort arguments and round numbers) and given back untouched
// and unmerged to the same model, with their thought signatures. Wire shapes
// were read from genai v1.77.0.
//
// Never: read the environment's key, URL or back end, retry, continue a stream
// by itself, follow a redirect, keep anything between two requests.
//
// Concurrency: a Provider may be used by several goroutines; one stream belongs
// to the goroutine that ranges over it.
package gemini
