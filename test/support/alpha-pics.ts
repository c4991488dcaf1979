import { EResult } from 'steam-session'
import messages from 'steam-user/protobufs/generated/_load.js'
import type { Message } from './stand-ins/alpha.ts'

const protocol = messages as Record<string, Message>

const messageNamed = (name: string): Message => {
  const message = protocol[name]
  if (message === undefined) throw new Error(`no message ${name}`)
  return message
}

/** Numbers of the messages, as Steam's protocol has them. */
const kinds = {
  logOn: 5514,
  loggedOn: 751,
  logOff: 706,
  changesSince: 8901,
  changes: 8902,
  productInfo: 8903,
  products: 8904,
  tokenRequest: 8905,
  tokens: 8906,
  licenses: 780,
}

/** One app of the stand-in. */
export interface PicsApp {
  name: string
  dlc?: number[]
  /** The game that it belongs to. */
  parent?: number
  /** Depots with their name and the app that owns them, if it is another one. */
  depots?: Record<number, { name?: string; from?: number }>
  /** Only with an access token. */
  isLocked?: boolean
  /** Further members of its product information; `common` replaces the usual one. */
  info?: Tree
}

/** Key-values: texts, or objects of them. */
export interface Tree {
  [key: string]: string | Tree
}

/** What an account got with one license. */
export interface PicsPackage {
  apps: number[]
  depots: number[]
  /** Unix seconds. */
  createdAt: number
  /** 8: expired. */
  flags?: number
  extended?: Record<string, string | number>
}

const treeText = (tree: Tree): string =>
  Object.entries(tree)
    .map(([key, value]) =>
      typeof value === 'string' ? quoted(key, value) : `"${key}"\n{\n${treeText(value)}}\n`,
    )
    .join('')

const named = (kind: number, name: string, value: Buffer) =>
  Buffer.concat([Buffer.from([kind]), Buffer.from(`${name}\0`), value])

/** Key-values in the binary form: members with kind 0 (object), 1 (text) or 2 (32 bits), then 8. */
function binary(tree: Record<string, unknown>): Buffer {
  const members = Object.entries(tree).map(([name, value]) => {
    if (typeof value === 'string') return named(1, name, Buffer.from(`${value}\0`))
    if (typeof value !== 'number') return named(0, name, binary(value as Record<string, unknown>))
    const number = Buffer.alloc(4)
    number.writeInt32LE(value)
    return named(2, name, number)
  })
  return Buffer.concat([...members, Buffer.from([8])])
}

const quoted = (key: string, value: string) => `"${key}"\t"${value.replaceAll('"', '\\"')}"\n`

function appinfo(appId: number, app: PicsApp): string {
  const depots = Object.entries(app.depots ?? {}).map(([id, { name, from }]) => {
    const members = [
      name === undefined ? '' : quoted('name', name),
      from === undefined ? '' : quoted('depotfromapp', String(from)),
    ]
    return `"${id}"\n{\n${members.join('')}}\n`
  })
  const dlc = app.dlc === undefined ? '' : quoted('listofdlc', app.dlc.join(','))
  const parent = app.parent === undefined ? '' : quoted('parent', String(app.parent))
  if (app.info !== undefined) return `"appinfo"\n{\n${treeText(app.info)}}\n\0`
  const branches = '"branches"\n{\n"public"\n{\n"buildid"\t"1"\n}\n}\n'
  return (
    `"appinfo"\n{\n${quoted('appid', String(appId))}` +
    `"common"\n{\n${quoted('name', app.name)}${quoted('type', 'game')}${dlc}${parent}}\n` +
    `"depots"\n{\n${depots.join('')}${branches}}\n}\n\0`
  )
}

/** Answer to one message: its kind and body. Null: none. */
export interface PicsAnswer {
  kind: number
  body: Uint8Array
  /** For the header: of the session that begins. */
  steamId?: string
  /** Sent after it, unasked. */
  next?: PicsAnswer
}

const accessToken = '1234567890'

/** Steam's product information: what its servers answer about apps and changes. */
export class AlphaPics {
  readonly apps = new Map<number, PicsApp>()
  readonly packages = new Map<number, PicsPackage>()
  /** Minutes of the last two weeks, by app. */
  readonly recentMinutes = new Map<number, number>()
  /** Codes for manifests; a manifest without one is refused. */
  readonly manifestCodes = new Map<string, string>()
  /** Region that the account's connection gets. */
  cellId = 31
  changeNumber = 1000
  /** Apps that changed, with the number of the change. */
  readonly changed: { appId: number; changeNumber: number }[] = []
  /** Steam forgot the changes before this number. */
  forgottenBefore = 0
  /** Results of the next log-ons; the ones after succeed. */
  readonly logOnResults: number[] = []
  /** Names of the requests so far, with the ids they ask for. */
  readonly requests: { call: string; ids: number[] }[] = []
  /** Accounts of the log-ons; null: anonymous. */
  readonly logOns: (string | null)[] = []
  /** Requests for products after which the connection is closed without an answer, once each. */
  readonly dropsAt: number[] = []
  /** Awaited before each answer about products, after as many answers as `holdAfter` says. */
  hold: Promise<void> | null = null
  holdAfter = 0
  /** Answers that have been held back so far. */
  held = 0

  count(call: string): number {
    return this.requests.filter((request) => request.call === call).length
  }

  /** Null: no answer to this message. `drop`: the connection is closed. */
  async answer(kind: number, body: Uint8Array): Promise<PicsAnswer | 'drop' | null> {
    if (kind === kinds.logOn) return this.#logOn(body)
    if (kind === kinds.logOff) return 'drop'
    if (kind === kinds.changesSince) return this.#changes(body)
    if (kind === kinds.tokenRequest) return this.#tokens(body)
    if (kind !== kinds.productInfo) return null
    if (this.hold !== null && this.count('products') >= this.holdAfter) {
      this.held++
      await this.hold
    }
    const answer = this.#products(body)
    const at = this.dropsAt.indexOf(this.count('products'))
    if (at < 0) return answer
    this.dropsAt.splice(at, 1)
    return 'drop'
  }

  #logOn(body: Uint8Array): PicsAnswer {
    const { access_token: token } = fields('CMsgClientLogon', body)
    const isAnonymous = typeof token !== 'string' || token === ''
    this.logOns.push(isAnonymous ? null : token)
    const eresult = this.logOnResults.shift() ?? EResult.OK
    const steamId = isAnonymous ? '117093590311632896' : '76561197960287930'
    const answer = encoded('CMsgClientLogonResponse', {
      eresult,
      heartbeat_seconds: 30,
      cell_id: this.cellId,
    })
    const loggedOn = { kind: kinds.loggedOn, body: answer, steamId }
    const licenses = { kind: kinds.licenses, body: this.#licenses() }
    return isAnonymous || eresult !== 1 ? loggedOn : { ...loggedOn, next: licenses }
  }

  #licenses(): Uint8Array {
    const licenses = [...this.packages].map(([id, { createdAt, flags = 0 }]) => ({
      package_id: id,
      time_created: createdAt,
      flags,
      access_token: accessToken,
    }))
    return encoded('CMsgClientLicenseList', { eresult: EResult.OK, licenses })
  }

  /** A call of a service with its name and version; null: it does not exist. */
  service(name: string, body: Uint8Array): { result: number; body: Uint8Array } | null {
    this.requests.push({ call: name, ids: [] })
    if (name === 'Player.GetOwnedGames#1') {
      const games = [...this.packages.values()]
        .flatMap(({ apps }) => apps)
        .map((appid) => ({ appid, playtime_2weeks: this.recentMinutes.get(appid) }))
      const answer = encoded('CPlayer_GetOwnedGames_Response', { game_count: games.length, games })
      return { result: EResult.OK, body: answer }
    }
    if (name !== 'ContentServerDirectory.GetManifestRequestCode#1') return null
    const asked = fields('CContentServerDirectory_GetManifestRequestCode_Request', body)
    const code = this.manifestCodes.get(`${String(asked.app_id)} ${String(asked.manifest_id)}`)
    const answer = encoded('CContentServerDirectory_GetManifestRequestCode_Response', {
      manifest_request_code: code ?? '0',
    })
    return { result: code === undefined ? EResult.AccessDenied : EResult.OK, body: answer }
  }

  #changes(body: Uint8Array): PicsAnswer {
    const since = Number(fields('CMsgClientPICSChangesSinceRequest', body).since_change_number ?? 0)
    this.requests.push({ call: 'changes', ids: [since] })
    const isForgotten = since > 0 && since < this.forgottenBefore
    const changed = this.changed.filter(({ changeNumber }) => since > 0 && changeNumber > since)
    const answer = encoded('CMsgClientPICSChangesSinceResponse', {
      current_change_number: this.changeNumber,
      since_change_number: since,
      force_full_app_update: isForgotten,
      app_changes: changed.map(({ appId, changeNumber }) => ({
        appid: appId,
        change_number: changeNumber,
      })),
    })
    return { kind: kinds.changes, body: answer }
  }

  #products(body: Uint8Array): PicsAnswer {
    const { apps, packages } = fields('CMsgClientPICSProductInfoRequest', body)
    if (Array.isArray(packages) && packages.length > 0) return this.#packageInfo(packages)
    const asked = (Array.isArray(apps) ? apps : []) as { appid: number; access_token?: string }[]
    this.requests.push({ call: 'products', ids: asked.map(({ appid }) => appid) })
    const known = asked.flatMap(({ appid, access_token: token }) => {
      const app = this.apps.get(appid)
      if (app === undefined) return []
      const isMissing = app.isLocked === true && String(token) !== accessToken
      const text = isMissing ? `"appinfo"\n{\n"appid"\t"${appid}"\n}\n\0` : appinfo(appid, app)
      return [{ appid, missing_token: isMissing, buffer: Buffer.from(text), change_number: 1 }]
    })
    const unknown = asked.map(({ appid }) => appid).filter((id) => !this.apps.has(id))
    const answer = encoded('CMsgClientPICSProductInfoResponse', {
      apps: known,
      unknown_appids: unknown,
    })
    return { kind: kinds.products, body: answer }
  }

  #packageInfo(asked: { packageid: number; access_token?: string }[]): PicsAnswer {
    const known = asked.flatMap(({ packageid, access_token: token }) => {
      const found = this.packages.get(packageid)
      if (found === undefined || String(token) !== accessToken) return []
      const { apps, depots, extended = {} } = found
      const members = {
        packageid,
        appids: Object.assign({}, apps),
        depotids: Object.assign({}, depots),
        extended,
      }
      const buffer = binary({ [String(packageid)]: members })
      return [{ packageid, buffer, change_number: 1 }]
    })
    const unknown = asked
      .map(({ packageid }) => packageid)
      .filter((id) => known.every(({ packageid }) => packageid !== id))
    const answer = encoded('CMsgClientPICSProductInfoResponse', {
      packages: known,
      unknown_packageids: unknown,
    })
    return { kind: kinds.products, body: answer }
  }

  #tokens(body: Uint8Array): PicsAnswer {
    const { appids } = fields('CMsgClientPICSAccessTokenRequest', body)
    const ids = (Array.isArray(appids) ? appids : []) as number[]
    this.requests.push({ call: 'tokens', ids })
    const tokens = ids.map((appid) => ({ appid, access_token: accessToken }))
    const answer = encoded('CMsgClientPICSAccessTokenResponse', { app_access_tokens: tokens })
    return { kind: kinds.tokens, body: answer }
  }
}

function fields(name: string, body: Uint8Array): Record<string, unknown> {
  const message = messageNamed(name)
  return message.toObject(message.decode(body), { longs: String })
}

const encoded = (name: string, values: object): Uint8Array =>
  messageNamed(name).encode(values).finish()
