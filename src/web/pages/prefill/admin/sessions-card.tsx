import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { Dot, type Tone, Time } from '../../../components/figures.tsx'
import { keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { platformFacts, platformOf } from '../../../../platforms/platforms.ts'
import { reasonText } from '../../../format/reason-text.ts'
import {
  banSession,
  terminate,
  terminateAll,
  usePrefillSessions,
  type SessionRow,
  useSessionHistory,
} from './queries.ts'
import { Table } from '../../../components/table.tsx'
import { byteText } from '../../../format/numbers.ts'
import { scheduleName } from '../../../components/platforms/schedule-state.tsx'
import { Action } from '../../../components/setting-controls.tsx'

/** Sessions of everybody, the newest first. */
export function SessionsCard() {
  const [page, setPage] = useState(1)
  const { data, error } = usePrefillSessions(page)
  const pages = data === undefined ? 1 : Math.max(1, Math.ceil(data.totalCount / data.pageSize))
  const hasLive = data?.sessions.some(({ isLive, isPersistent }) => isLive && !isPersistent)
  return (
    <Card
      stale={[keys.prefill]}
      title={t('prefill.sessions')}
      {...(data?.lastPrefillCacheIp != null && {
        note: t('prefill.lastCache', { address: data.lastPrefillCacheIp }),
      })}
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {data?.sessions.length === 0 && (
        <Notice
          title={t('prefill.noSessions')}
          action={
            <Link to="/prefill" className="control">
              {t('prefill.toGames')}
            </Link>
          }
        >
          {t('prefill.noSessionsText')}
        </Notice>
      )}
      <ul className="divide-y divide-line">
        {data?.sessions.map((row) => (
          <Row key={row.sessionId} row={row} />
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {pages > 1 && (
          <>
            <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
              {t('prefill.newer')}
            </Button>
            <Button disabled={page >= pages} onClick={() => setPage(page + 1)}>
              {t('prefill.older')}
            </Button>
          </>
        )}
        {hasLive === true && (
          <Action
            label={t('prefill.terminateAll')}
            consequence={t('prefill.terminateAllText')}
            run={terminateAll}
            done={t('prefill.terminated')}
          />
        )}
      </div>
    </Card>
  )
}

const statusLabels: Readonly<Record<string, readonly [tone: Tone, label: Key]>> = {
  Active: ['good', 'prefill.statusActive'],
  Terminated: ['quiet', 'prefill.statusTerminated'],
  Orphaned: ['attention', 'prefill.statusOrphaned'],
  Cleaned: ['quiet', 'prefill.statusCleaned'],
  Cancelled: ['quiet', 'prefill.statusCancelled'],
}

/** Whom a ban of the session means; null: nobody. */
function banTarget({ accountUsername, user, isPersistent }: SessionRow, platform: string) {
  if (accountUsername !== null) {
    return t('prefill.banText', { platform, account: accountUsername })
  }
  return user === null || isPersistent ? null : t('prefill.banUserText', { user })
}

function Row({ row }: { row: SessionRow }) {
  const [isOpen, setIsOpen] = useState(false)
  const now = useNow(30_000)
  const platform = platformOf(row.platform)
  const name = platform === null ? row.platform : platformFacts[platform].title
  const status = statusLabels[row.status]
  const known = status === undefined ? row.status : t(status[1])
  const isBroken = row.errorMessage !== null
  const label = row.errorMessage === null ? known : reasonText(row.errorMessage)
  const state = row.isPrefilling ? t('prefill.running') : label
  const reason = row.terminationReason === null ? '' : reasonText(row.terminationReason)
  const user = row.user === null ? '' : t('prefill.ofUser', { user: row.user })
  const parts = [state, row.isPersistent ? t('prefill.isPersistent') : '', reason, user]
  const target = banTarget(row, name)
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-[min(240px,100%)] flex-1">
          <p className="truncate">
            {name}
            {row.username !== null && ` · ${row.username}`}
          </p>
          <p className="flex items-center gap-2 text-small text-dim">
            <Dot tone={isBroken ? 'bad' : (status?.[0] ?? 'quiet')} pulsing={row.isPrefilling} />
            <span className="min-w-0">
              {parts.filter((part) => part !== '').join(' · ')}
              {' · '}
              <Time at={row.createdAtUtc} now={now} />
            </span>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('prefill.history')}
          </Button>
          {row.isLive && !row.isPersistent && (
            <Action
              label={t('prefill.terminate')}
              consequence={t('prefill.terminateText')}
              run={() => terminate(row.sessionId)}
              done={t('prefill.terminated')}
            />
          )}
          {target !== null && (
            <Action
              label={t('prefill.ban')}
              consequence={target}
              run={() => banSession(row.sessionId)}
              done={t('prefill.banned')}
            />
          )}
        </div>
      </div>
      {isOpen && <HistoryTable sessionId={row.sessionId} />}
    </li>
  )
}

const statuses: Readonly<Record<string, Key>> = {
  InProgress: 'prefill.gameRunning',
  Completed: 'prefill.gameDone',
  Cached: 'prefill.gameCached',
  Failed: 'prefill.gameFailed',
  Cancelled: 'prefill.statusCancelled',
}

/** Rows shown of one session. */
const shownMax = 200

/** The games of one session. */
function HistoryTable({ sessionId }: { sessionId: string }) {
  const { data, error } = useSessionHistory(sessionId)
  const now = useNow(30_000)
  if (data === undefined) return <Pending error={error} rows={2} />
  if (data.length === 0) return <Notice title={t('prefill.noHistory')} />
  return (
    <Table
      label={t('prefill.history')}
      head={[t('prefill.game'), t('prefill.state'), t('prefill.bytes'), t('prefill.at')]}
      ends={[2, 3]}
      className="mt-3"
    >
      {data.slice(0, shownMax).map((row) => {
        const status = statuses[row.status]
        return (
          <tr key={row.id} className="border-b border-line last:border-b-0">
            <td className="max-w-[260px] truncate py-1.5 pr-3">{row.appName ?? row.appId}</td>
            <td className="py-1.5 pr-3">
              {status === undefined ? row.status : t(status)}
              {row.scheduleName !== null &&
                ` ${t('prefill.bySchedule', { schedule: scheduleName(row.scheduleName) })}`}
              {row.errorMessage !== null && ` · ${reasonText(row.errorMessage)}`}
            </td>
            <td className="py-1.5 pr-3 text-right">{byteText(row.bytesDownloaded)}</td>
            <td className="py-1.5 pr-3 text-right whitespace-nowrap">
              <Time at={row.startedAtUtc} now={now} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
