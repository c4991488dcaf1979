import { antiforgeryHeader } from '../antiforgery.ts'
import { antiforgeryCookie, sessionCookie } from '../cookies.ts'
import { shareHeader } from '../../lib/share-pages.ts'
import { guide } from './guide.ts'
import { operationOf } from './operation.ts'
import { sharedResponses } from './responses.ts'
import type { DocumentedRoute } from './routes.ts'
import { SchemaWriter } from './schemas.ts'
import { tags } from './texts.ts'

/** What calls are admitted by. */
export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'Session cookie, set by the sign-in and guest calls',
  },
  antiforgery: {
    type: 'apiKey',
    in: 'header',
    name: antiforgeryHeader,
    description: `Value of the cookie ${antiforgeryCookie}, which GET /api/auth/status sets`,
  },
  shareLink: {
    type: 'apiKey',
    in: 'header',
    name: shareHeader,
    description: 'Token of a share link: opens the operations of its page',
  },
  installationKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'The installation key: opens these documents, and /metrics where that requires it',
  },
}

function pathsOf(routes: readonly DocumentedRoute[], writer: SchemaWriter) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, writer) }
  }
  return paths
}

/** Only the shared answers that an operation refers to. */
function usedOf(responses: Record<string, object>, paths: object) {
  const text = JSON.stringify(paths)
  const used = Object.entries(responses).filter(([name]) => text.includes(`/responses/${name}"`))
  return Object.fromEntries(used)
}

/** The OpenAPI document of these routes. */
export function openApiDocument(
  title: string,
  routes: readonly DocumentedRoute[],
  chapters: readonly string[],
) {
  const writer = new SchemaWriter()
  const paths = pathsOf(routes, writer)
  const responses = sharedResponses(writer)
  const used = new Set(routes.flatMap((route) => route.tags))
  const { shareLink, ...schemes } = securitySchemes
  const isShared = routes.some((route) => route.isShared)
  const byName = [...writer.found].sort(([one], [other]) => one.localeCompare(other, 'en'))
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description: [guide, ...chapters].join('\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: Object.fromEntries(byName),
      responses: usedOf(responses, paths),
      securitySchemes: isShared ? { ...schemes, shareLink } : schemes,
    },
  }
}
