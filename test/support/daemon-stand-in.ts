import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { platformFacts, type Platform } from '../../src/platforms/platforms.ts'
import { serviceFacts } from '../../src/platforms/service-facts.ts'
import { createKeyPair, decryptCredential } from '../../src/prefill/protocol/credentials.ts'
import {
  readRequest,
  writeEvent,
  writeResponse,
  type DaemonRequest,
  type EventType,
  type ResponseContent,
} from '../../src/prefill/protocol/envelopes.ts'
import { encodeFrame, FrameReader } from '../../src/prefill/protocol/frames.ts'
import { atEnd } from './cleanup.ts'
import { tempFolder } from './temp-folder.ts'

export const standInSecret = 'B7'.repeat(32)

/** Answers a command; undefined: the usual answer. */
type Answer = (
  request: DaemonRequest,
) => ResponseContent | undefined | Promise<ResponseContent | undefined>

interface Client {
  socket: Socket
  isIn: boolean
  /** The last command; daemons that take one at a time wait for it. */
  last: Promise<void>
}

/**
 * A daemon that behaves like the published images of a platform: alpha and gamma answer several
 * commands at a time, the others one; these also close the connection on a wrong secret without a
 * word. Progress and ends of runs are sent by the test. Stopped after the file's last test.
 */
export async function daemonStandIn(
  platform: Platform = 'alpha',
  { path, secret } = { path: join(tempFolder('stand-in'), 'd.sock'), secret: standInSecret },
) {
  const clients = new Set<Client>()
  const received: DaemonRequest[] = []
  const answers = new Map<string, Answer>()
  const { needsLogin } = platformFacts[platform]
  const { isOneAtATime, credentialInfo } = serviceFacts[platform]
  const keys = new Map<string, ReturnType<typeof createKeyPair>>()
  const credentials: string[] = []
  const state = {
    isLoggedIn: !needsLogin,
    username: null as string | null,
    secret,
    /** Answers as Larder's own daemon does, which knows more commands. */
    isLarders: false,
  }

  function event(type: EventType, data: object): void {
    for (const { socket } of clients) socket.write(encodeFrame(writeEvent(type, data, new Date())))
  }

  /** Asks for a credential of this type; returns the id of the challenge. */
  function challenge(credentialType: string, extra: object = {}): string {
    const challengeId = crypto.randomUUID().replaceAll('-', '')
    const pair = createKeyPair()
    keys.set(challengeId, pair)
    event('credential-challenge', {
      type: 'credential-challenge',
      challengeId,
      credentialType,
      serverPublicKey: pair.publicKey,
      createdAt: new Date().toISOString(),
      expiresAt: '2099-01-01T00:00:00Z',
      ...extra,
    })
    return challengeId
  }

  function loggedIn(displayName?: string): void {
    state.isLoggedIn = true
    event('auth-state', {
      state: 'logged-in',
      message: 'Authenticated and ready for commands',
      ...(displayName !== undefined && { displayName }),
    })
  }

  const usual: Record<string, (request: DaemonRequest) => ResponseContent> = {
    status: () => ({
      success: true,
      data: {
        isLoggedIn: state.isLoggedIn,
        isInitialized: true,
        ...(state.username !== null && { username: state.username }),
        ...(state.isLarders && { isPrefilling: false }),
      },
    }),
    login() {
      if (state.isLoggedIn) return { success: true, message: 'Already logged in' }
      return { success: true, message: 'Login started - awaiting credentials' }
    },
    logout() {
      state.isLoggedIn = false
      return { success: true, message: 'Logged out' }
    },
    'cancel-login': () => {
      queueMicrotask(() => {
        const message = 'Login cancelled - ready for new attempt'
        event('auth-state', { state: 'awaiting-login', message })
      })
      return { success: true, message: 'Login cancelled' }
    },
    'provide-credential': ({ parameters }) => {
      const own = keys.get(parameters['challengeId'] ?? '')
      if (own === undefined) return { success: false, error: 'No matching login challenge' }
      // The protocol guarantees the members.
      const credential = parameters as unknown as Parameters<typeof decryptCredential>[0]
      credentials.push(decryptCredential(credential, { own, info: credentialInfo }))
      return { success: true, message: 'Credential received' }
    },
    'get-owned-games': () => ({
      success: true,
      data: [
        { appId: 440, name: 'Team Fortress 2' },
        { appId: 'fn', name: 'Fortnite' },
      ],
    }),
    'set-selected-apps': () => ({ success: true, message: 'Apps selected' }),
    'check-cache-status': () => ({
      success: true,
      data: { apps: [{ appId: 440, name: 'TF2', isUpToDate: true }], message: 'ok' },
    }),
    prefill: () => ({ success: true, message: 'Prefill started' }),
    'cancel-prefill': () => ({ success: true, message: 'Prefill cancellation requested' }),
    'clear-cache': () => ({
      success: true,
      data: { success: true, fileCount: 1, bytesCleared: 5, message: 'Cleared 1 file' },
    }),
    'get-selected-apps-status': () => ({
      success: true,
      data: { apps: [{ appId: 440, name: 'TF2', downloadSize: 5, isUpToDate: false }] },
    }),
    shutdown: () => ({ success: true, message: 'Shutdown complete' }),
  }

  async function answer(client: Client, request: DaemonRequest): Promise<void> {
    if (request.type === 'auth') {
      client.isIn = request.parameters['secret'] === state.secret
      if (!client.isIn && isOneAtATime) return void client.socket.destroy()
      const error = 'Authentication failed: invalid secret'
      respond(client, request, client.isIn ? { success: true } : { success: false, error })
      if (!client.isIn) client.socket.end()
      return
    }
    if (!client.isIn) return void client.socket.destroy()
    received.push(request)
    const own = await answers.get(request.type)?.(request)
    const isKnown = state.isLarders && request.type === 'set-bandwidth'
    const unknown = { success: isKnown, error: `Unknown command type: ${request.type}` }
    respond(client, request, own ?? usual[request.type]?.(request) ?? unknown)
  }

  function respond({ socket }: Client, { id }: DaemonRequest, content: ResponseContent): void {
    if (!socket.destroyed) socket.write(encodeFrame(writeResponse(id, content, new Date())))
  }

  const server = createServer((socket) => {
    const client: Client = { socket, isIn: false, last: Promise.resolve() }
    const reader = new FrameReader()
    clients.add(client)
    socket.on('error', () => {})
    socket.on('close', () => clients.delete(client))
    socket.on('data', (chunk: Buffer) => {
      for (const text of reader.read(chunk)) {
        const request = readRequest(JSON.parse(text))
        if (isOneAtATime) client.last = client.last.then(() => answer(client, request))
        else void answer(client, request)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))

  const drop = () => {
    for (const { socket } of clients) socket.destroy()
  }
  const stop = atEnd(async () => {
    drop()
    server.close()
  })

  return {
    path,
    state,
    /** Commands after the authentication, in the order of their arrival. */
    received,
    /** Decrypted credentials. */
    credentials,
    event,
    challenge,
    loggedIn,
    /** Replaces the usual answer to a command. */
    on: (type: string, own: Answer) => void answers.set(type, own),
    progress: (data: object) => event('progress', { elapsedSeconds: 0, ...data }),
    commands: (type: string) => received.filter((request) => request.type === type),
    /** Sends bytes that are no frame. */
    garble(bytes: Uint8Array) {
      for (const { socket } of clients) socket.write(bytes)
    },
    drop,
    connections: () => clients.size,
    stop,
    environment: {
      [`Prefill__${nameOf(platform)}__Transport`]: `unix://${path}`,
      [`Prefill__${nameOf(platform)}__Secret`]: standInSecret,
    },
  }
}

export const nameOf = (platform: Platform): string =>
  `${platform.charAt(0).toUpperCase()}${platform.slice(1)}`

export type DaemonStandIn = Awaited<ReturnType<typeof daemonStandIn>>
