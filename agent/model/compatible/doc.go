// Package compatible projects the model contract onto Chat Completions (POST
// …/chat/completions, streamed), the wire of Ollama, llama.cpp, vLLM, LM Studio
// and many services, through OpenAI's official SDK.
//
// The wire has no items to replay: a thread is always sent in neutral form.
// Servers of this wire differ; what is tolerated: call ids that are missing,
// empty or the same twice, a call in one chunk or without an index, arguments
// as an object, finish_reason "stop" with calls, reasoning_content or reasoning,
// no usage. Wire shapes were read from openai-go v3.99.0, chatcompletion.go.
//
// Never: read the environment (the SDK's client would), retry, follow a
// redirect, guess a base URL, keep anything between two requests.
//
// Concurrency: a Provider may be used by several goroutines; one stream belongs
// to the goroutine that ranges over it.
package compatible
