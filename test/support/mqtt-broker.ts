import { createServer, type Server } from 'node:net'
import { Aedes, type Client } from 'aedes'
import { atEnd } from './cleanup.ts'

export interface MqttLogin {
  user: string
  password: string
}

/** A real broker on loopback that remembers the last payload of every topic. */
export async function mqttBroker(login: MqttLogin | null = null, wantedPort = 0) {
  const topics = new Map<string, string>()
  const clients = new Set<Client>()
  const broker = await Aedes.createBroker({
    authenticate(_client, user, password, done) {
      const isRight =
        login === null || (user === login.user && password?.toString() === login.password)
      done(null, isRight)
    },
  })
  broker.on('publish', ({ topic, payload }) => {
    if (!topic.startsWith('$SYS')) topics.set(topic, payload.toString())
  })
  broker.on('client', (client) => void clients.add(client))
  broker.on('clientDisconnect', (client) => void clients.delete(client))
  const server: Server = createServer(broker.handle)
  const port = await new Promise<number>((resolve) => {
    server.listen(wantedPort, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
  const stop = atEnd(async () => {
    await new Promise<void>((resolve) => broker.close(() => resolve()))
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    topics,
    clientCount: () => clients.size,
    /** Cuts every connection without a goodbye. */
    cut() {
      for (const client of clients) client.conn.destroy()
    },
    stop,
  }
}
