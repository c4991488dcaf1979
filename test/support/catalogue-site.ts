import { StandIn } from './stand-ins/serve-locally.ts'
import { createCatalogueEngine } from '../../src/engines/catalogue/facade.ts'
import { AlphaCmStandIn, serverDirectory } from './alpha-cm-stand-in.ts'
import { AlphaPics } from './alpha-pics.ts'
import { atEnd } from './cleanup.ts'
import { quietLog } from './quiet-log.ts'
import { tempFolder } from './temp-folder.ts'

/** A depot of a list, as `depotMappings` holds it. */
export interface ListedDepot {
  ownerId: number | null
  depotName?: string
  appIds: number[]
  appNames: string[]
  source?: string
}

/** Steam's web side: directory of servers, app lists, store; and a list of depots with an ETag. */
export class CatalogueSite extends StandIn {
  endpoints: string[] = []
  hasPublicList = true
  appIds: number[] = []
  keys = new Set<string>()
  storeNames = new Map<number, string>()
  list: Record<string, ListedDepot> = {}
  listEtag = '"one"'
  nextUpdateDue: string | null = null
  /** Sent instead of the list. */
  listText: string | null = null
  /** Statuses of the next answers to a call, by its name. */
  readonly statuses = new Map<string, number[]>()

  /** Environment that points a service at this site. */
  get environment(): Record<string, string> {
    return {
      Alpha__WebApiBaseUrl: this.url,
      Alpha__CmListBaseUrl: this.url,
      Alpha__StoreBaseUrl: this.url,
      Alpha__DepotListUrl: `${this.url}/list.json`,
    }
  }

  protected async answer(request: Request): Promise<Response> {
    await Bun.sleep(1)
    const url = new URL(request.url)
    const call = callOf(url.pathname)
    this.calls.push(call)
    const status = this.statuses.get(call)?.shift()
    if (status !== undefined) return new Response('', { status })
    if (call === 'directory') return serverDirectory(this.endpoints)
    if (call === 'publicList') return this.#publicList()
    if (call === 'storeList') return this.#storeList(request, url)
    if (call === 'store') return this.#store(Number(url.searchParams.get('appids')))
    if (call === 'list') return this.#list(request)
    return new Response('', { status: 404 })
  }

  #publicList(): Response {
    if (!this.hasPublicList) return new Response('', { status: 404 })
    const apps = this.appIds.map((appid) => ({ appid, name: `App ${appid}` }))
    return Response.json({ applist: { apps } })
  }

  #storeList(request: Request, { searchParams }: URL): Response {
    const key = request.headers.get('x-webapi-key') ?? ''
    if (!this.keys.has(key)) return new Response('', { status: 403 })
    const after = Number(searchParams.get('last_appid') ?? 0)
    const apps = this.appIds.filter((id) => id > after).map((appid) => ({ appid, name: 'x' }))
    return Response.json({ response: { apps, have_more_results: false } })
  }

  #store(appId: number): Response {
    const name = this.storeNames.get(appId)
    if (name === undefined) return Response.json({ [appId]: { success: false } })
    const data = { name, type: 'game', header_image: `${this.url}/header/${appId}.jpg` }
    return Response.json({ [appId]: { success: true, data } })
  }

  #list(request: Request): Response {
    const headers = { ETag: this.listEtag }
    if (request.headers.get('if-none-match') === this.listEtag) {
      return new Response(null, { status: 304, headers })
    }
    if (this.listText !== null) return new Response(this.listText, { headers })
    const metadata = {
      lastUpdated: '2026-03-01T00:00:00Z',
      totalMappings: Object.keys(this.list).length,
      version: '1.0',
      nextUpdateDue: this.nextUpdateDue,
      lastChangeNumber: 900,
    }
    const text = JSON.stringify({ metadata, depotMappings: this.list })
    return new Response(text, { headers })
  }
}

function callOf(path: string): string {
  if (path === '/ISteamDirectory/GetCMListForConnect/v1/') return 'directory'
  if (path === '/ISteamApps/GetAppList/v2/') return 'publicList'
  if (path === '/IStoreService/GetAppList/v1/') return 'storeList'
  if (path === '/api/appdetails') return 'store'
  return path === '/list.json' ? 'list' : path
}

/** The engine over a folder of its own, with a worker that trusts the stand-ins. */
export function trustingEngine(dataPath: string) {
  const script = new URL('./trusting-catalogue.worker.ts', import.meta.url).href
  return createCatalogueEngine({ dataPath, log: quietLog, script })
}

/** All stand-ins, and an engine that uses them; they end with the file's tests. */
export function catalogueStandIns() {
  const dataPath = tempFolder('catalogue')
  const site = new CatalogueSite()
  const pics = new AlphaPics()
  const cm = new AlphaCmStandIn()
  cm.pics = pics
  site.endpoints = [cm.endpoint]
  const engine = trustingEngine(dataPath)
  atEnd(async () => {
    engine.stop()
    await Promise.all([site.stop(), cm.stop()])
  })
  const access = { cmListBaseUrl: site.url, account: null }
  return { dataPath, site, pics, cm, engine, access }
}
