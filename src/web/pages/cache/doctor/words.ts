import { bytePair, countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import type { Tone } from '../../../components/figures.tsx'
import { known, t, tn } from '../../../locales/translate.ts'
import { skipText } from '../corruption/texts.ts'
import type { CacheFile, Refetch, StoredObject, Suspect } from './queries.ts'

/** Why an object is listed, in one sentence. */
export function suspectText(suspect: Suspect): string {
  const { asked, fromCache, fetched, leastBytes, mostBytes } = suspect
  const seconds = (Date.parse(suspect.lastSeenUtc) - Date.parse(suspect.firstSeenUtc)) / 1000
  const times = tn('doctor.asked', asked, { time: durationText(Math.max(1, seconds)) })
  const [least, most] = bytePair(leastBytes, mostBytes)
  const bytes = leastBytes === mostBytes ? most : t('doctor.between', { least, most })
  const statuses = Object.entries(suspect.statuses)
    .toSorted(([, a], [, b]) => b - a)
    .map(([status, count]) => `${countText(count)} × ${status}`)
    .join(', ')
  const source =
    fromCache === asked
      ? t('doctor.allCached')
      : fetched === asked
        ? t('doctor.allFetched')
        : t('doctor.both', { cached: countText(fromCache), fetched: countText(fetched) })
  return [times, statuses, bytes, source].join(' · ')
}

const tones = { absent: 'quiet', broken: 'bad', incomplete: 'quiet', sound: 'good' } as const

export const verdictOf = ({ verdict }: StoredObject) => ({
  tone: tones[verdict],
  title: t(`doctor.verdict.${verdict}`),
  text: t(`doctor.verdictText.${verdict}`),
})

/** Why a fetch was aborted; in the server's words if there is no text. */
export function fetchProblemText({ problem, problemKey }: Refetch['fetched']): string {
  const key = known(`doctor.fetch.${problemKey}`)
  return key === null ? (problem ?? '') : t(key)
}

/** What is wrong with a file, why it was not judged, or that it is intact. */
export function fileState({ findings, notJudged }: CacheFile): { tone: Tone; text: string } {
  if (findings.length > 0) {
    return {
      tone: 'bad',
      text: findings.map((issue) => t(`corruption.issue.${issue}`)).join(' · '),
    }
  }
  if (notJudged !== null) return { tone: 'quiet', text: skipText(notJudged) }
  return { tone: 'good', text: t('doctor.pieceSound') }
}

/** Missing slices as `3`, `7 to 9`, truncated after a few. */
export function missingText({ holes, missingAtEnd }: StoredObject): string | null {
  const gaps = missingAtEnd === null ? holes : [...holes, missingAtEnd]
  if (gaps.length === 0) return null
  const shown = gaps
    .slice(0, gapsMax)
    .map(({ first, last }) =>
      first === last
        ? countText(first)
        : t('doctor.gap', { first: countText(first), last: countText(last) }),
    )
    .join(', ')
  const count = gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  return tn('doctor.missing', count, { slices: gaps.length > gapsMax ? `${shown} …` : shown })
}

const gapsMax = 8
