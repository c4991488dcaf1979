import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { startOrigin } from './origin.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from './free-port.ts'

/** nginx configured like a LAN cache, one folder per log format; see `configuration`. */
export interface Proxy {
  port: number
  /** Log folders for Larder: cachelog, cachelog-json, http-detailed. */
  plainLogs: string
  jsonLogs: string
  detailedLogs: string
  cachePath: string
  originRequests(): number
  /** The signal that the operator's logrotate sends after renaming a file. */
  reopenLogs(): void
  /** Ends at once, whatever is under way, and is there again after `meanwhile`. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

const cachelog =
  '[$cacheidentifier] $remote_addr / $http_x_forwarded_for - $remote_user [$time_local] ' +
  '"$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" ' +
  '"$upstream_cache_status" "$host" "$http_range"'

const cachelogJson =
  '{"timestamp":"$msec","time_local":"$time_local","cache_identifier":"$cacheidentifier",' +
  '"remote_addr":"$remote_addr","forwarded_for":"$http_x_forwarded_for",' +
  '"remote_user":"$remote_user","status":"$status","bytes_sent":$body_bytes_sent,' +
  '"referer":"$http_referer","user_agent":"$http_user_agent",' +
  '"upstream_cache_status":"$upstream_cache_status","host":"$host","http_range":"$http_range",' +
  '"method":"$request_method","path":"$request_uri","proto":"$server_protocol","scheme":"$scheme"}'

const httpDetailed =
  '[$time_local] $remote_addr $request_method "$request_uri" $http_range $server_protocol ' +
  '$status "$http_referer" $request_length $bytes_sent $body_bytes_sent $request_time ' +
  '$upstream_response_length $upstream_cache_status $host $upstream_status ' +
  '$upstream_response_time "$http_user_agent"'

interface Paths {
  root: string
  port: number
  originPort: number
  sliceSize: string
}

function configuration({ root, port, originPort, sliceSize }: Paths): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${root}/temp/${name};`)
    .join('\n  ')
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1; daemon off; pid ${root}/nginx.pid; error_log ${root}/error.log info;
events { worker_connections 256; }
http {
  ${temporary}
  map "$http_user_agent£££$http_host" $cacheidentifier {
    default $http_host;
    "~Valve\\/Steam\\ HTTP\\ Client\\ 1\\.0" steam;
    "~.*£££.*?cdn\\.example\\.test" testcdn;
    "~.*£££.*?wsus\\.example\\.test" wsus;
    "~.*£££.*?blizzard\\.example\\.test" blizzard;
  }
  map $cacheidentifier $is_steam { default 0; steam 1; }
  map $cacheidentifier $is_other { default 1; steam 0; }
  log_format cachelog '${cachelog}';
  log_format cachelogjson escape=json '${cachelogJson}';
  log_format detailed '${httpDetailed}';
  proxy_cache_path ${root}/cache levels=2:2 keys_zone=generic:10m inactive=3560d max_size=1g use_temp_path=off;
  server {
    listen 127.0.0.1:${port};
    access_log ${root}/plain/access.log cachelog;
    access_log ${root}/json/access.log cachelogjson;
    access_log ${root}/detailed/http/steam-access.log detailed if=$is_steam;
    access_log ${root}/detailed/http/fallback-access.log detailed if=$is_other;
    location = /lancache-heartbeat { add_header X-LanCache-Processed-By lab; return 204; }
    location / {
      slice ${sliceSize};
      proxy_cache generic; proxy_cache_key $cacheidentifier$uri$slice_range;
      proxy_cache_bypass $arg_nocache;
      proxy_set_header Range $slice_range; proxy_http_version 1.1;
      proxy_ignore_headers Expires Cache-Control; proxy_hide_header ETag;
      proxy_cache_valid 200 206 3560d; proxy_cache_lock on; proxy_ignore_client_abort on;
      add_header X-Upstream-Cache-Status $upstream_cache_status;
      proxy_pass http://127.0.0.1:${originPort}$request_uri;
    }
  }
}
`
}

/** Where nginx runs. */
export interface NginxPlace {
  /** nginx's path of the root. */
  inside: string
  /** Starts it with `nginx.conf` of the root. */
  start(): Promise<RunningNginx>
}

export interface RunningNginx {
  /** Its last output if it has ended, null while it runs. */
  ended(): Promise<string | null>
  stop(): Promise<void>
}

const onThisMachine = (root: string): NginxPlace => ({
  inside: root,
  start() {
    const files = ['-c', join(root, 'nginx.conf'), '-e', join(root, 'error.log')]
    const nginx = Bun.spawn(['nginx', '-p', root, ...files], { stderr: 'pipe' })
    return Promise.resolve({
      ended: async () => (nginx.exitCode === null ? null : await new Response(nginx.stderr).text()),
      async stop() {
        nginx.kill('SIGQUIT')
        await nginx.exited
      },
    })
  },
})

/**
 * Starts an nginx in front of the origin below `root`, which must not contain one yet. The slice size
 * is in nginx's notation.
 */
export async function startProxy(
  root: string,
  sliceSize = '1m',
  place: NginxPlace = onThisMachine(root),
  origin: Pick<ReturnType<typeof startOrigin>, 'port' | 'requestCount' | 'stop'> = startOrigin(),
): Promise<Proxy> {
  const folders = ['temp', 'cache', 'plain', 'json', 'detailed/http']
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
  chmodSync(root, 0o755)
  const port = await freePort()
  const paths = { root: place.inside, port, originPort: origin.port, sliceSize }
  writeFileSync(join(root, 'nginx.conf'), configuration(paths))
  let nginx = await place.start()
  const isUp = async () => {
    const lastWords = await nginx.ended()
    if (lastWords !== null) throw new Error(lastWords)
    return await download({ port, path: '/lancache-heartbeat' }).then(
      ({ status }) => status === 204,
      () => false,
    )
  }
  await eventually(isUp, 'nginx answers')
  const signal = (name: 'SIGUSR1' | 'SIGTERM') =>
    process.kill(Number(readFileSync(join(root, 'nginx.pid'), 'utf8')), name)
  return {
    port,
    plainLogs: join(root, 'plain'),
    jsonLogs: join(root, 'json'),
    detailedLogs: join(root, 'detailed'),
    cachePath: join(root, 'cache'),
    originRequests: origin.requestCount,
    reopenLogs: () => signal('SIGUSR1'),
    async restart(meanwhile) {
      signal('SIGTERM')
      await eventually(async () => (await nginx.ended()) !== null, 'nginx ends')
      await meanwhile?.()
      nginx = await place.start()
      await eventually(isUp, 'nginx answers again')
    },
    async stop() {
      await nginx.stop()
      await origin.stop()
    },
  }
}

export interface DownloadOptions {
  port: number
  path: string
  method?: string
  /** Source address; any of 127.0.0.0/8 works. */
  from?: string
  headers?: Record<string, string>
  /** Closes the connection after this many body bytes. */
  abortAfterBytes?: number
}

/** One request from a chosen source address; returns status and received body bytes. */
export function download(options: DownloadOptions): Promise<{ status: number; bytes: number }> {
  const { port, path, method = 'GET', from = '127.0.0.1', headers = {} } = options
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, path, method, localAddress: from, headers }
    const request = http.request({ ...target, agent: false }, (response) => {
      let bytes = 0
      const done = () => resolve({ status: response.statusCode ?? 0, bytes })
      response.on('data', (block: Buffer) => {
        bytes += block.length
        if (bytes < (options.abortAfterBytes ?? Number.POSITIVE_INFINITY)) return
        request.destroy()
        done()
      })
      response.on('end', done)
      response.on('error', done)
    })
    request.on('error', reject)
    request.end()
  })
}

/** Headers that make the proxy use the tag `steam`. */
export const alphaHeaders = {
  'user-agent': 'Valve/Steam HTTP Client 1.0',
  host: 'lancache.steamcontent.com',
}

/**
 * Has slice 1 of a `/changing/` object stored in a newer version than the others, as nginx does when
 * that slice was lost and fetched again. nginx notes the second in which it stored a slice.
 */
export async function storeTwoVersions(
  origin: Pick<ReturnType<typeof startOrigin>, 'change'>,
  sliceFile: string,
  get: () => Promise<unknown>,
): Promise<void> {
  await get()
  await eventually(() => existsSync(sliceFile), 'nginx stores the slice')
  const nextSecond = (Math.floor(Date.now() / 1000) + 1) * 1000
  await eventually(() => Date.now() > nextSecond, 'the next second begins')
  origin.change()
  rmSync(sliceFile)
  await get()
  await eventually(() => existsSync(sliceFile), 'nginx stores the newer slice')
}
