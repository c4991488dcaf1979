import type { Config } from '../../core/config.ts'
import { shellWord } from '../../core/lib/shell-word.ts'
import { pathThere } from '../../engines/remote/hosts.ts'

/** The format of the stock proxy's access log. */
const logFormat =
  "log_format cachelog '[$cacheidentifier] $remote_addr / $http_x_forwarded_for - $remote_user " +
  '[$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" ' +
  '"$upstream_cache_status" "$host" "$http_range"\';'

/** A command about a node's folder is for its machine. */
const word = (path: string): string => shellWord(pathThere(path))

const volumes = (...lines: string[]): string =>
  ['volumes:', ...lines.map((line) => `  - ${line}`)].join('\n')

/**
 * Commands and configuration lines that solve the problems of the set-up. In a container they are
 * for its host, with the names of the `compose.yaml` that comes with Larder.
 */
export function createRemedies(
  { dataPath, postgres }: Pick<Config, 'dataPath' | 'postgres'>,
  isInContainer: boolean,
) {
  const inside = (command: string) =>
    isInContainer ? `docker compose exec larder ${command}` : command
  const log = isInContainer ? 'docker compose logs --tail 50 larder' : `df -h ${word(dataPath)}`

  return {
    datasource: isInContainer
      ? volumes('./lancache/logs:/logs:ro', './lancache/cache:/cache:ro')
      : 'export LanCache__LogPath=/path/to/logs LanCache__CachePath=/path/to/cache',
    mountLog: (path: string) =>
      isInContainer
        ? volumes(`./lancache/logs:${pathThere(path)}:ro`)
        : 'export LanCache__LogPath=/path/to/logs',
    mountCache: (path: string) =>
      isInContainer
        ? volumes(`./lancache/cache:${pathThere(path)}:ro`)
        : 'export LanCache__CachePath=/path/to/cache',
    mountWritable: (path: string) =>
      isInContainer
        ? volumes(`./lancache/cache:${pathThere(path)}`)
        : `sudo mount -o remount,rw "$(findmnt -no TARGET -T ${word(path)})"`,
    /** Prints the line for `compose.yaml`, or the user. */
    owner: (path: string) =>
      inside(`stat -c ${isInContainer ? `"user: '%u:%g'"` : '%U:%G'} ${word(path)}`),
    list: (path: string) => inside(`ls -l ${word(path)}`),
    mount: (path: string) => inside(`df -h ${word(path)}`),
    follow: (path: string) => inside(`tail -f ${word(path)}`),
    logFormat,
    dataFolder: inside(`df -h ${word(dataPath)}`),
    database:
      postgres.mode === 'external'
        ? `pg_isready -h ${word(postgres.host ?? 'localhost')} -p ${postgres.port}`
        : log,
  }
}

export type Remedies = ReturnType<typeof createRemedies>
