import { useId, useState, type ReactNode } from 'react'
import { Modal } from './modal.tsx'
import { Button } from './form-controls.tsx'
import { t } from '../locales/translate.ts'

interface TypedConfirmProps {
  title: string
  consequence: string
  /** The text to type before the button is enabled. */
  word: string
  action: string
  isBusy: boolean
  onClose: () => void
  onConfirm: () => void
  /** Choices above the text. */
  children?: ReactNode
}

/** For irreversible actions on everything: requires typing the name. */
export function TypedConfirm(props: TypedConfirmProps) {
  const { title, consequence, word, action, isBusy, onClose, onConfirm, children } = props
  const id = useId()
  const [text, setText] = useState('')
  const isTyped = text.trim() === word
  return (
    <Modal title={title} isOpen onClose={onClose} place="top">
      <form
        className="px-5 pt-2 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (isTyped && !isBusy) onConfirm()
        }}
      >
        <p className="max-w-[62ch] text-[13px]">{consequence}</p>
        {children}
        <label htmlFor={id} className="mt-4 mb-1.5 block text-small font-medium">
          {t('clear.type', { word })}
        </label>
        <input
          id={id}
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="mt-4 flex flex-wrap gap-2">
          <Button type="submit" className="border-bad text-bad" disabled={!isTyped || isBusy}>
            {action}
          </Button>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Modal>
  )
}
