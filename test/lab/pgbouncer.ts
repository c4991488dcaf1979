import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanups } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'

/** pgbouncer refuses to run as root; this is Debian's `nobody`. */
const unprivileged = 65_534

interface Account {
  user: string
  password: string
}

/**
 * Debian's pgbouncer in transaction mode before a server on this machine. Two connections of the server
 * carry all clients, so that each gets those that others have used.
 */
export async function startPgbouncer(
  serverPort: number,
  accounts: Account[],
  lines: string[] = [],
): Promise<{ port: number }> {
  const root = tempFolder('pgbouncer')
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(root, unprivileged, unprivileged)
  const users = accounts.map(({ user, password }) => `"${user}" "${password}"\n`)
  writeFileSync(join(root, 'users.txt'), users.join(''))
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(root, 'users.txt')}`,
    'pool_mode = transaction',
    'default_pool_size = 2',
    'max_client_conn = 200',
    ...lines,
  ]
  writeFileSync(join(root, 'pgbouncer.ini'), `${settings.join('\n')}\n`)
  const child = Bun.spawn(
    [Bun.which('pgbouncer') ?? '/usr/sbin/pgbouncer', '-q', join(root, 'pgbouncer.ini')],
    {
      ...(isRoot && { uid: unprivileged, gid: unprivileged }),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    },
  )
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  const accepts = () =>
    Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
      (socket) => {
        socket.end()
        return true
      },
      () => false,
    )
  await eventually(accepts, 'pgbouncer accepts connections')
  return { port }
}
