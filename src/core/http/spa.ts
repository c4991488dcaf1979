import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'

const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Whether the caller holds the file already. Compressed answers carry the tag as a weak one. */
const isHeld = (asked: string | undefined, tag: string): boolean =>
  asked?.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim())) ?? false

/** The built dashboard. Never point it at a source folder: it serves every file there. */
export async function dashboardAssets(webPath: string) {
  if (!existsSync(webPath)) return null
  const app = new Elysia({ name: 'dashboard' })
  for await (const name of new Bun.Glob('**/*').scan(webPath)) {
    if (name === 'index.html') continue
    const file = Bun.file(join(webPath, name))
    const digest = new Bun.CryptoHasher('sha256').update(await file.arrayBuffer())
    const headers = { ...immutable, ETag: `"${digest.digest('base64url')}"` }
    const answer = ({ headers: asked }: { headers: Record<string, string | undefined> }) =>
      isHeld(asked['if-none-match'], headers.ETag)
        ? new Response(null, { status: 304, headers })
        : new Response(file, { headers })
    app.get(`/${name}`, answer, { detail: { hide: true } })
  }
  return app
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
