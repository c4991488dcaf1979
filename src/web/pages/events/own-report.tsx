import { Link } from '@tanstack/react-router'
import { ChevronLeft, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useEvents, type CalendarEvent } from '../../api/event-queries.ts'
import { useReaders } from '../../app/readers.ts'
import { Button } from '../../components/form-controls.tsx'
import { Pending } from '../../components/card.tsx'
import { SharePanel } from '../../components/share/share-panel.tsx'
import { SidePanel } from '../../components/side-panel.tsx'
import { t } from '../../locales/translate.ts'
import { Report, useReport } from './report.tsx'

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

function Share({ id }: { id: number }) {
  const { data: events = [] } = useEvents()
  const nameOf = (subject: string) =>
    events.find((event) => String(event.id) === subject)?.name ?? null
  return <SharePanel page="report" subject={String(id)} lead={t('share.report')} nameOf={nameOf} />
}
