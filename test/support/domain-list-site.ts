import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'
import { testServer } from './test-server.ts'

/** A `.tar.gz` archive with these files in one top folder, as GitHub makes it. */
export async function branchArchive(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const pack = tar.pack()
  for (const [name, text] of Object.entries(files))
    pack.entry({ name: `list-branch/${name}` }, text)
  pack.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of pack) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return gzipSync(Buffer.concat(chunks))
}

/** Serves an archive, or a status, and notes the paths that are asked for. */
export class DomainListSite {
  readonly paths: string[] = []
  archive: Uint8Array = new Uint8Array()
  status = 200
  readonly url = testServer((request) => {
    this.paths.push(new URL(request.url).pathname)
    const body = this.status === 200 ? new Uint8Array(this.archive) : null
    return new Response(body, { status: this.status })
  }).url
}
