import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import { hasFile, type Shape } from './shape.ts'

export type DocumentGuard = (request: Request) => Promise<Response | undefined>

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

interface Operation {
  responses?: Record<string, { content?: object }>
  requestBody?: { content: Record<string, { schema?: Shape }> }
}

interface Described {
  paths?: Record<string, Record<string, Operation>>
}

/** The generator puts the schema of an empty response where its media types belong: removed. */
function withoutEmptyContent({ responses = {} }: Operation): void {
  for (const response of Object.values(responses)) {
    if (response.content !== undefined && 'type' in response.content) delete response.content
  }
}

/** Every body is JSON by default; one with a file in it is a form. */
function withMediaType({ requestBody }: Operation): void {
  const json = requestBody?.content['application/json']
  if (requestBody === undefined || json?.schema === undefined || !hasFile(json.schema)) return
  requestBody.content = { 'multipart/form-data': json }
}

function correct(document: Described): void {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const operation of operations) {
    withoutEmptyContent(operation)
    withMediaType(operation)
  }
}

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'Svc.Session' },
  antiforgery: { type: 'apiKey', in: 'header', name: 'X-Antiforgery-Token' },
} satisfies OpenAPIV3.ComponentsObject['securitySchemes']

const never = ['/', '/*', '/reference', '/metrics', /^\/hubs\//, /^\/openapi/]

/**
 * One generated document. The guard is a local hook: a wider scope would protect later routes, too.
 */
const documentAt = (specPath: string, left: RegExp, title: string, guard: DocumentGuard) =>
  new Elysia({ name: `http/docs${specPath}` })
    .onBeforeHandle(({ request }) => guard(request))
    .onAfterHandle(({ path, response }) => {
      // The generated document is a plain object; other responses of this instance are not.
      if (path === specPath) correct(response as Described)
    })
    .use(
      openapi({
        provider: null,
        path: specPath.replace('.json', ''),
        specPath,
        documentation: {
          info: { ...info, title },
          tags,
          servers: [{ url: '/' }],
          components: { securitySchemes },
        },
        exclude: { paths: [...never, left] },
      }),
    )

/**
 * `/reference`, `/openapi/v1.json` (the contract) and `/openapi/ext.json` (extensions), for
 * administrators and for the installation key in `X-Api-Key`. The page loads only a bundled copy of
 * the viewer, so that it works without internet access.
 */
export const docs = (guard: DocumentGuard) =>
  new Elysia({ name: 'http/docs' })
    .use(documentAt('/openapi/v1.json', /^\/api\/ext\//, info.title, guard))
    .use(documentAt('/openapi/ext.json', /^(?!\/api\/ext\/)/, `${info.title}: extensions`, guard))
    .onBeforeHandle(({ request }) => guard(request))
    .get(
      '/reference',
      () =>
        new Response(referencePage, {
          headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
        }),
      { detail: { hide: true } },
    )
