import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { useConfig, useServiceStatus } from '../../api/queries.ts'
import { Dot, type Tone } from '../../components/figures.tsx'
import { Trouble, Waiting } from '../../components/notice.tsx'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { t, type Key } from '../../locales/translate.ts'
import { Frame } from './frame.tsx'

interface Line {
  tone: Tone
  label: string
  text: string
}

const problemTexts: Partial<Record<string, Key>> = {
  none: 'firstRun.logsFound',
  missing_directory: 'health.missingDirectory',
  permission_denied: 'health.permissionDenied',
  no_sources: 'health.noSources',
  unreadable_file: 'health.unreadableFile',
}

/**
 * Shows what was detected and asks the one important question: whether to read old log lines too.
 */
export function Page() {
  const queries = useQueryClient()
  const config = useConfig()
  const status = useServiceStatus()
  const finish = useMutation({
    mutationFn: async (readsPast: boolean) => {
      if (readsPast) {
        await unwrap(api.logs.position.patch({ position: 0 }))
        await unwrap(api.logs.process.post())
      }
      await unwrap(api.system.setup.patch({ completed: true }))
    },
    onSuccess: async () => {
      await queries.refetchQueries({ queryKey: keys.setup })
      await queries.invalidateQueries()
    },
  })
  if (config.error !== null && config.data === undefined) return <Trouble error={config.error} />
  const lines: Line[] = (config.data?.dataSources ?? []).map((source) => {
    const state = status.data?.datasources.find(({ name }) => name === source.name)
    const problem = state?.problem ?? 'none'
    const isFine = problem === 'none'
    return {
      tone: isFine ? 'good' : 'attention',
      label: source.logsPath,
      text: t(problemTexts[problem] ?? 'firstRun.logsFound'),
    }
  })
  const hasSources = lines.length > 0
  return (
    <Frame title={t('firstRun.title')} lead={t('firstRun.lead')}>
      {config.data === undefined ? (
        <Waiting rows={2} />
      ) : (
        <ul className="mb-5 space-y-3">
          {lines.map((line) => (
            <li key={line.label} className="flex items-start gap-3">
              <span className="mt-2 flex">
                <Dot tone={line.tone} />
              </span>
              <span className="min-w-0">
                <code className="block truncate">{line.label}</code>
                <span className="text-small text-dim">{line.text}</span>
              </span>
            </li>
          ))}
          {!hasSources && (
            <li className="text-dim">
              {t('firstRun.noSources')} <code className="text-text">LanCache__LogPath</code>
            </li>
          )}
        </ul>
      )}
      <Problem error={finish.error} className="mb-3" />
      <div className="space-y-2.5">
        {hasSources && (
          <Button
            className="primary w-full"
            disabled={finish.isPending}
            onClick={() => finish.mutate(true)}
          >
            {t('firstRun.readAll')}
          </Button>
        )}
        <Button
          className="h-[38px] w-full justify-center"
          disabled={finish.isPending}
          onClick={() => finish.mutate(false)}
        >
          {hasSources ? t('firstRun.fromNow') : t('firstRun.continue')}
        </Button>
      </div>
      {hasSources && <p className="mt-3 text-small text-dim">{t('firstRun.hint')}</p>}
    </Frame>
  )
}
