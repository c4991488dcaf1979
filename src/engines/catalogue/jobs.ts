import { openCatalog } from '../../../db/catalog/open.ts'
import { createOutside } from '../../core/lib/outside.ts'
import { pace } from '../../core/lib/pace.ts'
import type { JobContext } from '../engine.ts'
import { runCrawl } from './alpha/crawl.ts'
import { importList, listFile } from './alpha/list-file.ts'
import type { AlphaAccess } from '../alpha-connection/contract.ts'
import { faultOf } from '../alpha-connection/connection.ts'
import { createAlphaSession } from './alpha/session.ts'
import { lookUp } from './alpha/store-names.ts'
import { CatalogueStore } from './store.ts'
import type {
  CatalogueStatus,
  ChangeNumbers,
  CrawlProgress,
  CrawlRequest,
  DepotName,
  ImportProgress,
  ImportRequest,
  PrefilledDepots,
  StoreRequest,
} from './contract.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** How often a job sees that it was cancelled. */
const cancelLookMs = 100
/** Reports of a job, at most four a second. */
const reportMs = 250
/** Depots per question. */
const depotsMax = 1000
/** The store answers about 200 requests in five minutes. */
const storeGapMs = 1600

const outside = createOutside()
const storeOutside = createOutside({ gapMs: storeGapMs })
let opened: { dataPath: string; store: CatalogueStore } | null = null

interface Placed {
  dataPath: string
}

function storeIn(dataPath: string): CatalogueStore {
  if (opened?.dataPath !== dataPath) {
    opened = { dataPath, store: new CatalogueStore(openCatalog(dataPath)) }
  }
  return opened.store
}

/** Runs with a signal that follows the job's cancel flag. */
async function withSignal<T>(
  context: { isCancelled(): boolean },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const check = () => {
    if (context.isCancelled()) controller.abort(new Error('cancelled'))
  }
  check()
  const timer = setInterval(check, cancelLookMs)
  try {
    return await work(controller.signal)
  } finally {
    clearInterval(timer)
  }
}

/** Passes on at most four reports a second, and every change of what `keyOf` reads. */
function paced<Progress extends object>(
  context: JobContext<Progress>,
  keyOf: (report: Progress) => string,
) {
  const isDue = pace(reportMs)
  let sent = ''
  return (report: Progress) => {
    const key = keyOf(report)
    if (!isDue(key !== sent)) return
    sent = key
    context.progress({ ...report })
  }
}

const crawlKey = ({ phase, isConnected, isReconnecting }: CrawlProgress) =>
  `${phase} ${isConnected} ${isReconnecting}`

const status = ({ dataPath }: Placed): CatalogueStatus => {
  const store = storeIn(dataPath)
  return {
    depots: store.depots(),
    mappings: store.mappings(),
    changeNumber: Number(store.get('changeNumber') ?? 0),
    file: listFile({ dataPath, store }),
  }
}

/** Asks Steam for its current change number, and whether the changes since ours are known. */
async function changeNumbers(
  { dataPath, access }: Placed & { access: AlphaAccess },
  context: JobContext,
): Promise<ChangeNumbers> {
  const last = Number(storeIn(dataPath).get('changeNumber') ?? 0)
  return withSignal(context, async (signal) => {
    const session = createAlphaSession({ access, outside, signal, changed: () => {} })
    let current = 0
    try {
      current = (await session.changesSince(0)).current
      const changes = last > 0 ? await session.changesSince(last) : null
      const fullNeeded = changes?.fullNeeded ?? false
      return { last, current, fullNeeded, isAway: false, error: null, fault: null }
    } catch (error) {
      const text = errorText(error)
      const failed = { fullNeeded: current > 0, isAway: current === 0, error: text }
      return { last, current, ...failed, fault: faultOf(error) }
    } finally {
      await session.close()
    }
  })
}

/** What the worker does for the main thread. */
export const catalogueJobs = {
  status,
  forget: ({ dataPath }: Placed): void => storeIn(dataPath).forget(),
  names: ({ dataPath, depotIds }: Placed & { depotIds: number[] }): DepotName[] =>
    depotIds.slice(0, depotsMax).flatMap((depotId) => storeIn(dataPath).nameOf(depotId) ?? []),
  users: ({ dataPath, depotIds }: Placed & { depotIds: number[] }) =>
    depotIds.slice(0, depotsMax).flatMap((depotId) => storeIn(dataPath).users(depotId)),
  parents: ({ dataPath, appIds }: Placed & { appIds: number[] }) =>
    appIds.slice(0, depotsMax).flatMap((appId) => {
      const parentId = storeIn(dataPath).parentOf(appId)
      return parentId === null ? [] : [{ appId, parentId }]
    }),
  addUses: ({ dataPath, appId, depotIds, at }: Placed & PrefilledDepots): void =>
    storeIn(dataPath).addUses(appId, depotIds.slice(0, depotsMax), at),
  crawl: (
    { dataPath, request }: Placed & { request: CrawlRequest },
    context: JobContext<CrawlProgress>,
  ) =>
    withSignal(context, (signal) => {
      const parts = { dataPath, store: storeIn(dataPath), outside, signal }
      return runCrawl({ ...parts, progress: paced(context, crawlKey) }, request)
    }),
  importList: (
    { dataPath, request }: Placed & { request: ImportRequest },
    context: JobContext<ImportProgress>,
  ) =>
    withSignal(context, (signal) => {
      const parts = { dataPath, store: storeIn(dataPath), outside }
      const progress = paced(context, ({ phase }) => phase)
      return importList(parts, request.url, { signal, progress })
    }),
  changeNumbers,
  lookUp: ({ dataPath, request }: Placed & { request: StoreRequest }, context: JobContext) =>
    withSignal(context, (signal) =>
      lookUp({ store: storeIn(dataPath), outside: storeOutside, signal }, request),
    ),
}

export type CatalogueJobs = typeof catalogueJobs
