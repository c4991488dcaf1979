import { AppError } from '../../core/http/errors.ts'
import { SealError } from '../../core/lib/seal.ts'
import type { SystemParts } from '../parts.ts'
import type { TargetBody, TargetView } from './model.ts'
import { SendError } from './send.ts'
import type { NotificationStore, TargetRecord } from './store.ts'
import { partsOf, shownAddress, type Target, type TargetSecrets } from './targets.ts'

const credentialOf = (id: string) => `notifications.${id}` as const

const secretNames = ['url', 'token', 'password'] as const

function viewOf(
  record: TargetRecord,
  { secrets, waiting }: { secrets: TargetSecrets; waiting: number },
): TargetView {
  const { options, lastSentAt, lastErrorAt, createdAt: _createdAt, ...known } = record
  const text = (name: string) => (options[name] === undefined ? null : String(options[name]))
  return {
    ...known,
    address: shownAddress({ kind: record.kind, options, secrets }),
    chatId: text('chatId'),
    host: text('host'),
    port: options['port'] === undefined ? null : Number(options['port']),
    security: text('security') as TargetView['security'], // checked when it was saved
    user: text('user'),
    from: text('from'),
    to: text('to'),
    secrets: secretNames.filter((name) => name in secrets),
    waiting,
    lastSentAtUtc: lastSentAt?.toISOString() ?? null,
    lastErrorAtUtc: lastErrorAt?.toISOString() ?? null,
  }
}

/** Targets with their sealed secrets. */
export function createTargets({ credentials, clock }: SystemParts, store: NotificationStore) {
  function secretsOf(id: string): TargetSecrets | null {
    const kept = credentials.read(credentialOf(id))
    // Written by `save` alone.
    return kept.state === 'kept' ? (JSON.parse(kept.secret) as TargetSecrets) : null
  }

  /** Throws SendError when the secrets cannot be opened. */
  function open(record: TargetRecord): Target {
    const secrets = secretsOf(record.id)
    if (secrets !== null) return { ...record, secrets }
    throw new SendError('Its secrets cannot be opened; enter them again')
  }

  const found = (id: string): TargetRecord => {
    const record = store.target(id)
    if (record === null) throw new AppError('notFound', 'Target not found')
    return record
  }

  /** Throws `invalid`, and `unavailable` when nothing can be sealed. */
  function save(body: TargetBody, known: TargetRecord | null): TargetRecord {
    const isSame = known !== null && known.kind === body.kind
    const before = isSame ? { options: known.options, secrets: secretsOf(known.id) ?? {} } : null
    const { options, secrets } = partsOf(body, before)
    const record: TargetRecord = {
      id: known?.id ?? crypto.randomUUID(),
      name: body.name.trim() === '' ? body.kind : body.name.trim(),
      kind: body.kind,
      isEnabled: body.isEnabled ?? known?.isEnabled ?? true,
      onlyProblems: body.onlyProblems ?? known?.onlyProblems ?? false,
      options,
      createdAt: known?.createdAt ?? clock.now(),
      lastSentAt: known?.lastSentAt ?? null,
      lastError: null,
      lastErrorAt: null,
    }
    try {
      credentials.keep(credentialOf(record.id), JSON.stringify(secrets))
    } catch (cause) {
      if (!(cause instanceof SealError)) throw cause
      throw new AppError('unavailable', 'The key file of this installation is unusable', { cause })
    }
    store.put(record)
    return record
  }

  return {
    open,
    found,
    view: (record: TargetRecord, waiting: number) =>
      viewOf(record, { secrets: secretsOf(record.id) ?? {}, waiting }),
    save,
    enable(id: string, isEnabled: boolean): TargetRecord {
      store.note(found(id).id, { isEnabled })
      return found(id)
    },
    delete(id: string) {
      store.delete(found(id).id)
      credentials.forget(credentialOf(id))
    },
  }
}
