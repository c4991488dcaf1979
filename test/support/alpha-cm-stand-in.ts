import { Agent } from 'node:https'
import { join } from 'node:path'
import type { ITransport } from 'steam-session'
import WebSocketTransport from 'steam-session/dist/transports/WebSocketCMTransport.js'
import type { AlphaPics } from './alpha-pics.ts'
import { messageNamed, type AlphaStandIn } from './stand-ins/alpha.ts'

const serviceCall = 9804
const clientServiceCall = 151
const serviceAnswer = 147
const protobufMark = 0x80000000

const tls = (name: string) => Bun.file(join(import.meta.dir, 'tls', name))

type Transport = new (web: object, agent: Agent) => ITransport

/** Steam's server list with a single entry: this server. */
const serverList = (port: number) => `"response"
{
  "serverlist"
  {
    "0" { "endpoint" "localhost:${port}" "type" "websockets" "realm" "steamglobal" "wtd_load" "1" }
  }
  "success" "1"
}`

/** The directory of servers that Steam's web side answers with. */
export function serverDirectory(endpoints: readonly string[]): Response {
  const serverlist = endpoints.map((endpoint) => ({
    endpoint,
    type: 'websockets',
    realm: 'steamglobal',
    wtd_load: 1,
  }))
  return Response.json({ response: { serverlist, success: true } })
}

/**
 * A server for the protocol of Steam's own client, over a WebSocket with TLS; the given stand-in
 * answers its requests. One per process: the library caches its address for minutes.
 */
export class AlphaCmStandIn {
  connections = 0
  /** Answers sign-ins. Connections are refused without it and `pics`. */
  steam: AlphaStandIn | null = null
  /** Answers log-ons and questions about apps. */
  pics: AlphaPics | null = null
  readonly #server: Bun.Server<undefined>
  readonly #sockets = new Set<Bun.ServerWebSocket>()

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: 'localhost',
      tls: { cert: tls('localhost.cert.pem'), key: tls('localhost.key.pem') },
      fetch: (request, server) => {
        this.connections++
        const isOurs = new URL(request.url).pathname === '/cmsocket/'
        const isOpen = this.steam !== null || this.pics !== null
        if (isOurs && isOpen && server.upgrade(request, { data: undefined })) return undefined
        return new Response('Not Found', { status: 404 })
      },
      websocket: {
        open: (socket) => void this.#sockets.add(socket),
        close: (socket) => void this.#sockets.delete(socket),
        message: async (socket, message) => {
          if (typeof message === 'string') return socket.close()
          const answer = await this.#answer(message)
          if (answer === 'drop') socket.close()
          else for (const part of answer) socket.send(part)
        },
      },
    })
  }

  /** The library's own transport, pointed at this server. */
  async transport(): Promise<ITransport> {
    const text = serverList(this.#server.port ?? 0)
    const web = { request: () => Promise.resolve({ statusCode: 200, textBody: text }) }
    // The library's types require its own HTTP client; only this call of it is used.
    const Way = WebSocketTransport as unknown as Transport
    return new Way(web, new Agent({ ca: await tls('localhost.cert.pem').text() }))
  }

  /** As a directory of servers names it. */
  get endpoint(): string {
    return `localhost:${this.#server.port}`
  }

  /** Closes every connection, as a server does that is restarted. */
  drop(): void {
    for (const socket of this.#sockets) socket.close()
  }

  get open(): number {
    return this.#sockets.size
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  async #answer(message: Buffer): Promise<Buffer[] | 'drop'> {
    const { kind, asked, body } = parsed(message)
    if (kind === serviceCall && this.steam !== null) return [answerTo(this.steam, asked, body)]
    if (kind === clientServiceCall) {
      const found = this.pics?.service(String(asked.target_job_name), body) ?? null
      if (found === null) return []
      const { jobid_source: jobid_target, target_job_name } = asked
      const header = { jobid_target, target_job_name, eresult: found.result }
      return [packed(serviceAnswer, header, found.body)]
    }
    const answer = (await this.pics?.answer(kind, body)) ?? null
    if (answer === null) return []
    if (answer === 'drop') return answer
    const session = answer.steamId === undefined ? {} : { steamid: answer.steamId }
    const header = { ...session, client_sessionid: 7, jobid_target: asked.jobid_source }
    const first = packed(answer.kind, header, answer.body)
    if (answer.next === undefined) return [first]
    return [first, packed(answer.next.kind, { client_sessionid: 7 }, answer.next.body)]
  }
}

function parsed(message: Buffer) {
  const kind = (message.readUInt32LE(0) & ~protobufMark) >>> 0
  const bodyAt = 8 + message.readUInt32LE(4)
  const headers = messageNamed('CMsgProtoBufHeader')
  const asked = headers.toObject(headers.decode(message.subarray(8, bodyAt)), { longs: String })
  return { kind, asked, body: message.subarray(bodyAt) }
}

function packed(kind: number, header: object, body: Uint8Array): Buffer {
  const encoded = messageNamed('CMsgProtoBufHeader').encode(header).finish()
  const start = Buffer.alloc(8)
  start.writeUInt32LE((kind | protobufMark) >>> 0, 0)
  start.writeUInt32LE(encoded.length, 4)
  return Buffer.concat([start, encoded, body])
}

function answerTo(steam: AlphaStandIn, asked: Record<string, unknown>, bytes: Uint8Array): Buffer {
  const method = /^Authentication\.(\w+)#1$/.exec(String(asked.target_job_name))?.[1] ?? ''
  const { result, body } = steam.call(method, bytes)
  return packed(serviceAnswer, { jobid_target: asked.jobid_source, eresult: result }, body)
}
