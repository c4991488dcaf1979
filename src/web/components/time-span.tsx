interface TimeSpanProps {
  /** HH:mm; an emptied input is ''. */
  start: string
  end: string
  labels: { start: string; end: string }
  onChange: (span: { start?: string; end?: string }) => void
}

/** Two times of day, from and until. */
export function TimeSpan({ start, end, labels, onChange }: TimeSpanProps) {
  return (
    <>
      <input
        type="time"
        aria-label={labels.start}
        className="input h-[34px] w-auto"
        value={start}
        onChange={({ target }) => onChange({ start: target.value })}
      />
      <span aria-hidden="true">–</span>
      <input
        type="time"
        aria-label={labels.end}
        className="input h-[34px] w-auto"
        value={end}
        onChange={({ target }) => onChange({ end: target.value })}
      />
    </>
  )
}
