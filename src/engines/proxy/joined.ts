import { Value } from '@sinclair/typebox/value'
import type { Logger } from '../../core/lib/log.ts'
import type { Launch } from '../engine.ts'
import { Engine } from '../host.ts'
import { awayText, isHere, type NodeHosts } from '../remote/hosts.ts'
import { ReopenAvailability, ReopenOutcome, type ProxyControl } from './contract.ts'

/** Jobs of a node that concern its proxy. */
export type ProxyJobs = {
  availability: (input: null) => ReopenAvailability
  reopenLogs: (input: null) => ReopenOutcome
}

/** A container engine answers within five seconds; a node of the version before never does. */
const answerMs = 8000

const unreachable = (message: string): ReopenOutcome => ({
  isEnabled: true,
  canReopen: false,
  way: null,
  target: null,
  hint: 'none',
  command: null,
  isDone: false,
  message,
  detail: null,
})

/** The proxy of a node, asked there. */
export function createRemoteProxy(log: Logger, launch: Launch): ProxyControl {
  const engine = new Engine<ProxyJobs>({ name: 'proxy', script: '', log, launch })
  const asked = (job: keyof ProxyJobs) => engine.run(job, null, { limitMs: answerMs })
  return {
    async availability() {
      const answer: unknown = await asked('availability').catch(() => null)
      return Value.Check(ReopenAvailability, answer) ? answer : unreachable('')
    },
    async reopenLogs() {
      const answer: unknown = await asked('reopenLogs').catch(() => null)
      const silent = 'The node did not answer; update it if its version is older than the service'
      return Value.Check(ReopenOutcome, answer) ? answer : unreachable(silent)
    },
  }
}

interface Answered<T> {
  /** Null: this machine. */
  node: string | null
  answer: T
}

const named = ({ node }: { node: string | null }, text: string | null): string | null =>
  node === null || text === null ? text : `${node}: ${text}`

/** One answer for all proxies: the first that is no success, otherwise the first. */
function shownOf<T extends ReopenAvailability>(
  all: readonly Answered<T>[],
  isSuccess: (answer: T) => boolean,
): T | null {
  const shown = all.find(({ answer }) => !isSuccess(answer)) ?? all[0]
  return shown === undefined ? null : { ...shown.answer, target: named(shown, shown.answer.target) }
}

/** All proxies: that of this machine, unless only nodes have caches, and those of the nodes. */
export function joinProxies(
  local: ProxyControl,
  hosts: NodeHosts,
  hasOwnCache: boolean,
): ProxyControl {
  const all = <T>(ask: (proxy: ProxyControl) => Promise<T>, away: (text: string) => T | null) => {
    const nodes = hosts.all()
    const own = async () => ({ node: null, answer: await ask(local) })
    return Promise.all<Answered<T>[]>([
      hasOwnCache || nodes.length === 0 ? own().then((one) => [one]) : [],
      ...nodes.map(async (host) => {
        const answer = isHere(host) ? await ask(host.proxy) : away(awayText(host))
        return answer === null ? [] : [{ node: host.name, answer }]
      }),
    ]).then((lists) => lists.flat())
  }
  return {
    async availability() {
      const answers = await all(
        (proxy) => proxy.availability(),
        () => null,
      )
      return shownOf(answers, ({ canReopen }) => canReopen) ?? local.availability()
    },
    async reopenLogs() {
      const answers = await all((proxy) => proxy.reopenLogs(), unreachable)
      const failed = answers.filter(({ answer }) => !answer.isDone)
      const shown = shownOf(answers, ({ isDone }) => isDone) ?? (await local.reopenLogs())
      if (failed.length === 0) return shown
      return {
        ...shown,
        message: failed.map((one) => named(one, one.answer.message)).join('; '),
      }
    },
  }
}
