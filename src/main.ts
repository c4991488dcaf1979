import { Ending } from './core/process/ending.ts'

const ending = new Ending()
// Loading takes a third of a second, in which a signal would be lost without the handlers above.
const { run } = await import('./run.ts')
run(ending, process.env)
