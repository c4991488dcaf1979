import { platformOf } from '../format/services.ts'

/** First letter on the platform's tint, in place of artwork. */
export function Mark({ name, service }: { name: string; service: string }) {
  const first = name.trim().codePointAt(0)
  const letter = first === undefined ? '?' : String.fromCodePoint(first).toUpperCase()
  return (
    <span aria-hidden="true" className="mark" data-platform={platformOf(service)}>
      {letter}
    </span>
  )
}
