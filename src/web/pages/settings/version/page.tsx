import changelog from '../../../../../CHANGELOG.md' with { type: 'text' }
import { useState } from 'react'
import { useServiceStatus, useAccountRead, useRead } from '../../../api/queries.ts'
import { Button, Form } from '../../../components/form-controls.tsx'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { Facts } from '../../../components/figures.tsx'
import { fullMomentText, sinceText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { releasesOf, type Release } from './changes.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import {
  Action,
  NumberSetting,
  SwitchSetting,
  Setting,
} from '../../../components/setting-controls.tsx'
import { notify } from '../../../components/toast.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import type { Updates } from '../../../../system/updates/model.ts'
import { useReaders } from '../../../app/readers.ts'
import { useNow } from '../../../app/clock.ts'

const releases = releasesOf(changelog)
/** Entries of a section at first. */
const shownMax = 8

/** What is running, what has changed in it, and whether there is something newer. */
export function Page() {
  const { data, error } = useServiceStatus()
  return (
    <SettingsPage title={t('settings.version')}>
      <Card title="Larder">
        {data === undefined ? (
          <Pending error={error} rows={2} />
        ) : (
          <Facts
            facts={[
              [t('settings.version'), data.version],
              [t('version.since'), fullMomentText(new Date(data.startedAt))],
            ]}
          />
        )}
        <p className="flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
          <a href="/notice.txt" target="_blank" className="link">
            {t('version.licences')}
          </a>
          <a href="/licences.txt" target="_blank" className="link">
            {t('version.dashboardLicences')}
          </a>
        </p>
      </Card>
      <UpdatesCard />
      <MemoryCard />
      {releases.map((release) => (
        <Changes key={release.title} release={release} />
      ))}
    </SettingsPage>
  )
}

const Changes = ({ release: { title, sections } }: { release: Release }) => (
  <Card title={title}>
    <div className="space-y-4">
      {sections.map((section) => (
        <Part key={section.title} section={section} />
      ))}
    </div>
  </Card>
)

function Part({ section: { title, entries } }: { section: Release['sections'][number] }) {
  const [shown, setShown] = useState(shownMax)
  return (
    <section>
      <h3 lang="en" className="mb-1.5 text-small font-semibold">
        {title}
      </h3>
      <ul
        lang="en"
        className="max-w-[86ch] list-disc space-y-1 pl-5 text-[13px] wrap-anywhere text-dim"
      >
        {entries.slice(0, shown).map((entry) => (
          <li key={entry}>{entry.split(marks).map(Piece)}</li>
        ))}
      </ul>
      {entries.length > shown && (
        <Button className="mt-2" onClick={() => setShown(entries.length)}>
          {tn('version.all', entries.length)}
        </Button>
      )}
    </section>
  )
}

/** Pieces of an entry that are marked as code, strong or emphasised. */
const marks = /(`[^`]+`|\*\*.+?\*\*|\b_[^_]+_\b)/

function Piece(text: string, index: number) {
  const key = `${index} ${text}`
  if (text.startsWith('`')) return <code key={key}>{text.slice(1, -1)}</code>
  if (text.startsWith('**')) {
    return <strong key={key}>{text.slice(2, -2).replaceAll('`', '')}</strong>
  }
  return /^_.+_$/.test(text) ? <em key={key}>{text.slice(1, -1)}</em> : text
}

const thresholds = [512, 1024, 2048, 4096, 8192, 16_384]
const everyMs = 10_000
const mib = 1024 ** 2
const sizeText = (megabytes: number): string => byteText(megabytes * mib)

/** Memory of the processes, a collection now, and by schedule where the operator allows that. */
function MemoryCard() {
  const { data, error } = useAccountRead([...keys.memory, 'use'], api.memory.get, {
    refetchInterval: everyMs,
  })
  const collect = async () => {
    const before = await unwrap(api.memory.get())
    const after = await unwrap(api.memory.get({ query: { forceGC: true } }))
    const [used, left] = [before, after].map(({ workingSetMB }) => sizeText(workingSetMB))
    notify(t('memory.collected', { before: used ?? '', after: left ?? '' }))
  }
  return (
    <Card stale={[keys.memory, keys.schedules]} title={t('memory.title')} note={t('memory.note')}>
      {data === undefined ? (
        <Pending error={error} rows={3} />
      ) : (
        <Facts
          facts={[
            [
              t('memory.use'),
              t('memory.useOf', {
                used: sizeText(data.workingSetMB),
                total: sizeText(data.totalSystemMemoryMB),
              }),
            ],
            [t('memory.heap'), sizeText(data.managedMB)],
            [t('memory.threads'), countText(data.threadCount)],
          ]}
        />
      )}
      <Row title={t('memory.collect')}>
        <Action label={t('memory.collect')} run={collect} />
      </Row>
      <Scheduled />
    </Card>
  )
}

function Scheduled() {
  const { data: management } = useAccountRead(
    [...keys.memory, 'management'],
    api.system['gc-management'].status.get,
  )
  const isManaged = management?.enabled === true
  const { data } = useRead([...keys.memory, 'settings'], api.gc.settings.get, {
    enabled: isManaged,
  })
  const { enabled, memoryThresholdMB } = data ?? { enabled: false, memoryThresholdMB: 4096 }
  const put = (part: { enabled?: boolean; memoryThresholdMB?: number }) =>
    unwrap(api.gc.settings.put({ enabled, memoryThresholdMB, ...part }))
  const isBarred = data === undefined
  return (
    <>
      <SwitchSetting
        id="memory.collects"
        value={enabled}
        write={(isOn) => put({ enabled: isOn })}
        state={management !== undefined && !isManaged ? t('memory.unmanaged') : undefined}
        disabled={isBarred}
      />
      <NumberSetting
        id="memory.threshold"
        value={memoryThresholdMB}
        known={thresholds}
        text={(count) => tn('memory.mib', count)}
        write={(threshold) => put({ memoryThresholdMB: threshold })}
        disabled={isBarred}
      />
    </>
  )
}

/** Whether there is a newer version; asked only where an administrator has allowed it. */
function UpdatesCard() {
  const { data, error } = useAccountRead(keys.updates, api.ext.updates.get)
  return (
    <Card title={t('updates.title')} note={t('updates.note')}>
      {data === undefined ? <Pending error={error} rows={3} /> : <Content updates={data} />}
    </Card>
  )
}

function Content({ updates }: { updates: Updates }) {
  const { address, isAllowed } = updates
  const isBarred = !useReaders().admin
  const saving = useSave({ stale: [keys.updates, keys.schedules] })
  const { change, isBusy } = saving
  const [typed, setTyped] = useState(address ?? '')
  const put = (part: Partial<Pick<Updates, 'address' | 'isAllowed'>>) =>
    unwrap(api.ext.updates.put({ address, isAllowed, ...part }))
  const wanted = typed.trim() === '' ? null : typed.trim()
  const keepAddress = (next: string | null) =>
    put({ address: next, isAllowed: isAllowed && next !== null })
  return (
    <>
      <Row title={t('updates.state')} note={<State updates={updates} />}>
        {isAllowed && (
          <Action
            label={t('updates.check')}
            run={() => unwrap(api.ext.updates.check.post())}
            saving={saving}
            disabled={isBarred}
          />
        )}
      </Row>
      <Setting id="updates.address" value={address ?? t('controls.none')}>
        <Form
          onSubmit={() => change(keepAddress, [wanted, address])}
          className="flex flex-wrap gap-2"
        >
          <input
            aria-label={t('updates.address')}
            className="input w-[min(340px,80vw)]"
            placeholder="https://"
            maxLength={500}
            autoComplete="off"
            disabled={isBarred}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button type="submit" disabled={isBarred || isBusy || wanted === address}>
            {t('updates.save')}
          </Button>
        </Form>
      </Setting>
      <SwitchSetting
        id="updates.allowed"
        value={isAllowed}
        write={(isOn) => put({ isAllowed: isOn })}
        saving={saving}
        state={address === null ? t('updates.needsAddress') : undefined}
        disabled={isBarred || address === null}
      />
    </>
  )
}

function State({ updates: { isAllowed, isAvailable, last } }: { updates: Updates }) {
  const now = useNow(60_000)
  if (last === null) {
    return <StateLine tone="quiet">{t(isAllowed ? 'updates.never' : 'updates.off')}</StateLine>
  }
  const time = sinceText(new Date(last.checkedAtUtc), now)
  if (last.error !== null) {
    return (
      <StateLine tone="attention">{t('updates.failed', { time, reason: last.error })}</StateLine>
    )
  }
  const version = last.version ?? ''
  return (
    <StateLine tone={isAvailable ? 'attention' : 'good'}>
      {t(isAvailable ? 'updates.available' : 'updates.newest', { version, time })}{' '}
      {last.url !== null && (
        <a className="link" href={last.url} target="_blank" rel="noreferrer">
          {t('updates.page')}
        </a>
      )}
    </StateLine>
  )
}
