import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'

const refreshMs = 5000

export const useTokens = () => useAccountRead(keys.widgetTokens, api.ext.widgets.tokens.get)
export type Token = NonNullable<ReturnType<typeof useTokens>['data']>['items'][number]
export type Scope = Token['scopes'][number]

/** The broker; whether it is connected changes by itself. */
export const useMqtt = () =>
  useAccountRead(keys.mqtt, api.ext.mqtt.get, { refetchInterval: refreshMs })
export type Mqtt = NonNullable<ReturnType<typeof useMqtt>['data']>
