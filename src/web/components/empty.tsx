import type { ReactNode } from 'react'
import { t } from '../locales/translate.ts'
import { useFirstReadText } from './card.tsx'

/** On a field of 64 by 48: quiet lines, and those of the accent. */
const pictures = {
  clients: ['M8 8h34v24H8zM25 32v6M17 38h16', 'M46 18h10v22H46zM50.5 36h1'],
  downloads: ['M10 30v10h44V30', 'M32 8v22M23 22l9 9 9-9'],
  games: [
    'M20 12h24a12 12 0 0 1 11.7 9.3l2 9.4a5.5 5.5 0 0 1-9.9 4.4L42 29H22l-5.8 6.1a5.5 5.5 0 0 1-9.9-4.4l2-9.4A12 12 0 0 1 20 12z',
    'M22 17v8M18 21h8M41 19h0M46 23h0',
  ],
  search: ['M28 8a13 13 0 1 0 .01 0z', 'm37.5 30.5 10 10'],
} as const

interface EmptyProps {
  picture: keyof typeof pictures
  title: string
  /** One sentence. */
  children: string
  /** The next step, as a button or a link that looks like one. */
  action?: ReactNode
}

/** Replaces a list without rows and offers the next step; says so while the log is first read. */
export function Empty({ picture, title, children, action }: EmptyProps) {
  const reading = useFirstReadText()
  const [quiet, accent] = pictures[picture]
  return (
    <div role="status" className="flex flex-col items-center gap-1 px-4 py-14 text-center">
      <svg
        viewBox="0 0 64 48"
        aria-hidden="true"
        className="mb-3 h-[72px]"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d={quiet} className="stroke-edge" />
        <path d={accent} className="stroke-cache" />
      </svg>
      <p className="font-medium">{reading ?? title}</p>
      <p className="max-w-[46ch] text-small text-dim">
        {reading === null ? children : t('firstRead.text')}
      </p>
      {reading === null && action !== undefined && <div className="mt-3">{action}</div>}
    </div>
  )
}
