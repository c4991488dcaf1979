import type { HistoryAccess } from '../../shipper/history-access.ts'
import { LinkBroken, type HistorySide, type Link } from '../../shipper/link.ts'
import type { EmptyingRequest } from '../contract.ts'
import type { Mismatch, MismatchChoice } from '../wire.ts'
import type { EngineLoop } from '../engine-loop.ts'
import type { EngineLog } from '../ingest-config.ts'
import { compareSides, type MismatchReason } from './compare.ts'

/** How long a choice waits for the history. */
const choiceTimeoutMs = 20_000

const sentences: Record<MismatchReason, string> = {
  positionsLost:
    'The history contains downloads, but hot.sqlite is new: the read positions of the logs are unknown',
  positionsOlder:
    'hot.sqlite is older than the history: reading on from its positions would count lines twice',
  historyOlder:
    'The history is older than hot.sqlite: it lacks downloads and traffic that it had before',
  historyEmpty: 'The history is empty, but it had downloads and traffic before',
  otherHistory: 'The history belongs to another installation',
}

/** Carries out what waited for the connection, and reports its outcome. */
async function settling({ settle }: Pending, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    settle.resolve()
  } catch (error) {
    settle.reject(new LinkBroken(String(error)))
    throw error
  }
}

/** Local positions ahead of the history: continuing with them counts nothing twice. */
const isAhead = new Set<MismatchReason>(['historyOlder', 'historyEmpty', 'otherHistory'])

/** What waits for the next connection: a choice after a mismatch, or a reset. */
type Wanted = { choice: MismatchChoice } | { emptying: EmptyingRequest }

interface Pending {
  wanted: Wanted
  settle: { resolve: () => void; reject: (error: Error) => void }
}

/**
 * Checks before sending that positions and history belong together. Repairs what is safe; otherwise
 * pauses reading until the owner chooses how to continue.
 */
export class HistoryLinkCheck {
  mismatch: Mismatch | null = null
  readonly #loop: EngineLoop
  readonly #installation: string
  readonly #canEmpty: boolean
  readonly #log: EngineLog
  #pending: Pending | null = null

  /** `canEmpty`: the whole history is this engine's. */
  constructor(
    loop: EngineLoop,
    { installation, canEmpty, log }: { installation: string; canEmpty: boolean; log: EngineLog },
  ) {
    this.#loop = loop
    this.#installation = installation
    this.#canEmpty = canEmpty
    this.#log = log
  }

  /** Throws LinkBroken when nothing may be sent over this connection. */
  async check(access: HistoryAccess): Promise<void> {
    const pending = this.#pending
    if (pending !== null && 'emptying' in pending.wanted) {
      const { emptying } = pending.wanted
      await settling(pending, () => this.#empty(access, emptying))
      this.#log.warn('the history was emptied', { startAt: emptying.startAt })
      return
    }
    const history = await access.side()
    const { link } = this.#loop.ingest.outbox
    const verdict = await this.#loop.between(() =>
      compareSides(
        {
          installation: this.#installation,
          link: link.link(),
          lastSeq: link.lastSeq(),
          batchIdAt: (seq) => link.batchIdAt(seq),
        },
        history,
      ),
    )
    if (verdict === 'takeOver') {
      await this.#takePositions(access)
      this.#log.warn('hot.sqlite was new: the positions were taken from the history')
    } else if (verdict === 'begin') await this.#goOn(access)
    else if (verdict !== 'same') await this.#repair(access, verdict, history)
    this.#release()
  }

  /**
   * Continues in the chosen way, over the next connection, which `retry` opens. Rejects when there
   * is no mismatch, the choice is not offered, or the history is unavailable.
   */
  choose(choice: MismatchChoice, retry: () => void): Promise<void> {
    if (this.mismatch === null) return Promise.reject(new LinkBroken('there is no mismatch'))
    if (!this.mismatch.choices.includes(choice)) {
      return Promise.reject(new LinkBroken('this choice is not offered'))
    }
    return this.#overNextConnection({ choice }, retry)
  }

  /**
   * Empties the history and discards everything read, whether or not both belong together. Rejects
   * when the history is unavailable; then nothing was changed.
   */
  empty(emptying: EmptyingRequest, retry: () => void): Promise<void> {
    return this.#overNextConnection({ emptying }, retry)
  }

  #overNextConnection(wanted: Wanted, retry: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#pending = null
        reject(new LinkBroken('the history database is unavailable; try again when it is back'))
      }
      const timer = setTimeout(late, choiceTimeoutMs)
      const settled = (end: () => void) => {
        clearTimeout(timer)
        this.#pending = null
        end()
      }
      this.#pending = {
        wanted,
        settle: {
          resolve: () => settled(resolve),
          reject: (error) => settled(() => reject(error)),
        },
      }
      retry()
    })
  }

  #release(): void {
    this.mismatch = null
    this.#loop.ingest.holdReading(null)
  }

  async #repair(
    access: HistoryAccess,
    reason: MismatchReason,
    { link }: HistorySide,
  ): Promise<void> {
    const hasPositions = link?.isComplete === true
    const choices: MismatchChoice[] = [
      ...(hasPositions ? (['takePositions'] as const) : []),
      'goOn',
      ...(this.#canEmpty ? (['rebuild'] as const) : []),
    ]
    const pending = this.#pending
    const choice = pending !== null && 'choice' in pending.wanted ? pending.wanted.choice : null
    if (pending === null || choice === null || !choices.includes(choice)) {
      if (this.mismatch?.reason !== reason) {
        this.#log.warn('positions and history do not match; reading is paused', {
          reason,
          choices,
        })
      }
      await this.#loop.between(() => this.#loop.ingest.holdReading(sentences[reason]))
      this.mismatch = { reason, choices }
      throw new LinkBroken(sentences[reason])
    }
    await settling(pending, () => this.#carryOut(access, choice, reason))
    this.#log.warn('positions and history match again', { choice })
  }

  async #carryOut(
    access: HistoryAccess,
    choice: MismatchChoice,
    reason: MismatchReason,
  ): Promise<void> {
    if (choice === 'takePositions') return this.#takePositions(access)
    if (choice === 'goOn' && isAhead.has(reason)) return this.#goOn(access)
    if (choice === 'rebuild') {
      return this.#empty(access, { startAt: 'beginning', forgetsTitles: false })
    }
    const begun = { installation: this.#installation, seq: 0, batchId: null }
    await this.#beginAnew(await access.beginLink(begun), { startAt: 'end', isEmpty: false })
  }

  async #empty(access: HistoryAccess, { startAt, forgetsTitles }: EmptyingRequest): Promise<void> {
    const link = await access.empty({ installation: this.#installation, forgetsTitles })
    await this.#beginAnew(link, { startAt, isEmpty: true })
  }

  async #beginAnew(
    link: Link,
    begun: { startAt: EmptyingRequest['startAt']; isEmpty: boolean },
  ): Promise<void> {
    const { ingest } = this.#loop
    await this.#loop.between(() => {
      ingest.outbox.link.beginAnew(link, begun)
      ingest.reload()
    })
    this.#release()
    // One full batch: finds all files first, so that `end` means their current end.
    await this.#loop.between(() => {})
    await this.#loop.between(() => {})
  }

  async #takePositions(access: HistoryAccess): Promise<void> {
    const positions = await access.takePositions(this.#installation)
    if (positions === null) throw new LinkBroken('the history has no complete positions')
    const { ingest } = this.#loop
    await this.#loop.between(() => {
      ingest.outbox.link.takeOver(positions)
      ingest.reload()
    })
  }

  /** The local positions are right; links the history to them. */
  async #goOn(access: HistoryAccess): Promise<void> {
    const { link } = this.#loop.ingest.outbox
    const known = link.link()
    const seq = known?.seq ?? 0
    const batchId = known?.batchId ?? null
    const begun = await access.beginLink({ installation: this.#installation, seq, batchId })
    await this.#loop.between(() => link.continueWith(begun))
  }
}
