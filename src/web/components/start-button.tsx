import { useStarts } from '../app/starts.ts'
import { t, type Key } from '../locales/translate.ts'
import { Button } from './form-controls.tsx'

interface StartButtonProps {
  job: keyof ReturnType<typeof useStarts>
  label: Key
}

/** Starts a job where its result would be shown, and opens its progress. */
export function StartButton({ job, label }: StartButtonProps) {
  const starts = useStarts()
  return <Button onClick={starts[job]}>{t(label)}</Button>
}
