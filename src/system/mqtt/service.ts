import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { MqttClient } from 'mqtt'
import pLimit from 'p-limit'
import { AppError } from '../../core/http/errors.ts'
import { chosenLookup, isForbiddenAddress, type Resolve } from '../../core/lib/chosen-address.ts'
import { endsWithin } from '../../core/lib/within.ts'
import { installationOf } from '../../core/settings/installation.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import type { SystemParts } from '../parts.ts'
import type { Figures } from '../widgets/figures.ts'
import { discoveryOf, stateTopic, statusTopic, type Topics } from './entities.ts'
import type { MqttBody, MqttView } from './model.ts'

const credentialName = 'mqtt.password'
const publishMs = 30_000
const connectTimeoutMs = 10_000
const reconnectUsualMs = 10_000
/** For saying goodbye to the broker. */
const endMs = 2000

type Broker = NonNullable<SettingValue<'mqtt.broker'>>
type Parts = Pick<SystemParts, 'clock' | 'credentials' | 'log' | 'settings' | 'timers'> & {
  figures: Figures
  reconnectMs?: number
  /** Resolves the broker's name. Default: the system. */
  resolve?: Resolve
}

/** Host and port of a broker. Throws `invalid`. */
function checkedUrl(text: string): URL {
  const url = URL.parse(text.trim())
  const isMqtt = url !== null && ['mqtt:', 'mqtts:'].includes(url.protocol) && url.hostname !== ''
  if (!isMqtt || `${url.username}${url.password}` !== '') {
    throw new AppError('invalid', 'url: give mqtt:// or mqtts:// with a host, without a user name')
  }
  if (isForbiddenAddress(url.hostname.replaceAll(/[[\]]/g, ''))) {
    throw new AppError('invalid', 'url: link-local addresses are not allowed')
  }
  return url
}

/** The library's errors name addresses and codes, never the password. */
const reasonOf = (error: Error): string =>
  error.message !== ''
    ? error.message
    : 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'The broker cannot be reached'

/** A socket to the address that was judged; every reconnection judges again. */
function openSocket(url: string, resolve?: Resolve) {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replaceAll(/[[\]]/g, '')
  if (isForbiddenAddress(host)) throw new Error(`${host} is an address that is not allowed`)
  const isTls = protocol === 'mqtts:'
  const to = { host, port: Number(port) || (isTls ? 8883 : 1883), lookup: chosenLookup(resolve) }
  if (!isTls) return connectPlain(to)
  return connectTls({ ...to, ...(isIP(host) === 0 && { servername: host }) })
}

/** One connection to a broker; the library reconnects by itself. */
class Connection {
  readonly #parts: Parts
  readonly #broker: Broker
  readonly #topics: Topics
  #client: MqttClient | null = null
  #isEnded = false
  #cancelTimer = () => {}
  error: string | null = null
  lastPublishedAt: Date | null = null

  constructor(parts: Parts, broker: Broker) {
    this.#parts = parts
    this.#broker = broker
    const installation = installationOf(parts.settings).slice(0, 8)
    this.#topics = { prefix: broker.prefix, installation }
    // The library is loaded only when MQTT is on.
    void this.#open().catch((error: unknown) => {
      this.error = error instanceof Error ? reasonOf(error) : String(error)
    })
  }

  isConnected(): boolean {
    return this.#client?.connected === true
  }

  /** `isForgotten`: entities of Home Assistant are removed, too. Never rejects. */
  async end({ isForgotten }: { isForgotten: boolean }): Promise<void> {
    this.#isEnded = true
    this.#cancelTimer()
    const client = this.#client
    if (client === null) return
    const topics = isForgotten ? discoveryOf(this.#topics).map(({ topic }) => topic) : []
    // Acknowledged: without it the connection may be closed before the broker has read them.
    const publish = (topic: string, payload: string) =>
      client.publishAsync(topic, payload, { retain: true, qos: 1 })
    const bye = async () => {
      if (client.connected) {
        const emptied = topics.map((topic) => publish(topic, ''))
        await Promise.all([...emptied, publish(statusTopic(this.#topics), 'offline')])
      }
      await client.endAsync(true)
    }
    const isDone = await endsWithin(bye(), endMs).catch(() => false)
    if (!isDone) client.end(true)
  }

  async #open(): Promise<void> {
    const { credentials, reconnectMs = reconnectUsualMs, resolve } = this.#parts
    const { url, user } = this.#broker
    const mqtt = await import('mqtt')
    if (this.#isEnded) return
    const kept = credentials.read(credentialName)
    const open = () => {
      const socket = openSocket(url, resolve)
      // The library reports some of the errors of a socket only.
      socket.on('error', (error) => this.#note(error))
      return socket
    }
    const client = new mqtt.MqttClient(open, {
      clientId: `larder_${this.#topics.installation}`,
      connectTimeout: connectTimeoutMs,
      reconnectPeriod: reconnectMs,
      resubscribe: false,
      queueQoSZero: false,
      ...(user !== null && { username: user }),
      ...(kept.state === 'kept' && { password: kept.secret }),
      will: {
        topic: statusTopic(this.#topics),
        payload: Buffer.from('offline'),
        qos: 1,
        retain: true,
      },
    })
    this.#client = client
    client.on('error', (error) => this.#note(error))
    client.on('close', () => {
      if (!this.#isEnded && this.error === null) this.#note(new Error('Connection closed'))
    })
    client.on('connect', () => {
      this.error = null
      this.#parts.log.info({ host: new URL(url).host }, 'connected to the MQTT broker')
      void this.#announce(client)
    })
  }

  #note(error: Error): void {
    const reason = reasonOf(error)
    if (reason !== this.error) this.#parts.log.warn({ reason }, 'the MQTT broker cannot be used')
    this.error = reason
  }

  async #announce(client: MqttClient): Promise<void> {
    const publish = (topic: string, payload: string) =>
      client.publishAsync(topic, payload, { retain: true })
    try {
      for (const { topic, payload } of discoveryOf(this.#topics)) await publish(topic, payload)
      await publish(statusTopic(this.#topics), 'online')
    } catch (error) {
      // Cut off in the middle: the next connection announces again.
      this.#parts.log.debug({ err: error }, 'MQTT: not announced')
    }
    await this.#publish()
  }

  async #publish(): Promise<void> {
    this.#cancelTimer()
    const { clock, figures, log, timers } = this.#parts
    try {
      const summary = await figures.summary()
      if (this.#client?.connected === true) {
        const text = JSON.stringify(summary)
        await this.#client.publishAsync(stateTopic(this.#topics), text, { retain: true })
        this.lastPublishedAt = clock.now()
      }
    } catch (error) {
      log.debug({ err: error }, 'MQTT: figures were not published')
    }
    this.#cancelTimer()
    if (!this.#isEnded) this.#cancelTimer = timers.after(publishMs, () => void this.#publish())
  }
}

/** Publishes figures over MQTT, for Home Assistant and others; off by default. */
export function createMqtt(parts: Parts) {
  const { credentials, settings } = parts
  let connection: Connection | null = null
  /** One change after another: of two at once, both would open a connection and one be forgotten. */
  const inTurn = pLimit(1)
  const stored = () => settings.get('mqtt.broker')

  function open(): void {
    const broker = stored()
    if (broker?.isEnabled === true) connection = new Connection(parts, broker)
  }

  /** A password is for one broker and user: another one must not receive it. */
  function keepPassword({ url, user, password }: MqttBody, known: Broker | null): void {
    const isOther = known === null || known.url !== url || known.user !== (user ?? null)
    if (password === undefined || password === null) {
      if (isOther) credentials.forget(credentialName)
      return
    }
    if (password === '') credentials.forget(credentialName)
    else credentials.keep(credentialName, password)
  }

  function view(): MqttView {
    const broker = stored()
    const state =
      connection === null ? 'off' : connection.isConnected() ? 'connected' : 'connecting'
    return {
      isEnabled: broker?.isEnabled ?? false,
      url: broker?.url ?? '',
      user: broker?.user ?? null,
      hasPassword: credentials.read(credentialName).state === 'kept',
      prefix: broker?.prefix ?? 'larder',
      state,
      error: connection?.error ?? null,
      lastPublishedAtUtc: connection?.lastPublishedAt?.toISOString() ?? null,
    }
  }

  async function change(body: MqttBody): Promise<MqttView> {
    const isForgotten = !body.isEnabled && body.url.trim() === ''
    const url = isForgotten ? '' : checkedUrl(body.url).href
    const user = body.user?.trim() ?? ''
    const broker = {
      isEnabled: body.isEnabled,
      url,
      user: user === '' ? null : user,
      prefix: body.prefix,
    }
    keepPassword({ ...body, url, user: broker.user }, stored())
    const former = connection
    connection = null
    settings.set('mqtt.broker', broker)
    await former?.end({ isForgotten: true })
    open()
    return view()
  }

  return {
    start: open,
    stop: () =>
      inTurn(async () => {
        await connection?.end({ isForgotten: false })
        connection = null
      }),
    view,
    /**
     * Throws `invalid`, SealError. Resolves when the former connection has ended. Switched off, the
     * broker may be empty.
     */
    set: (body: MqttBody): Promise<MqttView> => inTurn(change, body),
  }
}

export type Mqtt = ReturnType<typeof createMqtt>
