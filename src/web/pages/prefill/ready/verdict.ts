import type { Tone } from '../../../components/figures.tsx'
import { byteText } from '../../../format/numbers.ts'
import { dueText, durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import type { ReadyBoard } from './queries.ts'

interface Verdict {
  tone: Tone
  text: string
}

const join = (...parts: (string | false)[]): string => parts.filter(Boolean).join(', ')

/** What is missing and how long that takes, as far as it is known. */
function workText({ missingBytes, seconds, isChecking }: ReadyBoard): string {
  if (missingBytes === null) return t(isChecking ? 'prefill.checking' : 'ready.sizeUnknown')
  const time = seconds !== null && t('ready.about', { time: durationText(seconds) })
  return join(t('ready.toDownload', { size: byteText(missingBytes) }), time)
}

const fitsText = ({ fits }: ReadyBoard): string | false => {
  if (fits === 'yes') return t('ready.fits')
  return fits === 'evicts' && t('ready.evicts')
}

/** The answer of the board in one sentence. */
export function verdictOf(board: ReadyBoard, now: Date): Verdict {
  const { verdict, dueAtUtc, allowedSeconds, freeBytes, readyAtUtc } = board
  const due = dueAtUtc === null ? null : dueText(new Date(dueAtUtc), now)
  const work = workText(board)
  if (verdict === 'ready') {
    const text = due === null ? t('ready.isReady') : t('ready.isReadyFor', { due })
    return { tone: 'good', text }
  }
  if (verdict === 'noSpace') {
    const free = freeBytes !== null && t('ready.free', { size: byteText(freeBytes) })
    return { tone: 'bad', text: `${t('ready.noSpace')}: ${join(work, free)}` }
  }
  if (verdict === 'late' && due !== null) {
    const left = allowedSeconds !== null && t('ready.left', { time: durationText(allowedSeconds) })
    return { tone: 'bad', text: `${t('ready.late', { due })}: ${join(work, left)}` }
  }
  if (verdict === 'inTime' && due !== null) {
    return { tone: 'good', text: `${t('ready.inTime', { due })}: ${join(work, fitsText(board))}` }
  }
  const at = readyAtUtc !== null && t('ready.at', { time: dueText(new Date(readyAtUtc), now) })
  return { tone: 'quiet', text: join(work, at, fitsText(board)) }
}
