/*
 * A store that cannot be used leads to a page, not to a restart loop. A damaged `state.sqlite` or
 * `hot.sqlite`, or a file written by a newer version, makes every request answer 503 with the
 * reason and what to move where (`diagnosis.ts`).
 */
import type { Config } from '../config.ts'
import { DamagedStore } from '../../../db/damage.ts'
import { securityHeaders } from '../http/headers.ts'
import { readTlsPair } from '../lib/tls.ts'
import { LostState } from './lost-state.ts'

/** A snapshot is being put in place. */
export class RestoreUnderWay extends Error {
  readonly advice = 'The service starts by itself when this is done. It may take a few minutes.'

  constructor() {
    super('A snapshot is being restored')
  }
}

/** Escapes text for HTML; the message may quote a path. */
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const migrationAdvice =
  'Nothing was changed. Start the version that wrote these files, or restore a backup of the data folder.'

/** Longest body of an answer to the page's question. */
const answerBytesMax = 4096

const form = `<form method="post"><p><label>Installation key
<input name="key" type="password" autocomplete="off" required></label>
<button>Begin anew</button></p></form>`

/** The key that an answer to the page's question contains: of the form, or of a script. */
async function answeredKey(request: Request): Promise<string> {
  const body = new URLSearchParams(await request.text())
  return (request.headers.get('X-Api-Key') ?? body.get('key') ?? '').trim()
}

/**
 * Serves the reason why the service cannot run, instead of a restart loop: every request gets 503
 * with the text. Where the reason is a question, `isAccepted` is given the installation key of an
 * answer. Returns a function that stops it.
 */
export function serveDiagnosis(
  config: Config,
  error: Error,
  isAccepted: (key: string) => boolean = () => false,
): () => Promise<void> {
  const isUnderWay = error instanceof RestoreUnderWay
  const isQuestion = error instanceof LostState
  const hasAdvice = isUnderWay || isQuestion || error instanceof DamagedStore
  const advice = hasAdvice ? error.advice : migrationAdvice
  const title = isUnderWay ? 'Larder is restoring' : 'Larder cannot start'
  // Its reasons come from the stores, in English; the browser offers to translate them.
  const page = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<h1>${title}</h1><p>${escapeHtml(error.message)}</p>
<p>${escapeHtml(advice)}</p>${isQuestion ? form : ''}`
  const server = Bun.serve({
    port: config.port,
    hostname: config.host,
    ...(config.tls === null ? {} : { tls: readTlsPair(config.tls) }),
    maxRequestBodySize: answerBytesMax,
    async fetch(request) {
      const headers = { ...securityHeaders, 'Retry-After': '60', 'X-Service-Status': 'diagnosis' }
      if (isQuestion && request.method === 'POST') {
        const isRight = isAccepted(await answeredKey(request))
        const text = isRight
          ? 'Larder begins anew: reload in a moment'
          : 'The installation key is wrong'
        return new Response(text, { status: isRight ? 202 : 403, headers })
      }
      const wantsPage = request.headers.get('Accept')?.includes('text/html') ?? false
      if (!wantsPage)
        return Response.json({ error: error.message, advice }, { status: 503, headers })
      const type = { 'Content-Type': 'text/html; charset=utf-8' }
      return new Response(page, { status: 503, headers: { ...headers, ...type } })
    },
  })
  return () => server.stop(true)
}
