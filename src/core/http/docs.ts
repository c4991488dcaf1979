import { Elysia } from 'elysia'
import { eventsDocument, type LiveParts } from './documents/asyncapi.ts'
import { contractIdOf } from './documents/operation.ts'
import { openApiDocument } from './documents/openapi.ts'
import { documentedRoutes, type RouteLike } from './documents/routes.ts'

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

/** A document is written when it is first read. */
function onFirstRead(write: () => object): () => Response {
  let text: string | null = null
  return () => {
    text ??= JSON.stringify(write())
    return new Response(text, { headers: { 'Content-Type': 'application/json' } })
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
  // Also when it is first read: a start waits for nothing of it.
  const listed = (isContract: boolean) =>
    documentedRoutes(routes).filter((route) => (contractIdOf(route) !== undefined) === isContract)
  return new Elysia({ name: 'http/docs' })
    .onBeforeHandle(({ request }) => guard(request))
    .get(
      '/openapi/v1.json',
      onFirstRead(() => openApiDocument('Larder API', listed(true), chapters)),
      hidden,
    )
    .get(
      '/openapi/ext.json',
      onFirstRead(() => openApiDocument('Larder API: extensions', listed(false), chapters)),
      hidden,
    )
    .get(
      '/openapi/events.json',
      onFirstRead(() => eventsDocument(live)),
      hidden,
    )
    .get('/reference', page, hidden)
}
