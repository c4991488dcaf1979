import { countText } from '../../../format/numbers.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import type { StructuralEvidence } from './candidate.ts'
import { Table } from '../../../components/table.tsx'

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

/** A slice compared with others of its object: what differs, and how many agree. */
export function Disagreement({ evidence }: { evidence: Evidence }) {
  const { fields, own, siblings, slicesCompared } = evidence
  return (
    <section className="mb-5">
      <h3 className="text-card font-semibold">{t('corruption.siblings')}</h3>
      <p className="mb-1.5 text-small text-dim">{tn('corruption.compared', slicesCompared)}</p>
      <Table
        label={t('corruption.siblings')}
        head={[t('corruption.slices'), ...fields.map((field) => t(factLabels[field]))]}
      >
        <Row name={t('corruption.thisSlice')} stated={own} fields={fields} />
        {siblings.map((sibling) => (
          <Row
            key={sibling.sampleMd5}
            name={tn('corruption.others', sibling.slices)}
            stated={sibling}
            fields={fields}
          />
        ))}
      </Table>
    </section>
  )
}

interface RowProps {
  name: string
  stated: Stated
  fields: Evidence['fields']
}

function Row({ name, stated, fields }: RowProps) {
  return (
    <tr className="border-line not-last:border-b">
      <th scope="row" className="py-1.5 pr-3 font-normal">
        {name}
      </th>
      {fields.map((field) => (
        <td key={field} className="py-1.5 pr-3 break-all">
          {valueOf(stated, field)}
        </td>
      ))}
    </tr>
  )
}
