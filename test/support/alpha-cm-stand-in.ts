import { Agent } from 'node:https'
import { join } from 'node:path'
import type { ITransport } from 'steam-session'
import WebSocketTransport from 'steam-session/dist/transports/WebSocketCMTransport.js'
import { messageNamed, type AlphaStandIn } from './alpha-stand-in.ts'

const serviceCall = 9804
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

/**
 * A server for the protocol of Steam's own client, over a WebSocket with TLS; the given stand-in
 * answers its requests. One per process: the library caches its address for minutes.
 */
export class AlphaCmStandIn {
  connections = 0
  /** Connections are refused without one. */
  steam: AlphaStandIn | null = null
  readonly #server: Bun.Server<undefined>

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: 'localhost',
      tls: { cert: tls('localhost.cert.pem'), key: tls('localhost.key.pem') },
      fetch: (request, server) => {
        this.connections++
        const isOurs = new URL(request.url).pathname === '/cmsocket/'
        if (isOurs && this.steam !== null && server.upgrade(request, { data: undefined }))
          return undefined
        return new Response('Not Found', { status: 404 })
      },
      websocket: {
        message: (socket, message) => {
          if (typeof message === 'string' || this.steam === null) return socket.close()
          const answer = answerTo(this.steam, message)
          if (answer !== null) socket.send(answer)
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

  stop(): Promise<void> {
    return this.#server.stop(true)
  }
}

function answerTo(steam: AlphaStandIn, message: Buffer): Buffer | null {
  const kind = (message.readUInt32LE(0) & ~protobufMark) >>> 0
  if (kind !== serviceCall) return null
  const bodyAt = 8 + message.readUInt32LE(4)
  const headers = messageNamed('CMsgProtoBufHeader')
  const asked = headers.toObject(headers.decode(message.subarray(8, bodyAt)), { longs: String })
  const method = /^Authentication\.(\w+)#1$/.exec(String(asked.target_job_name))?.[1] ?? ''
  const { result, body } = steam.call(method, message.subarray(bodyAt))
  const header = headers.encode({ jobid_target: asked.jobid_source, eresult: result }).finish()
  const start = Buffer.alloc(8)
  start.writeUInt32LE((serviceAnswer | protobufMark) >>> 0, 0)
  start.writeUInt32LE(header.length, 4)
  return Buffer.concat([start, header, body])
}
