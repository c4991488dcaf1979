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

/** The list of servers as Steam gives it out, naming one: ours. */
const serverList = (port: number) => `"response"
{
  "serverlist"
  {
    "0" { "endpoint" "localhost:${port}" "type" "websockets" "realm" "steamglobal" "wtd_load" "1" }
  }
  "success" "1"
}`

/**
 * A server of the kind that Steam's own client talks to, over a WebSocket with TLS; what is asked
 * is answered by the stand-in given. One per process: the library remembers its address for minutes.
 */
export class AlphaCmStandIn {
  connections = 0
  /** Connections are refused when there is none. */
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

  /** The library's own way to Steam, leading here. */
  async transport(): Promise<ITransport> {
    const text = serverList(this.#server.port ?? 0)
    const web = { request: () => Promise.resolve({ statusCode: 200, textBody: text }) }
    // The library's types ask for its own HTTP client; of it only this call is used.
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
