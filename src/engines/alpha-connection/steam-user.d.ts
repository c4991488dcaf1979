// The part of the library that we use; it has no types of its own.
declare module 'steam-user' {
  import type { EventEmitter } from 'node:events'

  namespace AlphaUser {
    interface ProductInfo {
      apps: Record<string, { appinfo?: unknown }>
      packages: Record<string, { packageinfo?: unknown }>
    }
    /** A package that an account has; `time_created` in Unix seconds. */
    interface License {
      package_id: number
      access_token: string
      flags: number
      time_created: number
    }
    interface AnswerHeader {
      proto: { eresult: number }
    }
    interface CmServer {
      endpoint: string
      type: string
      realm: string
    }
  }

  class AlphaUser extends EventEmitter {
    constructor(options: {
      dataDirectory: null
      autoRelogin: boolean
      protocol: number
      enablePicsCache: boolean
    })
    static EConnectionProtocol: { WebSocket: number }
    static EMsg: { ClientPICSChangesSinceRequest: number }
    static EResult: Record<string, string | number>
    logOn(details: { anonymous: true } | { refreshToken: string; logonID: number }): void
    logOff(): void
    webLogOn(): void
    getProductInfo(
      apps: number[],
      packages: number[],
      withTokens: boolean,
    ): Promise<AlphaUser.ProductInfo>
    steamID: { getSteamID64(): string } | null
    /** The region that Steam assigned with the log-on. */
    cellID: number | null
    /** Null until Steam has sent them, soon after the log-on; then `licenses` is emitted. */
    licenses: AlphaUser.License[] | null
    /** What waits for answers, kept for two minutes with the answer itself. */
    _jobs: { clear(): void }
    _handleConnectionClose(connection: unknown): void
    _lastChosenCM?: AlphaUser.CmServer
    _disconnect(isSilent: boolean): void
    _apiRequest(method: string, iface: string, name: string): Promise<unknown>
    _sendUnified(
      method: string,
      body: object,
      callback: (body: Record<string, unknown>, header: AlphaUser.AnswerHeader) => void,
    ): void
    _send(message: number, body: object, callback: (body: Record<string, unknown>) => void): void
  }

  export = AlphaUser
}
