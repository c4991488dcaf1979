import { Elysia } from 'elysia'
import type { LiveParts } from './documents/asyncapi.ts'
import type { RouteLike } from './request-forms.ts'

export type DocumentGuard = (request: Request) => Promise<Response | undefined>

interface DocumentParts extends LiveParts {
  guard: DocumentGuard
  routes: readonly RouteLike[]
  /** What groups add to the guide. */
  chapters: readonly string[]
}

/** The viewer loads nothing external: no fonts, no telemetry, no assistants. */
const viewerSettings = {
  sources: [
    { title: 'API', slug: 'api', url: '/openapi/v1.json', default: true },
    { title: 'Extensions', slug: 'extensions', url: '/openapi/ext.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
}

const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Larder API reference</title>
</head>
<body>
<script id="api-reference" data-configuration='${JSON.stringify(viewerSettings)}'></script>
<script src="/scalar.js"></script>
</body>
</html>
`

const hidden = { detail: { hide: true } }

/** A document is written when it is first read, and what writes it is loaded then. */
function onFirstRead(write: () => Promise<object>): () => Promise<Response> {
  let text: Promise<string> | null = null
  return async () => {
    text ??= write().then((document) => JSON.stringify(document))
    return new Response(await text, { headers: { 'Content-Type': 'application/json' } })
  }
}

const page = () =>
  new Response(referencePage, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  })

/**
 * `/reference`, `/openapi/v1.json` (the contract) `/openapi/ext.json` (what we offer beyond it)
 * and `/openapi/events.json` (the live channel, as AsyncAPI),
 * for administrators and for the installation key in `X-Api-Key`. The page is ours and loads only
 * our own copy of the viewer, so that it works on a network without internet. The guard is a local
 * hook: a wider scope would lock later routes too.
 */
export function docs({ guard, routes, chapters, ...live }: DocumentParts) {
  async function openApi(title: string, isContract: boolean): Promise<object> {
    const { openApiDocument } = await import('./documents/openapi.ts')
    const { documentedRoutes } = await import('./documents/routes.ts')
    const { contractIdOf } = await import('./documents/operation.ts')
    const listed = documentedRoutes(routes).filter(
      (route) => (contractIdOf(route) !== undefined) === isContract,
    )
    return openApiDocument(title, listed, chapters)
  }
  return new Elysia({ name: 'http/docs' })
    .onBeforeHandle(({ request }) => guard(request))
    .get(
      '/openapi/v1.json',
      onFirstRead(() => openApi('Larder API', true)),
      hidden,
    )
    .get(
      '/openapi/ext.json',
      onFirstRead(() => openApi('Larder API: extensions', false)),
      hidden,
    )
    .get(
      '/openapi/events.json',
      onFirstRead(async () => (await import('./documents/asyncapi.ts')).eventsDocument(live)),
      hidden,
    )
    .get('/reference', page, hidden)
}
