import { useState } from 'react'
import { Button, Form } from './form-controls.tsx'
import { api, unwrap, keys } from '../api/client.ts'
import { t } from '../locales/translate.ts'
import { useSave } from '../app/use-save.ts'
import { useIsAccount } from '../api/queries.ts'
import { titleText } from '../format/services.ts'
import { Pencil } from './pencil.tsx'

/** Names an unidentified title where it is shown; for account holders only. */
export function TitlePencil({ titleKey }: { titleKey: string | null }) {
  const isAccount = useIsAccount()
  if (titleKey === null || !isAccount) return null
  return (
    <Pencil label={t('unnamed.nameOf', { title: titleText(titleKey) })} className="w-[320px]">
      {() => <NameForm titleKey={titleKey} name={null} />}
    </Pencil>
  )
}

interface NameFormProps {
  titleKey: string
  /** Given by hand; null without one. */
  name: string | null
  /** The page was opened for it. */
  isFocused?: boolean
}

const nameMax = 200

/** Names a title or removes its name, both with undo. */
export function NameForm({ titleKey, name, isFocused = false }: NameFormProps) {
  const [text, setText] = useState(name ?? '')
  const { save, change, isBusy } = useSave({ stale: [[...keys.cache], ...keys.reports] })
  const put = (gameName: string | null) => unwrap(api.ext.games.name.put({ titleKey, gameName }))
  const wanted = text.trim()
  const submit = () => {
    if (wanted !== '' && wanted !== name) {
      change(put, [wanted, name], t('unnamed.named', { name: wanted }))
    }
  }
  const takeBack = () =>
    save({
      run: () => put(null),
      done: t('unnamed.nameRemoved', { name: name ?? '' }),
      undo: () => put(name),
      after: () => setText(''),
    })
  return (
    <Form onSubmit={submit} className="flex min-w-0 flex-wrap gap-2">
      <input
        className="input min-w-[140px] flex-1"
        aria-label={t('unnamed.nameOf', { title: titleText(titleKey) })}
        placeholder={t('unnamed.placeholder')}
        maxLength={nameMax}
        data-focus
        autoFocus={isFocused}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button
        type="submit"
        className="h-[38px]"
        disabled={isBusy || wanted === '' || wanted === name}
      >
        {t('unnamed.save')}
      </Button>
      {name !== null && (
        <Button className="h-[38px] text-dim" disabled={isBusy} onClick={takeBack}>
          {t('unnamed.takeBack')}
        </Button>
      )}
    </Form>
  )
}
