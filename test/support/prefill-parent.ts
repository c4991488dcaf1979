/** The service without its engines, for tests that kill it: `<root> <practice origin>`. */
import pino from 'pino'
import { readConfig } from '../../src/core/config.ts'
import { assemble, startGroups } from '../../src/service.ts'

const [root = '', practiceOrigin = ''] = process.argv.slice(2)
const config = readConfig({
  DATA_PATH: `${root}/data`,
  LanCache__LogPath: `${root}/logs`,
  LanCache__CachePath: `${root}/cache`,
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: '127.0.0.1',
  POSTGRES_PORT: '1',
  POSTGRES_PASSWORD: 'unused',
  Security__EnableAuthentication: 'false',
  Prefill__LancacheIp: new URL(practiceOrigin).host,
  NginxLogRotation__Enabled: 'false',
  DOCKER_HOST: 'unix:///nonexistent/engine.sock',
  TZ: 'UTC',
})
const { app, groups } = assemble(config, pino({ level: 'silent' }), { practiceOrigin })
startGroups(groups)
app.listen({ port: 0, hostname: '127.0.0.1' })
process.on('SIGTERM', () => {
  void groups.prefill.stop().finally(() => process.exit(0))
})
process.stdout.write(`${app.server?.port}\n`)
