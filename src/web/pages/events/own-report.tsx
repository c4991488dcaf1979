import { Link } from '@tanstack/react-router'
import { ChevronLeft, ExternalLink } from 'lucide-react'
import { useState, Suspense } from 'react'
import { useEvents, type CalendarEvent } from '../../api/event-queries.ts'
import { useReaders } from '../../app/readers.ts'
import { Button, Field, Form, Select, optionsOf } from '../../components/form-controls.tsx'
import { Pending, Row } from '../../components/card.tsx'
import { SidePanel } from '../../components/side-panel.tsx'
import { t, tn } from '../../locales/translate.ts'
import { Report, useReport } from './report.tsx'
import type { ShareLinkView } from '../../../access/links/model.ts'
import { api, unwrap } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useNow } from '../../app/clock.ts'
import { useSave } from '../../app/use-save.ts'
import { refusalText } from '../../api/refusal-text.ts'
import { sinceText, momentText } from '../../format/times.ts'
import { CopyField } from '../../components/copy-field.tsx'
import { Action } from '../../components/setting-controls.tsx'
import { lazyPart } from '../../app/lazy-part.ts'

const Qr = lazyPart(async () => (await import('../../components/qr.tsx')).Qr)

const linksKey = ['links', 'all'] as const
const days = [1, 7, 30, 90] as const
const usualDays = 30

/** The address of a link. Browsers send nothing of what stands behind the `#`. */
const addressOf = (token: string): string => new URL(`/s#${token}`, location.origin).href

/** Makes links to the report, and lists all links of the installation, for its owner. */
function Share({ id }: { id: number }) {
  const [token, setToken] = useState<string | null>(null)
  return (
    <div className="space-y-5">
      <p className="text-dim">{t('share.report')}</p>
      {token === null ? (
        <NewLink subject={String(id)} onDone={setToken} />
      ) : (
        <Created address={addressOf(token)} onDone={() => setToken(null)} />
      )}
      <Links />
    </div>
  )
}

const Created = ({ address, onDone }: { address: string; onDone: () => void }) => (
  <div className="space-y-3 rounded-control bg-raise p-4">
    <p className="font-medium">{t('share.once')}</p>
    <CopyField label={t('share.address')} value={address} />
    <Suspense fallback={<div className="aspect-square w-full max-w-[220px]" />}>
      <Qr text={address} label={t('share.code')} className="w-full max-w-[220px] rounded-mark" />
    </Suspense>
    <Button onClick={onDone}>{t('share.another')}</Button>
  </div>
)

interface NewLinkProps {
  subject: string
  onDone: (token: string) => void
}

function NewLink({ subject, onDone }: NewLinkProps) {
  const { save, isBusy, error } = useSave({ stale: [linksKey], showsError: true })
  const [label, setLabel] = useState('')
  const [length, setLength] = useState<number>(usualDays)
  const [showsNames, setShowsNames] = useState(false)
  const create = async () => {
    const body = {
      page: 'report' as const,
      subject,
      label: label.trim(),
      hours: length * 24,
      showsNames,
    }
    const { token } = await unwrap(api.ext.links.post(body))
    onDone(token)
  }
  return (
    <Form onSubmit={() => save({ run: create })} className="space-y-4 rounded-control bg-raise p-4">
      <Field
        label={t('share.label')}
        hint={t('share.labelHint')}
        maxLength={100}
        value={label}
        onChange={({ target }) => setLabel(target.value)}
      />
      <Select
        label={t('share.length')}
        value={length}
        disabled={isBusy}
        options={optionsOf<number>(days, (count) => tn('share.days', count))}
        onChange={setLength}
      />
      <label className="flex cursor-pointer items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-1 accent-cache"
          checked={showsNames}
          onChange={({ target }) => setShowsNames(target.checked)}
        />
        <span>
          {t('share.names')}
          <span className="block text-small text-dim">{t('share.namesHint')}</span>
        </span>
      </label>
      {error !== null && <p className="text-bad">{refusalText(error)}</p>}
      <Button type="submit" className="primary w-full" disabled={isBusy}>
        {t('share.create')}
      </Button>
    </Form>
  )
}

/** Every link that still works, with the event's name where the event is still there. */
function Links() {
  const { data, error } = useRead(linksKey, api.ext.links.get)
  const { data: events = [] } = useEvents()
  return (
    <section aria-label={t('share.all')}>
      <h3 className="mb-2 text-card font-semibold">{t('share.all')}</h3>
      {data === undefined && <Pending error={error} rows={2} />}
      {data?.items.length === 0 && <p className="text-dim">{t('share.none')}</p>}
      {data?.items.toReversed().map((link) => (
        <Entry
          key={link.id}
          link={link}
          name={events.find(({ id }) => String(id) === link.subject)?.name}
        />
      ))}
    </section>
  )
}

function Entry({ link, name }: { link: ShareLinkView; name: string | undefined }) {
  const now = useNow(30_000)
  const { id, label, expiresAtUtc, lastUsedAtUtc } = link
  const page = t(`share.page.${link.page}`)
  const subject = name === undefined ? page : `${page} · ${name}`
  const facts = [
    ...(label === '' ? [] : [subject]),
    t('share.until', { time: momentText(new Date(expiresAtUtc), now) }),
    lastUsedAtUtc === null
      ? t('share.unused')
      : t('share.used', { time: sinceText(new Date(lastUsedAtUtc), now) }),
    ...(link.showsNames ? [t('share.withNames')] : []),
  ]
  return (
    <Row isEntry stale={[linksKey]} title={label === '' ? subject : label} note={facts.join(' · ')}>
      <Action
        label={t('share.revoke')}
        consequence={t('share.revokeConsequence')}
        run={() => unwrap(api.ext.links({ id }).delete())}
        done={t('share.revoked')}
      />
    </Row>
  )
}

/** The report on the event's page; its owner can share it. */
export function OwnReport({ event: { id } }: { event: CalendarEvent }) {
  const { data: report, error } = useReport(id)
  const { owner: isOwner } = useReaders()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <Link to="/events/$id" params={{ id: String(id) }} className="control">
          <ChevronLeft size={15} />
          {t('report.close')}
        </Link>
        {isOwner && (
          <Button className="ml-auto" onClick={() => setIsOpen(true)}>
            <ExternalLink size={15} />
            {t('share.open')}
          </Button>
        )}
        <Button className={isOwner ? '' : 'ml-auto'} onClick={() => globalThis.print()}>
          {t('report.print')}
        </Button>
      </div>
      {report === undefined ? (
        <div className="card p-5">
          <Pending error={error} rows={6} />
        </div>
      ) : (
        <Report report={report} isInPage />
      )}
      <SidePanel title={t('share.title')} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Share id={id} />
      </SidePanel>
    </>
  )
}
