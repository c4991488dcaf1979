import type { Sparklines } from '../../api/wire.ts'
import type { Sample, Series } from '../../live/samples.ts'

const minuteSeconds = 60

/** Minute means of the live samples, so that the tail is as calm as the history before it. */
function minuteMeans(samples: readonly Sample[], after: number): Sample[] {
  const means: Sample[] = []
  let count = 0
  for (const { at, cached, fetched } of samples) {
    if (at < after) continue
    const minute = Math.floor(at / minuteSeconds) * minuteSeconds + minuteSeconds / 2
    const last = means.at(-1)
    if (last === undefined || last.at !== minute) {
      means.push({ at: minute, cached, fetched })
      count = 1
      continue
    }
    count += 1
    last.cached += (cached - last.cached) / count
    last.fetched += (fetched - last.fetched) / count
  }
  return means
}

/** Bytes per bucket as bytes per second at the middle of each bucket, then the live tail. */
export function flowSeries(sparklines: Sparklines, samples: readonly Sample[]): Series {
  const series: Series = [[], [], []]
  const seconds = sparklines.bucketMinutes * minuteSeconds
  const put = (at: number, cached: number, fetched: number) => {
    series[0].push(at)
    series[1].push(cached)
    series[2].push(cached + fetched)
  }
  let end = 0
  for (const [index, start] of sparklines.bucketStarts.entries()) {
    const cached = (sparklines.bandwidthSaved.data[index] ?? 0) / seconds
    const fetched = (sparklines.addedToCache.data[index] ?? 0) / seconds
    put(start + seconds / 2, cached, fetched)
    end = start + seconds
  }
  for (const { at, cached, fetched } of minuteMeans(samples, end)) {
    if (at > (series[0].at(-1) ?? 0)) put(at, cached, fetched)
  }
  return series
}
