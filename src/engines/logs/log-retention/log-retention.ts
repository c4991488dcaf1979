import { statSync } from 'node:fs'
import type { JobContext } from '../../engine.ts'
import { nothingRetained } from '../contract.ts'
import { readHead } from '../files/byte-source.ts'
import { compress, rotate } from './log-retention-files.ts'
import { planOf, type LogRetentionFacts } from './log-retention-plan.ts'
import type {
  LogRetentionAction,
  LogRetentionFile,
  LogRetentionInput,
  LogRetentionOutcome,
  LogRetentionSource,
} from './wire.ts'
import { logRetentionReasons, type LogRetentionReason } from './log-retention-reasons.ts'
import type { LogFile } from '../files/discovery.ts'
import { Line } from '../lines/line.ts'
import { toItsEnd } from '../files/member.ts'
import { parseLine } from '../lines/parse-line.ts'
import { unlinkLog } from '../changes/log-folder.ts'
import { refusalOf } from '../changes/refusal.ts'
import { freshFiles } from '../changes/removal.ts'
import { RemovalCancelled, type RemovalHost } from '../changes/remove-from-file.ts'
import { readerOf, wantReopen } from '../changes/replace.ts'
import { checkRegular, syncDirectory } from '../changes/rewrite.ts'
import { hintOf } from '../files/series.ts'
import { untilShipped } from '../shipped.ts'

/** A row queued for longer shows that the history is unavailable. */
const shippedWithinMs = 60_000

interface Held {
  file: LogFile
  facts: LogRetentionFacts
  shown: Omit<LogRetentionFile, 'action'>
}

const reasonFields = (reasonKey: LogRetentionReason | null) => ({
  reason: reasonKey === null ? null : logRetentionReasons[reasonKey],
  reasonKey,
})

const sourceOf = (host: RemovalHost, datasource: string) =>
  host.ingest.sources.find(({ config }) => config.name === datasource)

/** Whether a line near the start has a known format. Other files are never changed. */
async function isReadable({ path, compression, stem }: LogFile): Promise<boolean> {
  const hint = hintOf(stem)
  try {
    const head = await readHead(path, compression)
    const line = new Line()
    for (let from = 0, to = head.indexOf(10); to >= 0; from = to + 1, to = head.indexOf(10, from)) {
      if (parseLine(line, hint, head, { from, to }) === 'parsed') return true
    }
  } catch {
    // Reported as unreadable.
  }
  return false
}

function uncountedReason(
  host: RemovalHost,
  datasource: string,
  file: LogFile,
): LogRetentionReason | null {
  const source = sourceOf(host, datasource)
  const reader = source === undefined ? undefined : readerOf(source, file.name)?.reader
  if (reader === undefined) return 'copyOrTooShort'
  const { member } = reader
  if (member.error !== null) return 'unreadable'
  if (host.ingest.tracker.skipped.some(({ memberId }) => memberId === member.id)) {
    return 'skippedRanges'
  }
  if (member.state !== 'complete') return 'notToItsEnd'
  if (file.compression === 'none' && member.offset < file.size) return 'unfinishedLine'
  return null
}

async function hold(host: RemovalHost, datasource: string): Promise<Held[]> {
  const files = await freshFiles(host, datasource)
  const held: Held[] = []
  for (const file of files) {
    const isKnown = await isReadable(file)
    held.push(await host.between(() => describe(host, datasource, file, isKnown)))
  }
  return held
}

function describe(host: RemovalHost, datasource: string, file: LogFile, isKnown: boolean): Held {
  const { name, size, modifiedMs, compression, order } = file
  const isCurrent = order[0] === 2
  const reason = isKnown ? uncountedReason(host, datasource, file) : 'unknownForm'
  const source = sourceOf(host, datasource)
  const member = source === undefined ? undefined : readerOf(source, name)?.reader.member
  const ranges = host.ingest.tracker.skipped.filter(({ memberId }) => memberId === member?.id)
  const bornMs = statSync(file.path, { throwIfNoEntry: false })?.birthtimeMs ?? 0
  const facts = { name, bytes: size, modifiedMs, bornMs, isCurrent }
  return {
    file,
    facts: { ...facts, isCompressed: compression !== 'none', isCounted: reason === null },
    shown: {
      name,
      bytes: size,
      modifiedAt: new Date(modifiedMs).toISOString(),
      isCurrent,
      compression,
      countedBytes: member === undefined || member.offset === toItsEnd ? 0 : member.offset,
      uncounted: ranges.map(({ fromByte, toByte }) => ({
        fromByte,
        toByte: toByte === toItsEnd ? null : toByte,
      })),
      isSafeToDelete: !isCurrent && reason === null,
      ...reasonFields(isCurrent && isKnown ? null : reason),
    },
  }
}

/** State of each file, and what the policy would do; changes nothing. */
export async function logRetentionStatus(
  host: RemovalHost,
  { policy, canRotate }: LogRetentionInput,
): Promise<LogRetentionSource[]> {
  const nowMs = Date.now()
  const oldestMs = host.ingest.outbox.oldestMs()
  // Nor in the future, after a clock was set back.
  const isShipped = oldestMs === null || Math.abs(nowMs - oldestMs) < shippedWithinMs
  const sources: LogRetentionSource[] = []
  for (const datasource of host.ingest.sources.map(({ config }) => config.name)) {
    const held = await hold(host, datasource)
    const actions = planOf(
      policy,
      held.map(({ facts }) => facts),
      { nowMs, canRotate, isShipped },
    )
    const files = held.map(({ shown }, index) => show(shown, actions[index] ?? 'none', isShipped))
    const sum = (list: LogRetentionFile[]) => list.reduce((bytes, file) => bytes + file.bytes, 0)
    sources.push({
      datasource,
      bytes: sum(files),
      bytesSafeToDelete: sum(files.filter((file) => file.isSafeToDelete)),
      bytesToDelete: sum(files.filter(({ action }) => action === 'delete')),
      files,
    })
  }
  return sources
}

function show(
  shown: Omit<LogRetentionFile, 'action'>,
  action: LogRetentionAction,
  isShipped: boolean,
): LogRetentionFile {
  if (isShipped || !shown.isSafeToDelete) return { ...shown, action }
  return { ...shown, action, isSafeToDelete: false, ...reasonFields('notShipped') }
}

async function isAllShipped({ ingest }: RemovalHost, context: JobContext): Promise<boolean> {
  const isShipped = await untilShipped(ingest.outbox, shippedWithinMs, context)
  if (context.isCancelled()) throw new RemovalCancelled()
  return isShipped
}

/** Applies the policy; failures are listed in `refused` and retried the next time. */
export async function applyLogRetention(
  host: RemovalHost,
  { policy, canRotate }: LogRetentionInput,
  context: JobContext,
): Promise<LogRetentionOutcome> {
  const outcome = nothingRetained()
  try {
    for (const datasource of host.ingest.sources.map(({ config }) => config.name)) {
      const held = await hold(host, datasource)
      const facts = held.map((one) => one.facts)
      const plan = (isShipped: boolean) =>
        planOf(policy, facts, { nowMs: Date.now(), canRotate, isShipped })
      const planned = plan(true)
      const isShipped = planned.includes('delete') && (await isAllShipped(host, context))
      const actions = isShipped ? planned : plan(false)
      for (const [index, { file }] of held.entries()) {
        if (context.isCancelled()) throw new RemovalCancelled()
        const action = actions[index] ?? 'none'
        await act(host, { datasource, file, action, outcome, context })
      }
    }
  } catch (error) {
    if (!(error instanceof RemovalCancelled)) throw error
    outcome.isCancelled = true
  }
  return outcome
}

interface Act {
  datasource: string
  file: LogFile
  action: LogRetentionAction
  outcome: LogRetentionOutcome
  context: JobContext
}

async function act(host: RemovalHost, one: Act): Promise<void> {
  const { datasource, file, action, outcome, context } = one
  outcome.bytesBefore += file.size
  let bytesAfter = file.size
  try {
    if (action === 'delete') {
      await host.between(() => remove(host, datasource, file))
      outcome.filesDeleted++
      bytesAfter = 0
    } else if (action === 'compress') {
      bytesAfter = await compress(host, file, () => context.isCancelled())
      outcome.filesCompressed++
    } else if (action === 'rotate') {
      await host.between(() => {
        rotate(file.path, file.stem)
        wantReopen(host.ingest.store)
      })
      outcome.filesRotated++
    }
  } catch (error) {
    const reason = refusalOf(error)
    if (reason === null) throw error
    outcome.refused.push({ datasource, file: file.name, reason })
  }
  outcome.bytesAfter += bytesAfter
}

/** Checked once more: a deletion cannot be undone. */
function remove(host: RemovalHost, datasource: string, file: LogFile): void {
  checkRegular(file.path)
  const { ino, size } = statSync(file.path)
  const isSame = String(ino) === file.inode && size === file.size
  if (!isSame || uncountedReason(host, datasource, file) !== null) return
  unlinkLog(file.path, file)
  syncDirectory(file.path)
}
