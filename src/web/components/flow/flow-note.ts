import { t } from '../../locales/translate.ts'

const units = [
  ['flow.days', 86_400],
  ['flow.hours', 3600],
  ['flow.minutes', 60],
] as const

/** Over what time each point of a chart is an average: `10-minute average`. */
export function flowNote(bucketSeconds: number): string {
  const [key, seconds] = units.find(([, unit]) => bucketSeconds % unit === 0) ?? units[2]
  return t(key, { count: bucketSeconds / seconds })
}
