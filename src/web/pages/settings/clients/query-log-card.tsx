import { useState } from 'react'
import { useBypass, useQueryLog, type QueryLogView } from '../../../api/client-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import {
  Button,
  Field,
  useTexts,
  verbatim,
  Form,
  Segments,
  optionsOf,
} from '../../../components/form-controls.tsx'
import { Card, StateLine } from '../../../components/card.tsx'
import { Setting, Action } from '../../../components/setting-controls.tsx'
import { t } from '../../../locales/translate.ts'

type Kind = NonNullable<QueryLogView['kind']>
const names: Record<Kind, string> = { adguard: 'AdGuard Home', pihole: 'Pi-hole 6' }

/** Whose query log proves that a client asks past the cache; administrators only. */
export function QueryLogCard() {
  const { data } = useQueryLog()
  const [isOpen, setIsOpen] = useState(false)
  if (data === undefined) return null
  const { kind } = data
  return (
    <Card title={t('queryLog.title')} note={t('queryLog.note')} stale={[keys.exclusions]}>
      <Setting
        id="queryLog.server"
        value={kind === null ? t('controls.none') : names[kind]}
        state={kind !== null && <State name={names[kind]} url={data.url} />}
      >
        <Button onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          {t(kind === null ? 'queryLog.setUp' : 'queryLog.change')}
        </Button>
        {kind !== null && (
          <Action
            label={t('queryLog.stop')}
            run={() => unwrap(api.ext.clients['query-log'].put({ kind: null, url: '' }))}
            done={t('queryLog.stopped')}
          />
        )}
      </Setting>
      {isOpen && <ServerForm view={data} onDone={() => setIsOpen(false)} />}
    </Card>
  )
}

function State({ name, url }: { name: string; url: string }) {
  const { data } = useBypass()
  if (data === undefined) return null
  return (
    <StateLine tone={data.problem === null ? 'good' : 'bad'}>
      {data.problem ?? t('queryLog.reads', { name, url })}
    </StateLine>
  )
}

function ServerForm({ view, onDone }: { view: QueryLogView; onDone: () => void }) {
  const { save, isBusy } = useSave({ stale: [keys.exclusions] })
  const [kind, setKind] = useState<Kind>(view.kind ?? 'adguard')
  const { texts, bind } = useTexts({ url: view.url, user: view.user, password: '' })
  const { url, user, password } = texts
  const submit = () =>
    save({
      run: () =>
        unwrap(
          api.ext.clients['query-log'].put({
            kind,
            url: url.trim(),
            user: kind === 'adguard' ? user.trim() : '',
            ...(password !== '' && { password }),
          }),
        ),
      done: t('prefs.saved'),
      after: onDone,
    })
  return (
    <Form onSubmit={submit} className="mt-3 grid gap-4 rounded-control bg-raise p-4 sm:grid-cols-2">
      <div className="sm:col-span-2">
        <Segments<Kind>
          label={t('queryLog.kind')}
          value={kind}
          options={optionsOf(['adguard', 'pihole'] as const, (kind) => names[kind])}
          onChange={setKind}
        />
      </div>
      <Field
        label={t('queryLog.url')}
        placeholder="http://192.168.1.2"
        {...verbatim}
        {...bind('url')}
      />
      {kind === 'adguard' && <Field label={t('queryLog.user')} {...verbatim} {...bind('user')} />}
      <Field
        label={t('queryLog.password')}
        type="password"
        autoComplete="new-password"
        hint={t(view.hasPassword ? 'queryLog.stored' : 'queryLog.passwordHint')}
        {...bind('password')}
      />
      <div className="flex gap-2 sm:col-span-2">
        <Button type="submit" className="primary" disabled={isBusy || url.trim() === ''}>
          {t('queryLog.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </Form>
  )
}
