import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { acceptedEncoding } from './compression.ts'
import { isHeld } from './etag.ts'

/**
 * A file, compressed if the build left a copy in an encoding that the caller accepts. Files in
 * `assets` have a hash or a version in their names and never change.
 */
function fileAnswer(webPath: string, name: string, files: ReadonlySet<string>, asked: Headers) {
  const encoding = acceptedEncoding(asked.get('Accept-Encoding'))
  const copy = encoding === null ? name : `${name}.${encoding}`
  const isPacked = copy !== name && files.has(copy)
  const file = Bun.file(join(webPath, isPacked ? copy : name))
  const tag = `"${file.lastModified.toString(36)}-${file.size.toString(36)}"`
  const headers = {
    'Cache-Control': name.startsWith('assets/')
      ? 'public, max-age=31536000, immutable'
      : 'no-cache',
    ETag: tag,
    ...(isPacked && { 'Content-Encoding': encoding ?? '', Vary: 'Accept-Encoding' }),
  }
  if (isHeld(asked.get('If-None-Match'), tag)) return new Response(null, { status: 304, headers })
  return new Response(file, { headers: { ...headers, 'Content-Type': Bun.file(name).type } })
}

const notBuilt = `<!doctype html><title>Larder</title>
<p>The dashboard has not been built yet. Run <code>bun run start</code>.`

/**
 * Answers reads that match no endpoint: a file of the built dashboard, else its page, deep links
 * included; 404 for assets that the build does not have. Never point it at a source folder: it
 * serves every file there.
 */
export function dashboard(webPath: string): (request: Request) => Response {
  // Only names that were found are served: none leads out of the folder.
  const files = new Set(existsSync(webPath) ? new Bun.Glob('**/*').scanSync(webPath) : [])
  const hasPage = files.delete('index.html')
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache, no-store',
  }
  return ({ url, headers: asked }) => {
    const name = new URL(url).pathname.slice(1)
    if (files.has(name)) return fileAnswer(webPath, name, files, asked)
    // A page that was opened before an update asks for the scripts of its own version.
    if (name.startsWith('assets/')) return new Response(null, { status: 404 })
    return new Response(hasPage ? Bun.file(join(webPath, 'index.html')) : notBuilt, { headers })
  }
}
