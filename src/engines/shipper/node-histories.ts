import { reachClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { describeFailure } from '../../../db/history/failures.ts'
import type { DescribeTitle } from '../catalogue/describe.ts'
import { sqlHistory, type HistoryAccess } from './history-access.ts'
import type { HistoryPart } from './link.ts'
import { answerCall, type HistoryAnswer, type HistoryCall } from './service-history.ts'

const statementTimeoutMs = 60_000

/** The history for the nodes of this service: one connection for each that sends something. */
export class NodeHistories {
  readonly #describeTitle: DescribeTitle
  #target: HistoryTarget | null = null
  readonly #open = new Map<number, Promise<HistoryAccess>>()

  constructor(describeTitle: DescribeTitle) {
    this.#describeTitle = describeTitle
  }

  /** The history is available, perhaps at another address. */
  connect(target: HistoryTarget): void {
    this.stop()
    this.#target = target
  }

  stop(): void {
    this.#target = null
    for (const slot of this.#open.keys()) this.#drop(slot)
  }

  /** Never throws. */
  async answer(part: HistoryPart, call: HistoryCall): Promise<HistoryAnswer> {
    const target = this.#target
    if (target === null) return { kind: 'failed', text: 'The history is not available' }
    try {
      const access = await this.#of(target, part)
      const answer = await answerCall(access, call)
      if (answer.kind === 'failed') this.#drop(part.slot)
      return answer
    } catch (error) {
      this.#drop(part.slot)
      return { kind: 'failed', text: describeFailure(error, target) }
    }
  }

  #of(target: HistoryTarget, part: HistoryPart): Promise<HistoryAccess> {
    const known = this.#open.get(part.slot)
    if (known !== undefined) return known
    const onClose = () => this.#drop(part.slot)
    const options = { name: `node-${part.slot}`, connections: 1, statementTimeoutMs, onClose }
    const opened = reachClient(target, options).then((sql) =>
      sqlHistory(sql, part, this.#describeTitle),
    )
    this.#open.set(part.slot, opened)
    return opened
  }

  #drop(slot: number): void {
    const dropped = this.#open.get(slot)
    this.#open.delete(slot)
    void dropped?.then((access) => access.end(0)).catch(() => {})
  }
}
