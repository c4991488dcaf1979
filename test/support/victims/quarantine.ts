/**
 * Run by tests as a process of its own: ships all rows queued in `hot.sqlite`. Arguments: the data
 * folder, and the history connection as JSON.
 */
import { openHot } from '../../../db/hot/open.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { createShipper } from '../../../src/engines/shipper/shipper.ts'
import { HotOutbox } from '../../../src/engines/logs/outbox.ts'

const [dataPath = '', target = ''] = process.argv.slice(2)
const database = openHot(dataPath)
const outbox = new HotOutbox(database)
const { quarantine } = outbox
const shipper = createShipper({ outbox, quarantine, log: () => {}, onShipped: () => {} })
process.stdout.write('up\n')
// Serialised by the test from its own connection.
shipper.connect(JSON.parse(target) as HistoryTarget)
while (outbox.oldestMs() !== null) await Bun.sleep(2)
await shipper.stop()
database.close()
