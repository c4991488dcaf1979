import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'

export type DocumentGuard = (request: Request) => Promise<Response | undefined>

/** The viewer asks nobody: no fonts, no telemetry, no assistants from elsewhere. */
const viewerSettings = {
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
<script id="api-reference" data-url="/openapi/v1.json" data-configuration='${JSON.stringify(
  viewerSettings,
)}'></script>
<script src="/assets/scalar.js"></script>
</body>
</html>
`

const info = {
  title: 'Larder API',
  version: '1.0.0',
  description: 'Monitoring and management of a local-network caching proxy for game content.',
}

const tags = [
  'Access',
  'Cache and Games',
  'Clients',
  'Downloads and Reporting',
  'Prefill',
  'System',
].map((name) => ({ name }))

interface Described {
  paths?: Record<string, Record<string, { responses?: Record<string, { content?: object }> }>>
}

/** The generator writes the schema of an empty answer where its media types belong: left out. */
function withoutEmptyContent(document: Described): void {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const { responses } of operations) {
    for (const response of Object.values(responses ?? {})) {
      if (response.content !== undefined && 'type' in response.content) delete response.content
    }
  }
}

/**
 * `/reference` and `/openapi/v1.json`, for account holders and for the installation key in
 * `X-Api-Key`. The page is ours and loads only our own copy of the viewer, so that it works on a
 * network without internet. The guard is a local hook: a wider scope would lock later routes too.
 */
export const docs = (guard: DocumentGuard) =>
  new Elysia({ name: 'http/docs' })
    .onBeforeHandle(({ request }) => guard(request))
    .onAfterHandle(({ path, response }) => {
      // The generated document is a plain object; the other answers of this instance are not.
      if (path === '/openapi/v1.json') withoutEmptyContent(response as Described)
    })
    .use(
      openapi({
        provider: null,
        path: '/openapi',
        specPath: '/openapi/v1.json',
        documentation: {
          info,
          tags,
          servers: [{ url: '/' }],
          components: {
            securitySchemes: {
              session: { type: 'apiKey', in: 'cookie', name: 'Svc.Session' },
              antiforgery: { type: 'apiKey', in: 'header', name: 'X-Antiforgery-Token' },
            },
          } satisfies OpenAPIV3.ComponentsObject,
        },
        exclude: {
          paths: ['/', '/*', '/reference', '/metrics', /^\/hubs\//, /^\/openapi/, /^\/api\/ext\//],
        },
      }),
    )
    .get(
      '/reference',
      () =>
        new Response(referencePage, {
          headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
        }),
      { detail: { hide: true } },
    )
