import { Fields, MessageError, readId } from './fields.ts'

/** A command; all parameters are texts, lists among them as JSON. */
export interface DaemonRequest {
  id: string
  type: string
  parameters: Readonly<Record<string, string>>
}

export interface DaemonResponse {
  kind: 'response'
  id: string
  success: boolean
  message: string | null
  error: string | null
  /** Null when there is none. */
  data: unknown
  requiresLogin: boolean
}

export const eventTypes = [
  'credential-challenge',
  'progress',
  'auth-state',
  'status-update',
] as const
export type EventType = (typeof eventTypes)[number]

export interface DaemonEvent {
  kind: 'event'
  type: EventType
  data: unknown
}

/** Id of the response to a request that could not be parsed, and to the request `null`. */
export const unreadableId = 'error'
export const unknownId = 'unknown'

/** More parameters than any command has. */
const parametersMax = 100

/** Reads a parsed request; numbers and flags among the parameters become texts. Throws MessageError. */
export function readRequest(value: unknown): DaemonRequest {
  const fields = new Fields(value, 'request')
  const id = readId(fields.any('id'))
  if (id === null) throw new MessageError('request: id is not a text')
  const given = fields.any('parameters')
  const members = given === null ? null : new Fields(given, 'parameters')
  const names = members?.names() ?? []
  if (names.length > parametersMax) throw new MessageError('request: too many parameters')
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>
  for (const name of names) {
    const member = members?.any(name)
    if (member === null || member === undefined) continue
    parameters[name] = typeof member === 'string' ? member : JSON.stringify(member)
  }
  return { id, type: fields.requiredText('type'), parameters }
}

/** Text of a request; parameters that are null are left out. */
export function writeRequest(
  {
    id,
    type,
    parameters,
  }: { id: string; type: string; parameters?: Record<string, string | null> },
  now: Date,
): string {
  const given = Object.entries(parameters ?? {}).filter(([, value]) => value !== null)
  return JSON.stringify({
    id,
    type,
    ...(given.length > 0 && { parameters: Object.fromEntries(given) }),
    createdAt: now.toISOString(),
  })
}

/**
 * Reads a parsed message of a daemon. Null: a kind of message that is not known. Throws MessageError
 * for a known kind in a wrong form.
 */
export function readMessage(value: unknown): DaemonResponse | DaemonEvent | null {
  const fields = new Fields(value, 'message')
  const type = eventTypes.find((known) => known === fields.any('type'))
  if (type !== undefined) {
    // The status of a `status-update` stands beside the type.
    return { kind: 'event', type, data: fields.any('data') ?? value }
  }
  const id = readId(fields.any('id'))
  if (id === null) return null
  return {
    kind: 'response',
    id,
    success: fields.flag('success'),
    message: fields.text('message'),
    error: fields.text('error'),
    data: fields.any('data'),
    requiresLogin: fields.flag('requiresLogin'),
  }
}

/** What a daemon answers to one request; absent members are not sent. */
export interface ResponseContent {
  success: boolean
  message?: string
  error?: string
  data?: unknown
  requiresLogin?: boolean
}

export const writeResponse = (id: string, content: ResponseContent, now: Date): string =>
  JSON.stringify({ id, requiresLogin: false, ...content, completedAt: now.toISOString() }, noNulls)

export const writeEvent = (type: EventType, data: object, now: Date): string =>
  JSON.stringify({ type, data, timestamp: now.toISOString() }, noNulls)

/** Members that are null are not sent. */
const noNulls = (_key: string, value: unknown) => value ?? undefined
