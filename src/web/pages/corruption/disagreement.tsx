import { countText } from '../../format/numbers.ts'
import { fullMomentText } from '../../format/times.ts'
import { t, tn, type Key } from '../../locales/translate.ts'
import type { StructuralEvidence } from './candidate.ts'

type Evidence = NonNullable<StructuralEvidence['disagreement']>
type Stated = Evidence['own']

const factLabels: Record<Evidence['fields'][number], Key> = {
  etag: 'corruption.factEtag',
  lastModified: 'corruption.factModified',
  totalLength: 'corruption.factLength',
}

function valueOf(stated: Stated, field: Evidence['fields'][number]): string {
  if (field === 'etag') return stated.etag ?? '–'
  if (field === 'totalLength') {
    return stated.totalLength === null ? '–' : countText(stated.totalLength)
  }
  const { lastModifiedAt } = stated
  return lastModifiedAt === null ? '–' : fullMomentText(new Date(lastModifiedAt * 1000))
}

/** The slice beside others of its object: in what they differ, and how many say what. */
export function Disagreement({ evidence }: { evidence: Evidence }) {
  const { fields, own, siblings, slicesCompared } = evidence
  return (
    <>
      <h3 className="text-card font-semibold">{t('corruption.siblings')}</h3>
      <p className="mb-1.5 text-small text-dim">{tn('corruption.compared', slicesCompared)}</p>
      <div
        className="mb-5 overflow-x-auto"
        tabIndex={0}
        role="group"
        aria-label={t('corruption.siblings')}
      >
        <table className="w-full text-left text-[13px]">
          <thead className="text-small text-dim">
            <tr className="border-b border-line">
              <th scope="col" className="py-1.5 pr-3 font-normal">
                {t('corruption.slices')}
              </th>
              {fields.map((field) => (
                <th key={field} scope="col" className="py-1.5 pr-3 font-normal">
                  {t(factLabels[field])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="border-b border-line">
              <th scope="row" className="py-1.5 pr-3 font-medium">
                {t('corruption.thisSlice')}
              </th>
              {fields.map((field) => (
                <td key={field} className="figure py-1.5 pr-3 break-all">
                  {valueOf(own, field)}
                </td>
              ))}
            </tr>
            {siblings.map((sibling) => (
              <tr key={sibling.sampleMd5} className="border-line not-last:border-b">
                <th scope="row" className="figure py-1.5 pr-3 font-normal">
                  {tn('corruption.others', sibling.slices)}
                </th>
                {fields.map((field) => (
                  <td key={field} className="figure py-1.5 pr-3 break-all">
                    {valueOf(sibling, field)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
