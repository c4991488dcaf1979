import type { DownloadsParts } from '../parts.ts'
import { hidesEvicted, marksEvicted, withMark } from '../reports/evicted-mode.ts'
import { AppError } from '../../core/http/errors.ts'
import { excludedClients } from '../../clients/contract.ts'
import { activeSince } from '../reports/active.ts'
import { titlesOfGame } from '../reports/games.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { Download, DownloadSpeeds, RetroPage, RetroParameters } from './model.ts'
import { retroQueryOf } from './retro-query.ts'
import type { RetroOptions } from './retro-singles.ts'
import { retroRows } from './retro-store.ts'
import {
  associationsOf,
  bestSpeed,
  findDownload,
  findDownloads,
  listDownloads,
  tagsOf,
} from './store.ts'

const listedDefault = 100
/** Downloads per answer of `with-associations`. */
export const listedMax = 1000
/** Newest downloads in the dashboard. */
export const dashboardDownloadsMax = 200

type ListParts = Pick<DownloadsParts, 'clock' | 'state' | 'settings'>

/** One page of the grouped view. */
function createRetro({ clock, state, settings }: ListParts, reports: Reports) {
  return async (parameters: RetroParameters): Promise<RetroPage> => {
    const keptSince = settings.get('history.keptSince')
    const { hidden, uncounted } = excludedClients(state)
    const left = {
      keptSince,
      without: parameters.includeExcluded === false ? uncounted : hidden,
      hidesEvicted: hidesEvicted(settings),
    }
    const asked = { ...retroQueryOf(parameters), ...left }
    await reports.checkEvent(asked.eventId)
    const titles = asked.game === null ? null : await titlesOfGame(reports, asked.game)
    const query = { ...asked, titles }
    const view = { ...query, page: 1, pageSize: 1 }
    const remember: RetroOptions['remember'] = (what, compute) =>
      reports.cached(`retro ${what}`, view, compute)
    const { items, total } = await reports.cached('retro', query, () =>
      reports.readList((sql) =>
        retroRows(sql, query, { activeSince: activeSince(clock.now()).getTime() / 1000, remember }),
      ),
    )
    return {
      items: items.map((row) =>
        marksEvicted(settings) ? row : { ...row, isEvicted: false, isPartiallyEvicted: false },
      ),
      totalItems: total,
      totalPages: Math.max(1, Math.ceil(total / query.pageSize)),
      currentPage: query.page,
      pageSize: query.pageSize,
    }
  }
}

/** Download lists and single downloads. */
export function createDownloads(deps: ListParts, reports: Reports) {
  const { clock, state, settings } = deps
  const { read } = reports
  const hidden = () => excludedClients(state).hidden
  const isExcluded = ({ clientIp, isEvicted }: Download) =>
    hidden().includes(clientIp) || (isEvicted && hidesEvicted(settings))
  const marked = (download: Download) => withMark(settings, download)
  const activeAfter = () => activeSince(clock.now()).getTime() / 1000

  async function one(id: number) {
    const activeSince = activeAfter()
    return read(async (sql) => {
      const download = await findDownload(sql, id, activeSince)
      if (download === null || isExcluded(download)) {
        throw new AppError('notFound', 'Download not found')
      }
      return { download: marked(download), events: await associationsOf(sql, id) }
    })
  }

  return {
    one,

    /** The best speeds that this one can be compared with. */
    async speeds(id: number): Promise<DownloadSpeeds> {
      const { download } = await one(id)
      const { uncounted: without } = excludedClients(state)
      const best = (client: string | null) => read((sql) => bestSpeed(sql, { client, without }))
      const [client, cache] = await Promise.all([best(download.clientIp), best(null)])
      return { bytesPerSecond: download.averageBytesPerSecond, client, cache }
    },

    /** The sessions of one row; unknown and hidden ones are omitted. */
    async some(ids: readonly number[]) {
      const found = await read((sql) => findDownloads(sql, ids, activeAfter()))
      return { items: found.filter((download) => !isExcluded(download)).map(marked) }
    },

    async withTags(asked: Scope, count: number | undefined) {
      const scope = reports.shown(asked)
      const limit = Math.min(count ?? listedDefault, listedMax)
      const activeSince = activeAfter()
      return read(async (sql) => {
        const downloads = await listDownloads(sql, scope, { limit, activeSince })
        const tags = await tagsOf(
          sql,
          downloads.map(({ id }) => id),
        )
        return downloads.map((download) => {
          return { download: marked(download), events: tags.get(download.id) ?? [] }
        })
      })
    },

    /** For the dashboard, newest first. */
    async newest(asked: Scope) {
      const scope = reports.shown(asked)
      const options = { limit: dashboardDownloadsMax, activeSince: activeAfter() }
      const downloads = await reports.cached('newest', scope, () =>
        read((sql) => listDownloads(sql, scope, options)),
      )
      return downloads.map(marked)
    },

    retro: createRetro(deps, reports),
  }
}

export type Downloads = ReturnType<typeof createDownloads>
