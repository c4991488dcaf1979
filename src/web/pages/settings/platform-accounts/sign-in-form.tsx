import type { ReactNode } from 'react'
import { Button, Form } from '../../../components/form-controls.tsx'
import { Problem } from '../../../components/card.tsx'
import { t } from '../../../locales/translate.ts'

interface SignInFormProps {
  /** What is asked for. */
  children: ReactNode
  error: Error | null
  /** What the form waits for after it was sent. */
  waiting?: ReactNode
  label: string
  canSend: boolean
  onSend: () => void
  /** Null: it cannot be cancelled now. */
  onCancel: (() => void) | null
}

/** A step of a sign-in: its fields, why the last one failed, and the way on or back. */
export const SignInForm = (props: SignInFormProps) => (
  <Form onSubmit={props.onSend} className="max-w-[520px] space-y-4 pt-4">
    {props.children}
    <Problem error={props.error} />
    {props.waiting}
    <div className="flex gap-2">
      <Button type="submit" className="primary px-5" disabled={!props.canSend}>
        {props.label}
      </Button>
      {props.onCancel !== null && (
        <Button className="h-[38px]" onClick={props.onCancel}>
          {t('action.cancel')}
        </Button>
      )}
    </div>
  </Form>
)
