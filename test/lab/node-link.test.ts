import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectNode } from '../../src/nodes/client.ts'
import type { Channel } from '../../src/core/lib/channel.ts'
import { testApp } from '../support/app.ts'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/quiet-log.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'

const root = tempFolder('node-link')

const clientAddress = '192.168.7.9'

/** As `docs/operate.md` shows it, for a client of the network that uses HTTPS. */
function documented(service: string): string {
  const text = readFileSync(join(import.meta.dir, '../../docs/operate.md'), 'utf8')
  const location = /```nginx\n(.+?)```/s.exec(text)?.[1] ?? ''
  return location
    .replace('127.0.0.1:8080', service)
    .replace('$proxy_add_x_forwarded_for', clientAddress)
    .replace('$scheme', 'https')
}

/** nginx as people put it in front of Larder: it passes on upgrades. One process, which a kill ends. */
function configure(port: number, service: string): void {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = folders.map((name) => `${name}_temp_path ${root}/${name};`).join(' ')
  writeFileSync(
    join(root, 'nginx.conf'),
    `daemon off; master_process off; pid ${root}/nginx.pid; error_log ${root}/error.log; events {}
http {
  ${temporary} access_log off;
  server {
    listen 127.0.0.1:${port};
    ${documented(service)}
  }
}
`,
  )
}

const startNginx = () =>
  Bun.spawn(['nginx', '-p', root, '-c', join(root, 'nginx.conf'), '-e', join(root, 'error.log')])

test('a node is connected through a reverse proxy, and again after that was killed', async () => {
  mkdirSync(root, { recursive: true })
  const app = await testApp()
  const port = await freePort()
  configure(port, app.listen())
  let nginx = startNginx()
  atEnd(() => {
    nginx.kill('SIGKILL')
    return nginx.exited.then(() => {})
  })
  app.nodes.onConnect((_node, channel) => {
    channel.onMessage = (message) => channel.send(message)
  })
  const origin = `http://127.0.0.1:${port}`
  const answers = () => fetch(`${origin}/api/auth/status`).catch(() => null)
  await eventually(async () => (await answers())?.ok === true, 'the proxy answers')
  expect((await answers())?.headers.get('Set-Cookie')).toContain('Secure')
  const own = await fetch(`${origin}/api/auth/login`, { method: 'POST', headers: { origin } })
  // Without the token, but not as a foreign page.
  expect(await own.json()).toMatchObject({ stageKey: 'errors.antiforgery.rejected' })
  const { token } = app.groups.nodes.nodes.invite('nas')
  const channels: Channel[] = []
  const echoes: unknown[] = []
  const node = connectNode({
    dataPath: join(root, 'node'),
    serviceUrl: origin,
    token,
    log: quietLog,
    onConnect(_node, channel) {
      channels.push(channel)
      // The service greets a node first, which is no echo.
      channel.onMessage = (message) => {
        if (typeof message === 'object' && message !== null && 'n' in message) echoes.push(message)
      }
    },
  })
  atEnd(() => Promise.resolve(node.stop()))
  const sent = [1, 2, 3].map((n) => ({ n, bytes: new Uint8Array(500_000).fill(n) }))
  for (const connections of [1, 2]) {
    await eventually(() => channels.length === connections, `connection ${connections}`)
    expect(app.nodes.list()).toMatchObject([{ state: 'connected', address: clientAddress }])
    for (const message of sent) channels.at(-1)?.send(message)
    await eventually(() => echoes.length === sent.length, 'every message is echoed')
    expect(echoes.splice(0)).toEqual(sent)
    nginx.kill('SIGKILL')
    await eventually(() => app.nodes.list()[0]?.state === 'away', 'the service notices the loss')
    await nginx.exited
    nginx = startNginx()
  }
})
