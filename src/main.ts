/*
 * Signal handlers come before everything. `src/main.ts` registers them and only then loads the
 * service: the kernel drops signals to a first process without handlers. An uncaught exception
 * stops the service in order and within twenty seconds; the next start recovers from disk, as
 * after a kill.
 */
import { Ending } from './core/process/ending.ts'
import { keepHeapSmall } from './core/process/small-heap.ts'

keepHeapSmall(process.env)
const ending = new Ending()
// Loading takes a third of a second, in which a signal would be lost without the handlers above.
const isNode = process.env['ROLE'] === 'node' || process.argv[2] === 'node'
const { run } = await (isNode ? import('./node/run.ts') : import('./run.ts'))
run(ending, process.env)
