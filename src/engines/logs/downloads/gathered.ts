import type { DayName } from './day-names.ts'
import type { HostTitles } from './host-titles.ts'
import type { StoredSample } from '../reuse/sampler.ts'
import type { Group, Session, TrafficPart } from './session.ts'

/** What a commit writes besides positions. */
export interface Gathered {
  lastId: number
  sessions: Session[]
  traffic: { group: Group; part: TrafficPart }[]
  hostTitles: HostTitles
  dayNames: DayName[]
  samples: StoredSample[]
}

export const nothingSince = (lastId: number): Gathered => ({
  lastId,
  sessions: [],
  traffic: [],
  hostTitles: new Map(),
  dayNames: [],
  samples: [],
})

export const isEmpty = ({ sessions, traffic, samples }: Gathered): boolean =>
  sessions.length + traffic.length + samples.length === 0
