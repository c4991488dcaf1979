import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap, keys } from '../../../api/client.ts'
import { Card, Notice, Trouble, Waiting, Problem, StateLine } from '../../../components/card.tsx'
import { Confirm } from '../../../components/setting-controls.tsx'
import { notify } from '../../../components/toast.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { Facts, Dot } from '../../../components/figures.tsx'
import { byteText, countText, bytePair } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { t, tn } from '../../../locales/translate.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { sliceText } from '../../../app/datasource-words.ts'
import { useSave } from '../../../app/use-save.ts'
import { CacheFiles } from './cache-files.tsx'
import {
  doctorKey,
  useObject,
  type ObjectInfo,
  type Refetch,
  type StoredObject,
} from './queries.ts'
import { useGates } from '../use-gates.ts'
import { useIntegrity } from '../integrity/use-integrity.ts'
import { missingText, verdictOf, fetchProblemText } from './words.ts'

/** One object: its cache files, their problems, and the two repair steps. */
export function ObjectView() {
  const { search, change } = useIntegrity()
  const { data, error } = useObject(search)
  return (
    <>
      <button
        type="button"
        className="mb-2 text-small text-dim hover:text-text"
        onClick={() => change({ url: undefined, source: undefined, tag: undefined })}
      >
        ‹ {t('doctor.back')}
      </button>
      {data === undefined ? (
        <Card title={search.url ?? ''}>
          {error === null ? <Waiting rows={4} /> : <ObjectTrouble error={error} />}
        </Card>
      ) : (
        <ObjectInfoCard data={data} />
      )}
    </>
  )
}

/** Invalid URLs are explained; other errors are shown as usual. */
function ObjectTrouble({ error }: { error: Error }) {
  const isAsked = 'status' in error && (error.status === 400 || error.status === 404)
  if (!isAsked) return <Trouble error={error} />
  return (
    <Notice tone="attention" title={t('doctor.cannotFind')}>
      {refusalText(error)}
    </Notice>
  )
}

function ObjectInfoCard({ data }: { data: ObjectInfo }) {
  const { search } = useIntegrity()
  const { write } = useGates()
  const canRemove = write.every(({ datasource }) => datasource !== search.source)
  const queries = useQueryClient()
  const { save, isBusy } = useSave({ stale: [keys.operations] })
  const { isBusy: isRemoving } = useJobs(['corruptionRemoval'])
  const { datasource, tag, service, path, files } = data
  const asked = { datasource, url: search.url ?? data.url, tag }
  const refetch = useMutation({
    mutationFn: () => unwrap(api.ext.doctor.refetch.post(asked)),
    onSettled: () => queries.invalidateQueries({ queryKey: [...doctorKey, 'object'] }),
  })
  const purge = (slice: number | null) =>
    save({
      run: async () => {
        const { files, bytes } = await unwrap(api.ext.doctor.purge.post({ ...asked, slice }))
        notify(tn('doctor.purged', files, { bytes: byteText(bytes) }))
      },
    })
  const isBarred = isBusy || isRemoving || refetch.isPending
  const verdict = verdictOf(data)
  return (
    <>
      <Card title={path.split('/').at(-1) ?? path} note={serviceName(service)} className="mb-3">
        <p className="mb-3 font-mono text-[12.5px] break-all text-dim">{path}</p>
        <div className="mb-4 text-[13px]">
          <StateLine tone={verdict.tone}>
            <span className="block font-medium">{verdict.title}</span>
            <span className="text-dim">{verdict.text}</span>
          </StateLine>
        </div>
        <Facts
          facts={[
            [t('doctor.stored'), storedText(data)],
            [t('doctor.files'), countText(files.length)],
            [t('doctor.gaps'), missingText(data)],
            [t('doctor.sliceSize'), data.sliceBytes === 0 ? null : sliceText(data.sliceBytes)],
            [t('doctor.key'), tag],
            [t('doctor.source'), datasource],
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <Confirm
            label={t('doctor.purge')}
            consequence={tn('doctor.purgeText', files.length, {
              bytes: byteText(data.storedBytes),
            })}
            isBusy={isBarred}
            disabled={files.length === 0 || !canRemove}
            onConfirm={() => purge(null)}
          />
          <Button disabled={isBarred} onClick={() => refetch.mutate()}>
            {t(refetch.isPending ? 'doctor.fetching' : 'doctor.refetch')}
          </Button>
        </div>
        <p className="mt-2 text-small text-dim">
          {t(canRemove ? 'doctor.refetchText' : 'doctor.readOnly')}
        </p>
        <Problem error={refetch.error} className="mt-2" />
      </Card>
      {refetch.data !== undefined && <RefetchResult result={refetch.data} />}
      <CacheFiles object={data} canRemove={canRemove && !isBarred} onPurge={purge} />
    </>
  )
}

/** Cache files include a header, so the stored size slightly exceeds the object's. */
const storedText = ({ storedBytes, objectBytes }: ObjectInfo): string =>
  objectBytes === null
    ? byteText(storedBytes)
    : t('corruption.of', { done: byteText(storedBytes), total: byteText(objectBytes) })

/** The bytes fetched through the cache, and its content before and after. */
function RefetchResult({ result }: { result: Refetch }) {
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
