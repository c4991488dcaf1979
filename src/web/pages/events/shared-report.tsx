import { useEffect } from 'react'
import type { OwnShareLink } from '../../../access/links/model.ts'
import { asLink } from '../../api/share-link.ts'
import { Logo } from '../../app/logo.tsx'
import { Absent } from '../../components/absent.tsx'
import { t } from '../../locales/translate.ts'
import { Report, useReport } from './report.tsx'

/** The report of an event, for people with a link to it. */
export function Page({ link: { subject } }: { link: OwnShareLink }) {
  const { data: report, error } = useReport(Number(subject), asLink)
  const name = report?.name
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Larder`
  }, [name])
  return (
    <main className="px-4 py-6 sm:px-6">
      <p className="mx-auto mb-5 flex max-w-[980px] items-center gap-2 text-small text-dim">
        <Logo size={18} />
        {t('report.title')}
      </p>
      {report === undefined ? (
        <div className="card mx-auto max-w-[980px] p-5">
          <Absent error={error} title={t('events.gone')} text={t('events.goneText')} />
        </div>
      ) : (
        <Report report={report} />
      )}
    </main>
  )
}
