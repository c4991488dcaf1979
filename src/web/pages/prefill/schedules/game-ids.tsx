import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { Setting } from '../../../components/setting.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { pastedIds } from '../import-ids.ts'

interface GameIdsProps {
  ids: readonly string[]
  isBusy: boolean
  onChange: (ids: string[]) => void
}

/** Games by id; any of them replaces the preset. */
export function GameIds({ ids, isBusy, onChange }: GameIdsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState('')
  const submit = () => {
    onChange(pastedIds(text))
    setIsOpen(false)
  }
  const open = () => {
    setText(ids.join(', '))
    setIsOpen(!isOpen)
  }
  return (
    <>
      <Setting
        id="prefill.chosen"
        {...(ids.length === 0 && { value: t('controls.none') })}
        state={ids.length === 0 ? undefined : tn('count.games', ids.length)}
      >
        <Button disabled={isBusy} aria-expanded={isOpen} onClick={open}>
          {t('prefill.edit')}
        </Button>
      </Setting>
      {isOpen && (
        <Form onSubmit={submit} className="border-b border-line py-3">
          <textarea
            aria-label={t('prefill.importLabel')}
            className="input h-24 py-2 font-mono text-[13px]"
            placeholder="440, 570, 730"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" className="mt-2" disabled={isBusy}>
            {t('prefill.save')}
          </Button>
        </Form>
      )}
    </>
  )
}
