/**
 * Makes the dashboard installable with a page of its own while the service is away. It stores
 * nothing: every page and every answer comes from the service, so a worker of an old version can
 * neither pin its dashboard nor show old figures. Files that never change are in the browser's cache.
 */

/** The types of workers and those of pages exclude each other. */
interface Worker {
  skipWaiting: () => Promise<void>
  clients: { claim: () => Promise<void> }
  addEventListener: ((
    name: 'install' | 'activate',
    listener: (event: Extendable) => void,
  ) => void) &
    ((name: 'fetch', listener: (event: Fetching) => void) => void)
}
interface Extendable {
  waitUntil: (until: Promise<void>) => void
}
interface Fetching {
  request: Request
  respondWith: (answer: Promise<Response>) => void
}
// This file runs only as a worker.
const worker = globalThis as unknown as Worker

const texts = {
  en: ['Larder does not answer', 'This page tries again every ten seconds.', 'Try again'],
  de: [
    'Larder antwortet nicht',
    'Diese Seite versucht es alle zehn Sekunden erneut.',
    'Erneut versuchen',
  ],
} as const

const style = `
  :root { color-scheme: light dark; }
  body { display: grid; place-items: center; min-height: 90dvh; margin: 0; padding: 16px;
    font: 15px/1.5 system-ui, sans-serif; text-align: center;
    background: light-dark(#f6f7f9, #0e1013); color: light-dark(#14171c, #eceef2); }
  h1 { font-size: 20px; }
  a { color: inherit; }`

/** Without scripts, which the policy allows from files only; an empty address is the wanted page. */
function offlinePage(): Response {
  const language = navigator.language.startsWith('de') ? 'de' : 'en'
  const [title, text, again] = texts[language]
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10"><title>${title}</title><style>${style}</style>
<main><h1>${title}</h1><p>${text}</p><p><a href="">${again}</a></p></main></html>`
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  }
  return new Response(page, { status: 503, headers })
}

/** What a reverse proxy answers while the service is away says nothing and is never tried again. */
const isOfProxy = ({ status }: Response): boolean => status === 502 || status === 504

const open = async (request: Request): Promise<Response> => {
  const answer = await fetch(request).catch(() => null)
  return answer === null || isOfProxy(answer) ? offlinePage() : answer
}

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))
worker.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.mode === 'navigate') event.respondWith(open(request))
})
