import type { Config } from '../config.ts'
import { DamagedStore } from '../../../db/damage.ts'
import { securityHeaders } from '../http/headers.ts'
import { readTlsPair } from '../lib/tls.ts'

/** A snapshot is being made or put in place. */
export class SnapshotUnderWay extends Error {
  readonly advice = 'The service starts by itself when this is done. It may take a few minutes.'

  readonly work: 'restore' | 'update'

  constructor(work: 'restore' | 'update') {
    super(work === 'restore' ? 'A snapshot is being restored' : 'The update is being prepared')
    this.work = work
  }
}

/** Escapes text for HTML; the message may quote a path. */
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const migrationAdvice =
  'Nothing was changed. Start the version that wrote these files, or restore a backup of the data folder.'

/**
 * Serves the reason why the service cannot run, instead of a restart loop: every request gets 503
 * with the text. Returns a function that stops it.
 */
export function serveDiagnosis(config: Config, error: Error): () => Promise<void> {
  const isUnderWay = error instanceof SnapshotUnderWay
  const advice = isUnderWay || error instanceof DamagedStore ? error.advice : migrationAdvice
  const titles = { restore: 'Larder is restoring', update: 'Larder is updating' }
  const title = isUnderWay ? titles[error.work] : 'Larder cannot start'
  const page = `<!doctype html><meta charset="utf-8"><title>${title}</title>
<h1>${title}</h1><p>${escapeHtml(error.message)}</p>
<p>${escapeHtml(advice)}</p>`
  const server = Bun.serve({
    port: config.port,
    hostname: config.host,
    ...(config.tls === null ? {} : { tls: readTlsPair(config.tls) }),
    fetch(request) {
      const headers = { ...securityHeaders, 'Retry-After': '60', 'X-Service-Status': 'diagnosis' }
      const wantsPage = request.headers.get('Accept')?.includes('text/html') ?? false
      if (!wantsPage)
        return Response.json({ error: error.message, advice }, { status: 503, headers })
      const type = { 'Content-Type': 'text/html; charset=utf-8' }
      return new Response(page, { status: 503, headers: { ...headers, ...type } })
    },
  })
  return () => server.stop(true)
}
