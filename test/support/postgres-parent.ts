// A parent for tests to kill: starts a private Postgres, prints a message, and waits.
import { createHistory } from '../../db/history/create.ts'
import { readConfig } from '../../src/core/config.ts'
import { quietLog } from './quiet-log.ts'

const history = createHistory(readConfig({ DATA_PATH: process.argv[2] }), quietLog)
history.onStatus((status) => process.stdout.write(`${status.state}\n`))
history.start()
setInterval(() => {}, 60_000)
