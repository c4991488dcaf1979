import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { api, unwrap } from '../api/eden.ts'
import { t } from '../locales/translate.ts'
import { useSave } from '../app/use-save.ts'
import { keys } from '../api/keys.ts'
import { useIsAccount } from '../api/queries.ts'
import { titleText } from '../format/title-text.ts'
import { Popover } from './popover.tsx'

/** Names an unidentified title where it is shown; for account holders only. */
export function TitlePencil({ titleKey }: { titleKey: string | null }) {
  const isAccount = useIsAccount()
  if (titleKey === null || !isAccount) return null
  return (
    <Popover
      label={t('unnamed.nameOf', { title: titleText(titleKey) })}
      face={<Pencil size={13} />}
      buttonClass="inline-flex size-6 flex-none items-center justify-center rounded-control align-middle text-dim hover:bg-raise hover:text-text"
      className="w-[320px]"
      align="start"
    >
      {() => (
        <div className="p-2">
          <NameForm titleKey={titleKey} name={null} />
        </div>
      )}
    </Popover>
  )
}

interface NameFormProps {
  titleKey: string
  /** Given by hand; null without one. */
  name: string | null
}

const nameMax = 200

/** Names a title or removes its name, both with undo. */
export function NameForm({ titleKey, name }: NameFormProps) {
  const [text, setText] = useState(name ?? '')
  const { save, change, isBusy } = useSave({ stale: [[...keys.cache], ...keys.reports] })
  const put = (gameName: string | null) => unwrap(api.ext.games.name.put({ titleKey, gameName }))
  const wanted = text.trim()
  const give = () => change(put, [wanted, name], t('unnamed.named', { name: wanted }))
  const takeBack = () =>
    save({
      run: () => put(null),
      done: t('unnamed.nameRemoved', { name: name ?? '' }),
      undo: () => put(name),
      after: () => setText(''),
    })
  return (
    <form
      className="flex min-w-0 flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted !== '' && wanted !== name) give()
      }}
    >
      <input
        className="input min-w-[140px] flex-1"
        aria-label={t('unnamed.nameOf', { title: titleKey })}
        placeholder={t('unnamed.placeholder')}
        maxLength={nameMax}
        data-focus
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
    </form>
  )
}
