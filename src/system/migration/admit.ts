import { dayOf, type DayNames } from '../../engines/logs/downloads/day-names.ts'
import { clientAddress, makeTag } from '../../engines/logs/lines/line.ts'
import { shownUrl } from '../../engines/logs/lines/object-keys.ts'
import { cleanText } from '../../engines/logs/lines/service-name.ts'
import type { DownloadRow } from '../../engines/shipper/contract.ts'
import { faultOfRow, latestS, type RowFault } from '../../engines/shipper/row-limits.ts'
import { titleKeyOf } from '../../engines/titles/titles.ts'
import type { SourceRow } from './source.ts'

const nameMax = 150
const depotKey = /^alpha:(.*)$/s
/** Depots and apps of Steam are 32-bit numbers. */
const numberMax = 2 ** 32 - 1

/** A download of the source that the history may hold. */
export interface Admitted {
  download: Omit<DownloadRow, 'id' | 'revision' | 'objectKeys'>
  /** As the source names the title; null: not at all. */
  gameName: string | null
  gameAppId: number | null
  /** Distinguishes it from others that began at the same time, by the source's own values. */
  identity: string
}

const numberOf = (text: string | null): number =>
  text === null || text.trim() === '' ? Number.NaN : Number(text)

const alphaNumber = (text: string | null): number | null => {
  const value = numberOf(text)
  return Number.isInteger(value) && value > 0 && value <= numberMax ? value : null
}

const url = /^https?:\/\/([^/]*)(.*)$/is

/**
 * The key under which logs count the title, else one made of its name: every game of the source
 * keeps its name, whether its requests are known or not.
 */
function titleKeyFor(row: SourceRow, service: string, gameName: string | null): string {
  if (row.titleKey !== null && row.titleKey !== '') {
    const [, depot] = depotKey.exec(row.titleKey) ?? []
    const isKey = depot === undefined || alphaNumber(depot) !== null
    if (isKey) return cleanText(row.titleKey, row.titleKey.length)
  }
  const [, host = '', target = row.lastUrl ?? ''] = url.exec(row.lastUrl ?? '') ?? []
  const key = titleKeyOf(service, target, host)
  if (key !== '' || gameName === null) return key
  return `named:${service}:${gameName.toLowerCase()}`
}

/**
 * A download of the source as log lines would have it: their spelling of clients and services, their
 * limits of names per day, and the limits of every row. A fault: the history must not hold it.
 */
export function admit(row: SourceRow, names: DayNames): Admitted | RowFault {
  if ([row.client, row.startedAt, row.endedAt, row.hitBytes, row.missBytes].includes(null)) {
    return 'missing'
  }
  const startedAt = Math.floor(numberOf(row.startedAt))
  const endedAt = Math.floor(numberOf(row.endedAt))
  const made = makeTag(row.service ?? '')
  const name = cleanText(row.gameName ?? '', nameMax).trim()
  const gameName = name === '' ? null : name
  const title = { key: titleKeyFor(row, made.service, gameName), index: 0, day: -1 }
  const download = {
    datasource: cleanText(row.datasource, row.datasource.length),
    service: made.service,
    tag: made.text,
    client: clientAddress(row.client ?? '').trim(),
    titleKey: title.key,
    isPrefill: row.isPrefill ?? false,
    startedAt,
    endedAt,
    hitBytes: numberOf(row.hitBytes),
    missBytes: numberOf(row.missBytes),
    requests: Math.max(1, numberOf(row.requests)),
    lastUrl: shownUrl(row.lastUrl ?? ''),
  }
  const fault = faultOfRow(download, latestS())
  if (fault !== null) return fault
  const day = dayOf(startedAt)
  const tag = names.tag(made, day)
  const titleKey = title.key === '' ? '' : names.title(title, day).key
  const { client, service, datasource } = row
  return {
    download: { ...download, service: tag.service, titleKey },
    gameName,
    gameAppId: alphaNumber(row.gameAppId),
    identity: [client, row.startedAt, service, row.titleKey, row.gameName, datasource].join('\n'),
  }
}
