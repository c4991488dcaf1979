import { Card } from '../../../components/card.tsx'
import { Dot } from '../../../components/figures.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { bytePair, byteText, countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import type { Refetch, StoredObject } from './queries.ts'
import { fetchProblemText, verdictOf } from './words.ts'

/** The bytes fetched through the cache, and its content before and after. */
export function RefetchResult({ result }: { result: Refetch }) {
  const { fetched, proxy, host, before, after } = result
  const { status, cacheStatus, problem, isWhole } = fetched
  return (
    <Card title={t('doctor.result')} note={`${proxy.name} · ${host}`} className="mb-3">
      <div className="mb-3 text-[13px]" role="status">
        <StateLine tone={isWhole ? 'good' : 'bad'}>
          <span className="block font-medium">{cameText(fetched)}</span>
          <span className="text-dim">
            {t('doctor.answer', { status })}
            {cacheStatus !== null && ` · ${cacheStatus}`}
            {problem !== null && ` · ${fetchProblemText(fetched)}`}
          </span>
        </StateLine>
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Side title={t('doctor.before')} object={before} />
        <Side title={t('doctor.after')} object={after} />
      </div>
    </Card>
  )
}

function cameText({ bytes, expectedBytes, isWhole }: Refetch['fetched']): string {
  if (isWhole) return t('doctor.cameWhole', { bytes: byteText(bytes) })
  if (expectedBytes === null) return t('doctor.cameShort', { bytes: byteText(bytes) })
  const [came, total] = bytePair(bytes, expectedBytes)
  return t('doctor.cameShortOf', { bytes: came, total })
}

function Side({ title, object }: { title: string; object: StoredObject }) {
  const verdict = verdictOf(object)
  const broken = object.files.filter(({ findings }) => findings.length > 0).length
  return (
    <section aria-label={title} className="min-w-0 rounded-control border border-line p-3">
      <h3 className="text-small text-dim">{title}</h3>
      <p className="mt-1 flex items-center gap-2 font-medium">
        <Dot tone={verdict.tone} />
        {verdict.title}
      </p>
      <p className="figure mt-1 text-[13px] text-dim">
        {t('doctor.side', {
          bytes: byteText(object.storedBytes),
          files: countText(object.files.length),
          broken: countText(broken),
        })}
      </p>
    </section>
  )
}
