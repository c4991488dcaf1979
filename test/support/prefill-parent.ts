/**
 * The service without its engines, for tests that kill it: `<root> <practice origin>`, or
 * `<root> <cache> <environment as JSON>` with the daemons of the platforms themselves.
 */
import pino from 'pino'
import type { OperationContext, OperationResult } from '../../src/core/operations/contract.ts'
import { readConfig } from '../../src/core/config.ts'
import { assemble, startGroups } from '../../src/service.ts'

const [root = '', origin = '', more = ''] = process.argv.slice(2)
// Given by the test.
const environment = more === '' ? {} : (JSON.parse(more) as Record<string, string>)
const config = readConfig({
  DATA_PATH: `${root}/data`,
  LanCache__LogPath: `${root}/logs`,
  LanCache__CachePath: `${root}/cache`,
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: '127.0.0.1',
  POSTGRES_PORT: '1',
  POSTGRES_PASSWORD: 'unused',
  Security__EnableAuthentication: 'false',
  Prefill__LancacheIp: new URL(origin).host,
  NginxLogRotation__Enabled: 'false',
  DOCKER_HOST: 'unix:///nonexistent/engine.sock',
  TZ: 'UTC',
  ...environment,
})
const { app, groups, parts } = assemble(config, pino({ level: 'silent' }), {
  ...(more === '' && { practiceOrigin: origin }),
})
parts.operations.recover()
startGroups(groups)
app.listen({ port: 0, hostname: '127.0.0.1' })
process.on('SIGTERM', () => {
  const stopped = groups.prefill.stop().then(() => parts.operations.stop())
  void stopped.finally(() => process.exit(0))
})
// A clearing that lasts.
process.on('SIGUSR2', () => {
  const run = ({ signal }: OperationContext) =>
    new Promise<OperationResult>((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))
    })
  parts.operations.submit({ type: 'cacheClearing', scope: 'bulk', name: 'Clearing', run })
})
process.stdout.write(`${app.server?.port}\n`)
