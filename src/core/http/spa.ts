import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { staticPlugin } from '@elysiajs/static'

const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** The built dashboard. Never point it at a source folder: it serves every file there. */
export async function dashboardAssets(webPath: string) {
  if (!existsSync(webPath)) return null
  return staticPlugin({
    assets: webPath,
    prefix: '/',
    alwaysStatic: true,
    indexHTML: false,
    headers: immutable,
    ignorePatterns: [/index\.html$/],
  })
}

const notBuilt = `<!doctype html><title>Larder</title>
<p>The dashboard has not been built yet. Run <code>bun run start</code>.`

/** Answers every unmatched GET and HEAD path with the dashboard, deep links included. */
export function dashboardShell(webPath: string): () => Response {
  const file = join(webPath, 'index.html')
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache, no-store',
  }
  return () => new Response(existsSync(file) ? Bun.file(file) : notBuilt, { headers })
}
