import { useState } from 'react'
import type { DatasourceFacts } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Setting, StateLine } from '../../../components/setting.tsx'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { byteText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { limitSourceText } from '../../../app/datasource-words.ts'

/** As accepted by the server: a number with a unit, such as `500g`. */
const sizePattern = /^\d+(?:[.,]\d+)?\s*[kmgtp]?(?:i?b)?$/i

/** The cache's limit with its origin, and a field to override it. */
export function LimitSetting({ facts }: { facts: DatasourceFacts }) {
  const { name, limitBytes, limitSource } = facts
  const [text, setText] = useState<string | null>(null)
  const { save, isBusy } = useSave({ stale: [keys.cache, keys.config, keys.batch, keys.forecast] })
  const isManual = limitSource === 'manual'
  const put = (size: string | number | null) =>
    unwrap(api.system.datasources({ datasourceName: name })['cache-size'].put({ size }))
  const before = isManual ? limitBytes : null
  const set = (size: string | null) =>
    save({
      run: () => put(size),
      done: t('datasource.limitSaved'),
      undo: () => put(before),
      after: () => setText(null),
    })
  const isRight = text !== null && sizePattern.test(text.trim())
  const submit = () => {
    if (isRight) set(text.trim().replaceAll(' ', '').replace(',', '.'))
  }
  return (
    <Setting
      id="datasource.limit"
      state={
        <StateLine tone={limitBytes > 0 ? 'good' : 'quiet'}>
          {limitBytes > 0 ? limitSourceText(limitSource) : t('datasource.limitUnknown')}
        </StateLine>
      }
    >
      {text === null ? (
        <>
          <span className="figure mr-1">{limitBytes > 0 ? byteText(limitBytes) : '–'}</span>
          <Button disabled={isBusy} onClick={() => setText('')}>
            {t('datasource.limitChange')}
          </Button>
          {isManual && (
            <Button disabled={isBusy} onClick={() => set(null)}>
              {t('datasource.limitReset')}
            </Button>
          )}
        </>
      ) : (
        <Form onSubmit={submit} className="flex flex-wrap items-center gap-2">
          <input
            aria-label={t('datasource.limit')}
            aria-invalid={text !== '' && !isRight}
            autoFocus
            className="input figure h-[34px] w-[120px]"
            placeholder="1.5t"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" disabled={!isRight || isBusy}>
            {t('datasource.limitSave')}
          </Button>
          <Button disabled={isBusy} onClick={() => set('full')}>
            {t('datasource.limitWhole')}
          </Button>
          <Button onClick={() => setText(null)}>{t('action.cancel')}</Button>
        </Form>
      )}
    </Setting>
  )
}
