import { EResult, type ApiRequest, type ApiResponse, type ITransport } from 'steam-session'
import { resultNumbered } from './results.ts'

/** Per request, body included. */
const timeoutMs = 10_000
/** Answers are a few hundred bytes. */
const answerBytesMax = 64 * 1024
const pauseMs = 500

/** Safe to repeat: one lost packet must not end a wait of two minutes. */
const repeatable = new Set(['GetPasswordRSAPublicKey', 'PollAuthSessionStatus'])
const tries = 3

/** Steam could not be reached, or another server answered. Names no request, so safe to log. */
export class TransportError extends Error {}

async function boundedBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new TransportError('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function resultOf(response: Response): EResult {
  if (response.status === 429) return EResult.RateLimitExceeded
  if (response.status >= 500) return EResult.ServiceUnavailable
  const text = response.headers.get('x-eresult') ?? ''
  if (!response.ok || !/^\d{1,4}$/.test(text)) {
    throw new TransportError(`the answer is not from Steam (status ${response.status})`)
  }
  return resultNumbered(Number(text))
}

function requestOf(baseUrl: string, request: ApiRequest): Request {
  const { apiInterface, apiMethod, apiVersion } = request
  const url = new URL(`${baseUrl}/I${apiInterface}Service/${apiMethod}/v${apiVersion}/`)
  // Loosely typed by the library; in fact a Buffer and a flat object of strings.
  const encoded = (request.requestData as Buffer | undefined)?.toString('base64') ?? ''
  const headers = new Headers(request.headers as Record<string, string> | undefined)
  const options = { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const
  if (apiMethod === 'GetPasswordRSAPublicKey') {
    url.searchParams.set('input_protobuf_encoded', encoded)
    return new Request(url.href, options)
  }
  const body = new FormData()
  body.set('input_protobuf_encoded', encoded)
  return new Request(url.href, { ...options, method: 'POST', body })
}

/** Carries the library's requests over HTTP to a configured address. */
export class WebTransport implements ITransport {
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  async sendRequest(request: ApiRequest): Promise<ApiResponse> {
    for (let left = repeatable.has(request.apiMethod) ? tries : 1; ; left--) {
      try {
        const answer = await this.#sendOnce(request)
        if (answer.result !== EResult.ServiceUnavailable || left <= 1) return answer
      } catch (error) {
        if (left <= 1) throw error
      }
      await Bun.sleep(pauseMs)
    }
  }

  async #sendOnce(request: ApiRequest): Promise<ApiResponse> {
    try {
      const response = await fetch(requestOf(this.#baseUrl, request))
      const result = resultOf(response)
      return { result, responseData: await boundedBytes(response) }
    } catch (error) {
      if (error instanceof TransportError) throw error
      // The original error is dropped: it may contain the request.
      throw new TransportError('Steam cannot be reached')
    }
  }

  close(): void {}
}
